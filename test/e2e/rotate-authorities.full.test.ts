import { strict as assert } from "node:assert";
import { createHash, X509Certificate } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { killAtEachMoment } from "../support/kill-at-each-moment";
import { killTree } from "../support/kill-tree";
import { skipIf } from "../support/skip";
import { asStory } from "../support/story";
import { notBuilt } from "../support/user-project";
import { clusterArguments, command, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { dayPasses } from "./day-passes";
import { longestGap, startWriter } from "./writer";

const masters = ["m1", "m2", "m3"];
const nodes = [...masters, "w1"];
const pki = "/etc/kubernetes/pki";
/** What the run says at the begin of each part. */
const moments = [
    "get certificates of the new authorities",
    "get kubelet's certificate of the new authority",
    "trust the new authorities alone",
    "trust the new authority alone",
    "make the new authority known to pods and to machines that join",
];

const certificatesIn = (pem: string) => pem.split(/(?<=-----END CERTIFICATE-----)\s*/).filter(Boolean);
const nameOf = (pem: string) =>
    createHash("sha256")
        .update(new X509Certificate(pem).publicKey.export({ type: "spki", format: "der" }))
        .digest("hex")
        .slice(0, 10);

/** Real kubeadm nodes: all authorities are exchanged while clients hold a kubeconfig of the former one. */
describe("a cluster whose authorities are rotated", function () {
    this.timeout("60m");
    asStory(this);
    let fixture: Fixture;
    /** A kubeconfig that an administrator holds and does not renew. */
    let held: string;
    /** Private keys of authorities that were in use before. */
    const former = new Set<string>();

    const give = async (rotate?: object, heal?: { run: string; nodes: string[] }) => {
        const args = {
            ...clusterArguments(fixture.lab, { masters, workers: ["w1"] }),
            ...{ registries: {}, ...(rotate && { rotate }), ...(heal && { heal }) },
        };
        const secrets = { privateKey: fixture.lab.node("m1").privateKey };
        await fixture.project.setConfig(
            { cluster: JSON.stringify(args), objects: "[]" },
            { secrets: JSON.stringify(secrets) },
        );
    };
    const save = async (name: string) => {
        const file = path.join(fixture.folder, name);
        fs.writeFileSync(file, await fixture.project.output("kubeconfig"), { mode: 0o600 });
        return file;
    };
    const kubectl = (kubeconfig: string, ...args: string[]) =>
        command(fixture.lab.enter([path.join(fixture.bundle, "bin", "kubectl"), "--kubeconfig", kubeconfig, ...args]));
    /** Whether each API server takes the administrator of a kubeconfig, and he takes it. */
    const takenBy = (kubeconfig: string) =>
        Promise.all(
            masters.map(m => {
                const server = `https://${fixture.lab.node(m).address}:6443`;
                const asked = kubectl(
                    kubeconfig,
                    "--server",
                    server,
                    "--request-timeout=10s",
                    "get",
                    "--raw",
                    "/version",
                );
                return asked.then(
                    () => "yes",
                    (error: Error) => (/Unauthorized|unknown authority/.test(error.message) ? "no" : error.message),
                );
            }),
        );
    /** Names of the authorities that a kubeconfig of now trusts. */
    const given = async () => {
        const [, data] = /certificate-authority-data: (\S+)/.exec(await fixture.project.output("kubeconfig"))!;
        return certificatesIn(Buffer.from(data!, "base64").toString()).map(nameOf);
    };
    const all = (answer: "yes" | "no") => masters.map(() => answer);
    /** Node → name of the authority that it trusts. */
    const trustedOn = async () => {
        const found = nodes.map(
            async n => [n, nameOf(await fixture.lab.mustSsh(n, `sudo cat ${pki}/ca.crt`))] as const,
        );
        return Object.fromEntries(await Promise.all(found));
    };
    const noteKeys = async () => {
        for (const file of ["ca.key", "etcd/ca.key", "front-proxy-ca.key"])
            former.add((await fixture.lab.mustSsh("m1", `sudo cat ${pki}/${file}`)).trim());
    };
    const uids = () =>
        kubectl(path.join(fixture.folder, "now"), "get", "pods,nodes", "-A", "-o", "jsonpath={.items[*].metadata.uid}");
    /** kube-proxy of each node holds the authority with which it started; it must learn of a Service that is made now. */
    const reachesAllProxies = async (name: string) => {
        const now = path.join(fixture.folder, "now");
        await kubectl(now, "create", "service", "clusterip", name, "--tcp=80:80");
        const address = await kubectl(now, "get", "service", name, "-o", "jsonpath={.spec.clusterIP}");
        for (const node of nodes)
            await eventually(90, () =>
                fixture.lab.mustSsh(node, `sudo iptables-save -t filter | grep -F '${address}/32'`),
            );
    };
    /** All certificates on the nodes, by their file, that the authority has not signed. */
    const notOf = async (node: string) => {
        const files = masters.includes(node)
            ? [
                  ...["apiserver", "apiserver-kubelet-client"].map(each => `${pki}/${each}.crt ${pki}/ca.crt`),
                  ...["etcd/server", "etcd/peer", "etcd/healthcheck-client", "apiserver-etcd-client"].map(
                      each => `${pki}/${each}.crt ${pki}/etcd/ca.crt`,
                  ),
                  `${pki}/front-proxy-client.crt ${pki}/front-proxy-ca.crt`,
              ]
            : [];
        const kubelet = `/var/lib/kubelet/pki/kubelet-client-current.pem ${pki}/ca.crt`;
        const lines = [...files, kubelet].map(
            pair =>
                `sudo openssl verify -CAfile ${pair.split(" ")[1]} ${pair.split(" ")[0]} >/dev/null 2>&1 || echo ${pair}`,
        );
        return fixture.lab.mustSsh(node, lines.join("; "));
    };

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await openFixture({ name: "haauth", nodes });
        await give();
        await fixture.project.up();
        held = await save("held");
        await save("now");
        await noteKeys();
    });
    after(() => fixture?.close());

    it("gives users the new authority beside the former one, and changes nothing on the nodes until the grace is over", async () => {
        await give({ authorities: "2026-11" });
        const preview = await fixture.project.preview("--diff");
        console.log(preview.replace(/^(?=.)/gm, "      "));
        const changes = [...preview.matchAll(/^ *(?:[-+~]|\+-|-\+) +(\S+)[: ]/gm)].map(([, type]) => type!);
        const ofCluster = new Set(changes.filter(type => type.includes("nfv:")).map(type => type.split(":")[2]!));
        assert.deepEqual(
            [...ofCluster].filter(type => !["OperationStart", "OperationEnd", "VimRegistration"].includes(type)),
            ["AuthorityRotation"],
        );
        const before = { trusted: await trustedOn(), uids: await uids() };
        await fixture.project.up();
        assert.deepEqual(await trustedOn(), before.trusted);
        const now = await save("now");
        const both = await given();
        assert.equal(both.length, 2);
        assert.equal(both[1], before.trusted["m1"]);
        assert.deepEqual(await takenBy(now), all("yes"));
        assert.deepEqual(await takenBy(held), all("yes"));
        assert.equal(await uids(), before.uids);
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("exchanges them after the grace, goes on after it was killed in each part, and pods reach the API all the time", async () => {
        await dayPasses(fixture, "AuthorityRotation", "since");
        const preview = await fixture.project.preview("--diff");
        console.log(preview.replace(/^(?=.)/gm, "      "));
        assert.match(preview, /m1: new certificates, then new authorities: etcd, API server/);
        assert.match(preview, /w1: new certificate of kubelet, then new authority/);
        const now = path.join(fixture.folder, "now");
        const before = await uids();
        await kubectl(now, "create", "configmap", "writer");
        const writer = startWriter(fixture.lab, now);
        const began = Date.now();
        try {
            const { kills, outcome } = await killAtEachMoment(fixture.project, ["up"], {
                momentIn: line => moments.find(moment => line.includes(moment)),
                afterKill: async () => {
                    console.log(`      killed: ${JSON.stringify(await trustedOn())}`);
                    await eventually(180, async () => assert.deepEqual(await takenBy(now), all("yes")));
                    await eventually(180, async () => {
                        const ready = await kubectl(now, "get", "nodes", "--no-headers");
                        assert.doesNotMatch(ready, /NotReady/);
                    });
                },
            });
            assert.equal(outcome.code, 0, outcome.output.slice(-3000));
            assert.deepEqual(kills, moments);
            const writes = writer.since();
            const failed = writes.filter(({ by }) => by === undefined).length;
            const seconds = Math.round((Date.now() - began) / 1000);
            console.log(
                `      all runs took ${seconds} s; ${writes.length} writes, ${failed} failed, longest gap ${longestGap(writes)} s`,
            );
        } finally {
            writer.stop();
        }
        const [name, ...others] = await given();
        assert.deepEqual(others, [], "the former authority is trusted no longer");
        assert.deepEqual(await trustedOn(), Object.fromEntries(nodes.map(node => [node, name])));
        for (const node of nodes) assert.equal(await notOf(node), "", node);
        assert.deepEqual(await takenBy(held), all("no"));
        await save("now");
        assert.deepEqual(await takenBy(now), all("yes"));
        assert.equal(await uids(), before, "no pod and no Node was made again");
        await reachesAllProxies("after");
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("leaves no former key in the state and on no node", async () => {
        const whole = await fixture.project.run(["stack", "export", "--show-secrets"]);
        for (const key of former) {
            const line = key.split("\n")[1]!;
            assert.ok(!whole.includes(line), "the state has a former key");
            for (const node of nodes) {
                // Not by sudo, which would log the key.
                const folders = "/etc/kubernetes /var/lib/pulumi-nfv /run /var/log /tmp /root";
                const { stdout } = await fixture.lab.ssh(node, `grep -rlF -D skip '${line}' ${folders} 2>/dev/null`);
                assert.equal(stdout, "", `${node} has a former key`);
            }
        }
    });

    it("heals a control-plane node and a worker by the new authorities; pods that are older reach its API server, too", async () => {
        for (const node of ["m3", "w1"]) {
            await give({ authorities: "2026-11" }, { run: node, nodes: [node] });
            await fixture.project.up();
        }
        for (const node of nodes) assert.equal(await notOf(node), "", node);
        const served = certificatesIn(await fixture.lab.mustSsh("m3", `sudo cat ${pki}/apiserver.crt`));
        assert.equal(served.length, 2, "with its bridge");
        await reachesAllProxies("healed");
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("exchanges them once more, without a grace in one run; the word taken away changes nothing", async () => {
        const before = await trustedOn();
        await give({ authorities: "2026-12", authoritiesGraceHours: 0 });
        await fixture.project.up();
        const now = await save("now");
        assert.deepEqual(await takenBy(now), all("yes"));
        assert.notEqual((await trustedOn())["m1"], before["m1"]);
        for (const node of nodes) assert.equal(await notOf(node), "", node);
        await give();
        await fixture.project.up();
        const [name, ...others] = await given();
        assert.deepEqual([name, others], [(await trustedOn())["w1"], []]);
        assert.deepEqual(await takenBy(await save("now")), all("yes"));
        await fixture.project.up({ refresh: true, expectNoChanges: true });
        await reachesAllProxies("again");
    });

    it("ends without a control-plane node that is lost when another one has begun to trust, once it is given up; healed, it gets the new ones", async () => {
        const rotate = { authorities: "2027-01", authoritiesGraceHours: 0 };
        await give(rotate);
        const trust = moments[2]!;
        const kubeletIsNewer = `[ $(date -d "$(systemctl show -p ActiveEnterTimestamp --value kubelet)" +%s) -gt $(stat -c %Z ${pki}/ca.crt) ]`;
        const authorityOf = async (node: string) => nameOf(await fixture.lab.mustSsh(node, `sudo cat ${pki}/ca.crt`));
        const former = await authorityOf("m1");
        let hasBegun = false;
        const killed = fixture.project.start(["up", "--yes", "--skip-preview", "--json"], text => {
            hasBegun ||= text.includes(trust);
        });
        await eventually(900, async () => assert.ok(hasBegun));
        await eventually(120, async () => assert.notEqual(await authorityOf("m1"), former));
        killTree(killed.pid);
        await killed.done;
        await fixture.project.stack.cancel();
        // The step goes on; kubelet's restart is the last thing in it.
        await eventually(300, () => fixture.lab.mustSsh("m1", kubeletIsNewer));
        assert.equal(await authorityOf("m2"), former);
        await fixture.lab.powerOff("m3");
        const refused = await fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"]).done;
        assert.notEqual(refused.code, 0);
        assert.match(refused.output, /QUORUM_AT_RISK/);
        const [, name = ""] = /NFV_GIVE_UP=(\S+) pulumi up/.exec(refused.output) ?? [];
        assert.match(name, /\/m3$/, refused.output);
        fixture.project.env["NFV_GIVE_UP"] = name;
        const output = await fixture.project.up();
        delete fixture.project.env["NFV_GIVE_UP"];
        assert.match(output, /m3 did not answer or are no members/);
        const living = nodes.filter(node => node !== "m3");
        for (const node of living) assert.equal(await notOf(node), "", node);
        await save("now");

        await fixture.lab.powerOn("m3");
        await fixture.lab.mustSsh("m3", "kubeadm reset -f && rm -rf /var/lib/pulumi-nfv /etc/kubernetes");
        await give(rotate, { run: "lost", nodes: ["m3"] });
        await fixture.project.up();
        const now = await save("now");
        assert.deepEqual(await takenBy(now), all("yes"));
        for (const node of nodes) assert.equal(await notOf(node), "", node);
        const published = (key: string) =>
            kubectl(
                now,
                "-n",
                "kube-system",
                "get",
                "configmap",
                "extension-apiserver-authentication",
                "-o",
                `jsonpath={.data.${key}}`,
            );
        for (const [key, file] of [
            ["client-ca-file", "ca.crt"],
            ["requestheader-client-ca-file", "front-proxy-ca.crt"],
        ] as const) {
            const wanted = nameOf(await fixture.lab.mustSsh("m1", `sudo cat ${pki}/${file}`));
            assert.deepEqual(certificatesIn(await published(key)).map(nameOf), [wanted], key);
        }
        // Its notes are gone, too, so a refresh finds that its Host is to be made.
        await fixture.project.up({ refresh: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });
});
