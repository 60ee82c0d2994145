import { strict as assert } from "node:assert";
import { labKubelet } from "../../lab/node-settings";
import { versions } from "../../tools/versions";
import { asStory } from "../support/story";
import { clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { apply } from "./cluster-observed";
import { programsOf } from "./upgrade-fixture";

/** What users of other tools have reported of their machines: a node for each, with what root does to it beforehand. */
const conditions: Record<string, { what: string; prepare: string }> = {
    m1: {
        what: "its name leads to 127.0.1.1, as Debian's installer writes it",
        prepare: "printf '127.0.0.1 localhost\\n127.0.1.1 m1.corp.example m1\\n' >/etc/hosts",
    },
    w1: {
        what: "logins have the umask 077",
        prepare: `echo 'umask 077' >>/etc/profile; echo 'umask 077' >>/home/debian/.bashrc
            sed -i 's/^UMASK.*/UMASK 077/' /etc/login.defs; echo 'session optional pam_umask.so umask=077' >>/etc/pam.d/common-session`,
    },
    w2: {
        what: "sudo has no /usr/local in its path",
        prepare: "echo 'Defaults secure_path=\"/sbin:/bin:/usr/sbin:/usr/bin\"' >/etc/sudoers.d/path",
    },
    w3: {
        what: "nothing may be executed in /tmp, /var/tmp, /dev/shm and homes",
        prepare: `for folder in /tmp /var/tmp /dev/shm; do mount -t tmpfs -o noexec,nosuid,nodev tmpfs $folder; done
            mount --bind /home /home; mount -o remount,bind,noexec,nosuid,nodev /home`,
    },
    w4: {
        what: "logins have a proxy that is not there, for all addresses",
        prepare:
            "for name in http_proxy https_proxy HTTP_PROXY HTTPS_PROXY; do echo $name=http://10.99.0.251:3128; done >>/etc/environment",
    },
    w5: {
        what: "its machine-id is that of another one",
        prepare: "echo 0123456789abcdef0123456789abcdef >/etc/machine-id",
    },
    w6: {
        what: "its machine-id is that of another one, and its resolver has more than kubelet takes",
        prepare: `echo 0123456789abcdef0123456789abcdef >/etc/machine-id
            (echo search a.example b.example c.example d.example e.example f.example g.example h.example
             for last in 1 2 3 4 5; do echo nameserver 10.99.0.$last; done) >/etc/resolv.conf`,
    },
    w7: {
        what: "its host name is another one, with a domain",
        prepare: "hostnamectl set-hostname SRV-0815.corp.example || echo SRV-0815.corp.example >/etc/hostname",
    },
};
const workers = Object.keys(conditions).filter(name => name !== "m1");

/** One on each node, as a user that is not root: it reads what kubelet writes for pods, and asks the cluster's DNS. */
const lookers = {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "lookers" },
    spec: {
        selector: { matchLabels: { app: "lookers" } },
        template: {
            metadata: { labels: { app: "lookers" } },
            spec: {
                terminationGracePeriodSeconds: 1,
                tolerations: [{ operator: "Exists" }],
                securityContext: { runAsUser: 1000 },
                containers: [
                    {
                        name: "looker",
                        image: "pulumi-nfv.invalid/tools:1",
                        command: ["sleep", "3600"],
                        readinessProbe: {
                            exec: {
                                command: [
                                    "sh",
                                    "-c",
                                    "cat /etc/hosts /etc/resolv.conf && nslookup kubernetes.default.svc.cluster.local",
                                ],
                            },
                            timeoutSeconds: 5,
                        },
                    },
                ],
            },
        },
    },
};

describe("machines as they are in the field", function () {
    this.timeout("20m");
    asStory(this);
    let fixture: Fixture;

    const give = async (kubelet: object) => {
        const args = clusterArguments(fixture.lab, { masters: ["m1"], workers }) as any;
        args.kubernetes.source = { bundle: { path: `${fixture.folder}/bundle-${versions.kubernetes}` } };
        args.pools.workers.maxUnavailable = workers.length;
        args.pools.workers.kubelet = { ...labKubelet, ...kubelet };
        delete args.registries;
        const secrets = { privateKey: fixture.lab.node("m1").privateKey };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
    };
    const nodes = async () =>
        (await fixture.kubectl("get", "nodes", "--no-headers"))
            .trim()
            .split("\n")
            .map(line => line.split(/\s+/).slice(0, 2));

    before(async () => {
        fixture = await openFixture({ name: "field", nodes: Object.keys(conditions) });
        await programsOf(versions.kubernetes, fixture.folder);
        for (const [name, { prepare }] of Object.entries(conditions)) await fixture.lab.mustSsh(name, prepare);
    });
    after(() => fixture?.close());

    it("become a cluster", async () => {
        for (const [name, { what }] of Object.entries(conditions)) console.log(`      ${name}: ${what}`);
        await give({});
        await fixture.project.up();
        const all = Object.keys(conditions).map(name => [name, "Ready"]);
        await eventually(60, async () => assert.deepEqual((await nodes()).sort(), all.sort()));
    });

    it("have pods that read their files without being root, and reach the cluster's DNS", async () => {
        await apply(fixture, lookers);
        await fixture.kubectl("rollout", "status", "daemonset/lookers", "--timeout=120s");
    });

    it("change nothing in a second run, also after a refresh", async () => {
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("get another policy for their CPUs, and the former one again, with which kubelet alone would not start", async () => {
        const policyOf = async (name: string) =>
            JSON.parse(await fixture.lab.mustSsh(name, "sudo cat /var/lib/kubelet/cpu_manager_state")).policyName;
        for (const kubelet of [{ cpuManagerPolicy: "static", reservedSystemCPUs: "0" }, {}]) {
            await give(kubelet);
            await fixture.project.up();
            for (const name of workers)
                assert.equal(await policyOf(name), "cpuManagerPolicy" in kubelet ? "static" : "none", name);
        }
    });

    it("start as nodes after a power cut, and end", async () => {
        await Promise.all(workers.map(name => fixture.lab.powerOff(name)));
        await Promise.all(workers.map(name => fixture.lab.powerOn(name)));
        await eventually(180, async () =>
            assert.ok(
                (await nodes()).every(([, state]) => state === "Ready"),
                JSON.stringify(await nodes()),
            ),
        );
        await fixture.project.up({ refresh: true });
        await fixture.project.destroy();
    });
});
