import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as path from "node:path";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { killTree } from "../support/kill-tree";
import { asStory } from "../support/story";
import { canaries, clusterArguments, eventually, type Fixture, openFixture, vip, webObjects } from "./cluster-fixture";
import { longestGap, startWriter, type Writer } from "./writer";

const masters = ["m1", "m2", "m3"];
const workers = ["w1", "w2"];
const nodes = [...masters, ...workers];
/** A machine outside of the cluster that runs an external load balancer. */
const balancer = "st1";

/**
 * Longest time in seconds that a client may be without the API: two attempts at servers that do not answer, and an etcd election on a loaded machine.
 */
const mostSecondsWithout = 15;

type Args = any;

/** A change of an input on the running cluster, and the check that it took effect. */
interface Row {
    title: string;
    change: (args: Args) => void;
    check: () => Promise<void>;
    /** Types of resources that change, besides the one that names the operation. */
    touches: string[];
    /** Other resources may change, because they use another address of the cluster. */
    andOthers?: boolean;
}

interface Place {
    host: string;
    port: number;
}
const url = ({ host, port }: Place) => `https://${host}:${port}`;

describe("the table of inputs, on a cluster in use", function () {
    this.timeout("30m");
    asStory(this);
    let fixture: Fixture;
    let args: Args;
    let writer: Writer;
    let place: Place = { host: vip, port: 16443 };

    const ssh = (node: string, command: string) => fixture.lab.mustSsh(node, command);
    const onAll = (list: string[], command: string) => Promise.all(list.map(node => ssh(node, command)));
    const give = (given: Args = args) =>
        fixture.project.setConfig(
            {
                cluster: JSON.stringify(given),
                objects: JSON.stringify(webObjects),
                replicas: JSON.stringify({ web: 2 }),
            },
            { secrets: JSON.stringify({ privateKey: fixture.lab.node("m1").privateKey, ...canaries }) },
        );

    before(async () => {
        fixture = await openFixture({ name: "inputs", nodes: [...nodes, balancer] });
        args = clusterArguments(fixture.lab, { masters, workers });
        await give();
        await fixture.project.up();
        await fixture.kubectl("-n", "default", "create", "configmap", "writer");
        writer = startWriter(fixture.lab, path.join(fixture.folder, "kubeconfig"));
    });
    after(async () => {
        writer?.stop();
        await fixture?.close();
    });

    /** Fails if the client was without the API for too long; reports what it measured. */
    const clientGoesOn = () => {
        const writes = writer.since();
        const failed = writes.filter(({ by }) => by === undefined);
        const gap = longestGap(writes);
        console.log(`      ${writes.length} writes, ${failed.length} failed, longest gap ${gap.toFixed(1)} s`);
        const problems = failed.slice(0, 5).map(({ problems: said }) => said.join("; "));
        assert.ok(writes.length > 4, "the client wrote");
        assert.ok(gap <= mostSecondsWithout, `without the API for ${gap} s\n${problems.join("\n")}`);
        assert.ok(Date.now() - writes.filter(({ by }) => by !== undefined).at(-1)!.at < 1000 * mostSecondsWithout);
    };

    /** What a preview would do: "update Host". Fails if a resource would be replaced. */
    const preview = async () => {
        const events = await fixture.project.events(["preview"]);
        const steps = touched(events);
        assert.deepEqual(
            steps.filter(step => !step.startsWith("update ")),
            [],
        );
        // ClusterRecord notes each change of a step.
        const types = steps.map(step => step.split(" ")[1]!).filter(type => type !== "ClusterRecord");
        return [...new Set(types)].sort();
    };

    const podsOfWeb = async () => {
        const { items } = JSON.parse(await fixture.kubectl("-n", "web", "get", "pods", "-o", "json"));
        return items
            .map(
                (pod: any) =>
                    `${pod.metadata.uid} ${pod.status.containerStatuses.map((each: any) => each.restartCount)}`,
            )
            .sort();
    };
    const allReady = (seconds = 60) =>
        fixture.kubectl("wait", "--for=condition=Ready", ...nodes.map(name => `node/${name}`), `--timeout=${seconds}s`);

    /** Changes the program, checks preview, runs `up`, checks the result. */
    const tryRow = async ({ change, check, touches, andOthers }: Row) => {
        const pods = await podsOfWeb();
        writer.since();
        change(args);
        await give();
        const seen = await preview();
        const expected = [...touches, "OperationStart"].sort();
        assert.deepEqual(andOthers ? seen.filter(each => expected.includes(each)) : seen, expected);
        await fixture.project.up();
        await check();
        await allReady();
        assert.deepEqual(await podsOfWeb(), pods, "pods go on");
        await fixture.project.up({ expectNoChanges: true });
        clientGoesOn();
    };

    const flag = (program: string, text: string, list = masters) =>
        onAll(list, `tr '\\0' '\\n' </proc/$(pgrep -o -x ${program})/cmdline | grep -qxe '${text}'`);
    const rows: Row[] = [
        {
            title: "a label",
            change: each => (each.pools.workers.labels.site = "north"),
            check: async () => {
                const { items } = JSON.parse(await fixture.kubectl("get", "nodes", "-l", "site=north", "-o", "json"));
                assert.deepEqual(items.map((node: any) => node.metadata.name).sort(), workers);
            },
            touches: ["Node"],
        },
        {
            title: "a flag of kubelet",
            change: each => (each.controlPlane.extraArgs = { kubelet: { v: "3" } }),
            check: async () => void (await flag("kubelet", "--v=3", nodes)),
            touches: ["Node"],
        },
        {
            title: "a flag of the API server",
            change: each => (each.controlPlane.extraArgs.apiServer = { "request-timeout": "70s" }),
            check: async () => void (await flag("kube-apiserver", "--request-timeout=70s")),
            touches: ["Node"],
        },
        {
            title: "a flag of etcd",
            change: each => (each.controlPlane.extraArgs.etcd = { "snapshot-count": "20000" }),
            check: async () => void (await flag("etcd", "--snapshot-count=20000")),
            touches: ["Node"],
        },
        {
            title: "the proxy",
            change: each => (each.proxy = { noProxy: ["late.example"] }),
            check: async () =>
                void (await onAll(nodes, 'grep -q "^NO_PROXY=\'.*late.example" /etc/pulumi-nfv/proxy.env')),
            touches: ["Host"],
        },
        {
            title: "the audit policy",
            change: each =>
                (each.controlPlane.audit = {
                    policy: "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None, users: [nobody]}, {level: Metadata}]\n",
                }),
            check: async () =>
                void (await onAll(
                    masters,
                    "grep -q nobody /etc/kubernetes/pulumi-nfv/kube-apiserver/audit-policy.yaml",
                )),
            touches: ["Node"],
        },
        {
            title: "names in the certificate",
            change: each => (each.controlPlane.certificateSans = ["api.late.example"]),
            check: async () => {
                for (const name of masters) {
                    const server = `--server=https://${fixture.lab.node(name).address}:6443`;
                    await fixture.kubectl(server, "--tls-server-name=api.late.example", "get", "--raw", "/readyz");
                }
            },
            touches: ["Node"],
        },
    ];
    for (const row of rows) it(`${row.title} changes in place`, () => tryRow(row));

    for (const program of ["apiServer", "scheduler", "kubelet"]) {
        it(`a flag that ${program} refuses stops at one node, which goes on with its former settings; taken out again, nothing of it is left`, async () => {
            writer.since();
            const bad = structuredClone(args);
            const flags = bad.controlPlane.extraArgs ?? {};
            bad.controlPlane.extraArgs = { ...flags, [program]: { ...flags[program], "no-such-flag": "1" } };
            await give(bad);
            const places = "/etc/kubernetes/manifests /var/lib/kubelet/kubeadm-flags.env";
            const marked = async () => {
                const found = await onAll(nodes, `grep -rl no-such-flag ${places} || true`);
                return nodes.filter((_, i) => found[i] !== "");
            };
            // the second time, too: what failed is not taken for done. A static pod that keeps ending is started ever more rarely.
            for (const _ of program === "kubelet" ? [1, 2] : [1]) {
                const { code, output } = await fixture.project.start(["up", "--yes", "--skip-preview"]).done;
                assert.notEqual(code, 0, output);
                assert.match(output, /the former (ones|settings) are back/);
                assert.deepEqual(await marked(), []);
            }
            await give();
            await fixture.project.up();
            assert.deepEqual(await marked(), []);
            const config = await fixture.kubectl(
                "-n",
                "kube-system",
                "get",
                "configmap",
                "kubeadm-config",
                "-o",
                "yaml",
            );
            assert.doesNotMatch(config, /no-such-flag/);
            // a kubelet whose API server was away asks it ever more rarely
            await allReady(180);
            await fixture.project.up({ expectNoChanges: true });
            clientGoesOn();
        });
    }

    it("a setting that kube-proxy refuses is tried by one pod; the others and their nodes stay as they are", async () => {
        writer.since();
        const pods = async () => {
            const fields = "{range .items[*]}{.spec.nodeName} {.metadata.uid}{'\\n'}{end}".replaceAll("'", '"');
            const get = ["-n", "kube-system", "get", "pods", "-l", "k8s-app=kube-proxy", "-o", `jsonpath=${fields}`];
            return (await fixture.kubectl(...get)).trim().split("\n").sort();
        };
        const before = await pods();
        const bad = structuredClone(args);
        bad.kubeProxy = { ...bad.kubeProxy, iptables: { masqueradeBit: 99 } };
        await give(bad);
        const { code, output } = await fixture.project.start(["up", "--yes", "--skip-preview"]).done;
        assert.notEqual(code, 0, output);
        assert.match(output, /kube-proxy does not work with its new settings[\s\S]*the former ones are back/);
        const stayed = (await pods()).filter(pod => before.includes(pod));
        assert.equal(stayed.length, before.length - 1, "one pod was replaced");
        await give();
        await fixture.project.up();
        await allReady(60);
        await fixture.project.up({ expectNoChanges: true });
        clientGoesOn();
    });

    const refusals: [title: string, change: (args: Args) => void, why: RegExp][] = [
        ["another name of the cluster", each => (each.clusterName = "other"), /clusterName cannot be changed/],
        [
            "another pod network",
            each => (each.network = { podCidr: "10.64.0.0/16" }),
            /network\.podCidr cannot be changed/,
        ],
        [
            "another endpoint together with the masters",
            each => {
                each.controlPlane.endpoint.vip.address = "10.99.0.109";
                each.controlPlane.count = 1;
            },
            /cannot be done in one run[\s\S]*1\. controlPlane\.endpoint; 2\. control-plane nodes \(m2, m3\)/,
        ],
        [
            "a port next to the present one",
            each => (each.controlPlane.endpoint.vip.port = 16444),
            /controlPlane\.endpoint cannot be changed like this[\s\S]*next to it/,
        ],
    ];
    for (const [title, change, why] of refusals) {
        it(`${title} is refused, and changes nothing`, async () => {
            const before = await traces();
            const changed = structuredClone(args);
            change(changed);
            await give(changed);
            for (const command of [["preview"], ["up", "--yes", "--skip-preview"]]) {
                const { code, output } = await fixture.project.start([...command, "--non-interactive"]).done;
                assert.notEqual(code, 0, output);
                assert.match(output.replace(/\s+/g, " "), why);
            }
            assert.deepEqual(await traces(), before);
            await give();
            // What was refused without a preview is in the record already: this run looks at the machines again, and does nothing there.
            await fixture.project.up();
            assert.deepEqual(await traces(), before);
            await fixture.project.up({ expectNoChanges: true });
            clientGoesOn();
        });
    }

    it("a virtual address that another machine has is refused on each node before it changes, and can be taken back", async () => {
        const taken = "10.99.0.120";
        const device = `$(ip -o address show to ${fixture.lab.node(balancer).address} | awk '{ print $2; exit }')`;
        const mac = (await ssh(balancer, `cat "/sys/class/net/${device}/address"`)).trim();
        await ssh(balancer, `ip address add ${taken}/24 dev "${device}"`);
        const before = await traces();
        const changed = structuredClone(args);
        changed.controlPlane.endpoint.vip.address = taken;
        await give(changed);
        const { code, output } = await fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"])
            .done;
        assert.notEqual(code, 0, output);
        assert.match(output, /ADDRESS_IN_USE/);
        assert.ok(output.replace(/\s+/g, " ").includes(`${mac} answers for ${taken} on `), output);
        assert.deepEqual(await traces(), before);
        await give();
        await fixture.project.up();
        await onlyAt(place, { host: taken, port: place.port });
        await allReady();
        await fixture.project.up({ expectNoChanges: true });
        await ssh(balancer, `ip address delete ${taken}/24 dev "${device}"`);
        clientGoesOn();
    });

    /** Files and processes that a change would touch. */
    const traces = () =>
        onAll(
            nodes,
            `find /etc/kubernetes /etc/haproxy /etc/keepalived /etc/pulumi-nfv -type f -exec sha256sum {} + | sort
             for each in kubelet kube-apiserver etcd haproxy keepalived; do pgrep -o -x $each || true; done`,
        );

    /** Everything that tells a node or a client the API's address. */
    const onlyAt = async (now: Place, former: Place) => {
        fs.rmSync(path.join(fixture.folder, "kubeconfig"));
        assert.equal(await fixture.project.output("endpoint"), url(now));
        await eventually(30, () => fixture.kubectl("get", "nodes"));
        for (const name of nodes) {
            const own = `https://${fixture.lab.node(name).address}:6443`;
            const said = await ssh(name, "sed -n 's/^ *server: *//p' /etc/kubernetes/*.conf | sort -u");
            const others = said
                .trim()
                .split("\n")
                .filter(each => each !== url(now) && each !== own);
            assert.deepEqual(others, [], name);
            assert.equal((await fixture.lab.ssh(name, "test -e /var/lib/pulumi-nfv/former-endpoints")).code, 1, name);
            assert.doesNotMatch(await ssh(name, "nft list tables"), /vrrp-former/);
            assert.doesNotMatch(await ssh(name, "cat /etc/hosts"), /former/);
        }
        for (const [namespace, map] of [
            ["kube-system", "kubeadm-config"],
            ["kube-system", "kube-proxy"],
            ["kube-public", "cluster-info"],
        ] as const) {
            const text = await fixture.kubectl("-n", namespace, "get", "configmap", map, "-o", "yaml");
            assert.ok(text.includes(`${now.host}:${now.port}`), `${map}\n${text}`);
            assert.ok(!text.includes(`${former.host}:${former.port}`), `${map}\n${text}`);
        }
        assert.doesNotMatch(await fixture.kubectl("get", "validatingadmissionpolicies", "-o", "name"), /former/);
        const holders = (address: string) =>
            Promise.all(masters.map(async name => (await ssh(name, `ip -o address show to ${address}`)).trim()));
        if (former.host !== now.host) assert.deepEqual((await holders(former.host)).filter(Boolean), []);
        if (former.port !== now.port) {
            const listening = await onAll(masters, `ss -Hltn 'sport = :${former.port}'`);
            assert.deepEqual(
                listening.filter(text => text.trim() !== "" && former.port !== 6443),
                [],
            );
        }
    };

    const endpointRow = (title: string, next: Place, endpoint: (place: Place) => object): Row & { next: Place } => ({
        title,
        next,
        change: each => {
            writer.know(url(place), url(next));
            each.controlPlane.endpoint = endpoint(next);
        },
        check: async () => {
            await onlyAt(next, place);
            writer.know(url(next));
            place = next;
        },
        touches: ["Host", "Node", "OperationEnd", "VimRegistration"],
        andOthers: true,
    });
    const atVip = ({ host, port }: Place) => ({ vip: { address: host, port } });
    const moves = [
        endpointRow("vip.address", { host: "10.99.0.101", port: 16443 }, atVip),
        endpointRow("vip.port", { host: "10.99.0.101", port: 17443 }, atVip),
        endpointRow("vip.address and vip.port at once", { host: "10.99.0.102", port: 18443 }, atVip),
    ];
    for (const row of moves) {
        it(`${row.title} changes: both are served until all nodes have moved, then the former one is gone`, () =>
            tryRow(row));
    }

    it("goes to somebody else's load balancer; ours is stopped", async () => {
        await ssh(balancer, balancerScript(masters.map(name => fixture.lab.node(name).address)));
        const next = { host: fixture.lab.node(balancer).address, port: 6443 };
        const row = endpointRow("external", next, ({ host, port }) => ({ external: { host, port } }));
        await tryRow(row);
        for (const name of masters) {
            for (const service of ["haproxy", "keepalived"]) {
                assert.notEqual(
                    (await fixture.lab.ssh(name, `systemctl -q is-active ${service}`)).code,
                    0,
                    `${service} on ${name}`,
                );
            }
        }
        for (const name of nodes) assert.doesNotMatch(await ssh(name, "nft list tables"), /pulumi-nfv-vrrp/);
    });

    it("comes back to a virtual address, killed three times on the way", async () => {
        const next = { host: vip, port: 16443 };
        const row = endpointRow("vip", next, atVip);
        const pods = await podsOfWeb();
        writer.since();
        row.change(args);
        await give();
        const moments = [
            /\d+\/\d+ configure keepalived/,
            /\d+\/\d+ apply control-plane settings/,
            /move the node to the endpoint \(w1/,
        ];
        for (const moment of moments) {
            assert.equal(await killedAt(moment), true, `killed at ${moment}`);
            await fixture.project.stack.cancel();
            await eventually(30, async () => {
                for (const server of [url(place), url(next)].slice(0, moment === moments.at(-1) ? 2 : 1)) {
                    await fixture.kubectl(`--server=${server}`, "--request-timeout=5s", "get", "nodes");
                }
            });
        }
        await fixture.project.up();
        await row.check();
        await allReady();
        assert.deepEqual(await podsOfWeb(), pods, "pods go on");
        await fixture.project.up({ expectNoChanges: true });
        clientGoesOn();
    });

    /** Runs `up` and kills all its processes when its progress matches. */
    const killedAt = async (moment: RegExp) => {
        let said = "";
        let killed = false;
        const run = fixture.project.start(["up", "--yes", "--skip-preview", "--json"], text => {
            said += text;
            if (killed || !moment.test(said)) return;
            killed = true;
            killTree(run.pid);
        });
        await run.done;
        return killed;
    };

    it("goes back to the former endpoint where the way to another one was killed in its middle", async () => {
        const former = { ...place };
        const next = { host: "10.99.0.104", port: 17443 };
        writer.since();
        endpointRow("vip", next, atVip).change(args);
        await give();
        assert.equal(await killedAt(/move the node to the endpoint \(w1/), true);
        await fixture.project.stack.cancel();
        args.controlPlane.endpoint = atVip(former);
        await give();
        await fixture.project.up();
        await onlyAt(former, next);
        writer.know(url(former));
        await allReady();
        await fixture.project.up({ expectNoChanges: true });
        clientGoesOn();
    });

    it("names a worker that is off, and goes on serving the former endpoint until it has moved, too", async () => {
        const next = { host: "10.99.0.103", port: 16443 };
        const row = endpointRow("vip", next, atVip);
        writer.since();
        await fixture.lab.powerOff("w2");
        row.change(args);
        await give();
        const { code, output } = await fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"])
            .done;
        assert.notEqual(code, 0, output);
        assert.match(output, /w2/);
        await fixture.kubectl(`--server=${url(place)}`, "get", "nodes");
        await fixture.lab.powerOn("w2");
        await eventually(120, () => fixture.kubectl("wait", "--for=condition=Ready", "node/w2", "--timeout=5s"));
        await fixture.project.up();
        await row.check();
        await allReady();
        clientGoesOn();
    });

    it("leaves nothing of any endpoint on the machines after `pulumi destroy`", async () => {
        writer.stop();
        await fixture.project.destroy();
        for (const name of nodes) {
            const left = await ssh(
                name,
                `nft list tables | grep pulumi || true; pgrep -l 'haproxy|keepalived' || true
                 ls -d /etc/pulumi-nfv /var/lib/pulumi-nfv/former-endpoints 2>/dev/null || true; grep pulumi /etc/hosts || true`,
            );
            assert.equal(left.trim(), "", name);
        }
    });
});

/** "update Host": what a preview would do, without the component resources. */
function touched(events: EngineEvent[]): string[] {
    return events
        .flatMap(event => event.resourcePreEvent?.metadata ?? [])
        .filter(({ op }) => !["same", "refresh", "read"].includes(op))
        .map(({ op, type }) => `${op} ${type.split(":").at(-1)}`);
}

/** HAProxy on a machine of its own, in front of the API servers. */
function balancerScript(addresses: string[]): string {
    const servers = addresses
        .map((address, i) => `    server s${i} ${address}:6443 check inter 1s fall 2 rise 1`)
        .join("\n");
    const config = `defaults
    mode tcp
    timeout connect 1s
    timeout client 1h
    timeout server 1h
    option redispatch
    retries 3
frontend api
    bind *:6443
    default_backend api
backend api
    balance roundrobin
${servers}
`;
    return `cat >/etc/haproxy/haproxy.cfg <<'END'\n${config}END\nsystemctl restart haproxy && systemctl -q is-active haproxy`;
}
