import { strict as assert } from "node:assert";
import * as path from "node:path";
import { projectRoot } from "../../dev/levels";
import { run } from "../../lab/process";
import { serverCertificate } from "../support/server-certificate";
import { asStory } from "../support/story";
import { createIdentity } from "../unit/provider/identity/made-identity";
import { canaries, clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { type ManualChange, manualChanges } from "./manual-changes";

const nodes = ["m1", "w1", "w2"];

/** Place → title → lines of difference, as the state has them. */
type Found = Record<string, Record<string, string[]>>;

/** Real kubeadm nodes: what a person changes by hand is found by a refresh, named by its step, and put back by `up`. */
describe("a cluster that people change by hand", function () {
    this.timeout("25m");
    asStory(this);
    let fixture: Fixture;
    let trusted: string;
    let untouched: Record<string, string>;

    const give = (change: object = {}) => {
        const args = {
            ...clusterArguments(fixture.lab, { masters: ["m1"], workers: ["w1", "w2"] }),
            proxy: {},
            trustedCertificates: [trusted],
            ...change,
        };
        const secrets = { privateKey: fixture.lab.node("m1").privateKey, ...canaries };
        return fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
    };
    const pulumi = async (...argv: string[]) => (await fixture.project.start(argv).done).output;
    const refresh = () => pulumi("refresh", "--yes", "--skip-preview");
    const found = async (): Promise<Found> => {
        const { resources } = JSON.parse(await fixture.project.exportStack()).deployment;
        const places: Found = {};
        for (const { urn, outputs = {} } of resources) {
            const [, type, name] = /:dynamic\/nfv:(\w+)::core-?(.*)$/.exec(urn) ?? [];
            if (type === undefined || outputs.drift === undefined) continue;
            const place = type === "ClusterNetwork" ? "cluster" : name!;
            for (const { title, lines } of Object.values<any>(outputs.drift))
                places[place] = { ...places[place], [title]: lines };
        }
        return places;
    };
    const change = async ({ on, by }: ManualChange) => {
        if (typeof by === "string") await fixture.lab.mustSsh(on, by);
        else await fixture.kubectl(...by);
    };
    /** Of kubectl's changes the node is the one that is named. */
    const isFound = (all: Found, { on, title, line }: ManualChange) =>
        (all[on]?.[title] ?? []).some(each => line.test(each));
    const apiAnswers = () => eventually(240, () => fixture.kubectl("get", "--raw", "/readyz"));
    /** What the changes touch, looked at without our observations. */
    const footprint = async () => {
        const look = `
            for file in /etc/sysctl.d/90-pulumi-nfv.conf /etc/modules-load.d/pulumi-nfv.conf /etc/hosts /etc/hostname /etc/containerd/config.toml /opt/cni/bin/vlan \\
                /etc/containerd/certs.d/registry.example/hosts.toml /usr/local/share/ca-certificates/pulumi-nfv-1.crt /etc/pulumi-nfv/proxy.env /etc/haproxy/haproxy.cfg \\
                /etc/keepalived/keepalived.conf /usr/local/lib/pulumi-nfv/check-haproxy /etc/kubernetes/manifests/*.yaml /etc/kubernetes/pulumi-nfv/*.yaml \\
                /etc/kubernetes/pulumi-nfv/*/* /etc/kubernetes/pki/*ca.* /var/lib/kubelet/config.yaml /var/lib/kubelet/kubeadm-flags.env; do
                [ -e "$file" ] && echo "$file $(stat -c %a "$file") $(sha256sum < "$file")" || echo "no $file"
            done
            hostname; sysctl net.bridge.bridge-nf-call-ip6tables net.ipv4.ip_forward
            grep -v '^#' /etc/fstab | grep swap
            systemctl is-enabled containerd kubelet haproxy keepalived pulumi-nfv-virtual-address 2>&1
            nft list tables | grep pulumi`;
        const seen: Record<string, string> = {};
        for (const node of nodes) seen[node] = (await fixture.lab.ssh(node, look)).stdout;
        for (const kind of ["nodes", "daemonsets", "deployments", "configmaps", "services", "clusterrolebindings"]) {
            const { items } = JSON.parse(await fixture.kubectl("get", kind, "-n", "kube-system", "-o", "json"));
            const kept = items.filter(
                ({ metadata }: any) => !/^(pulumi-nfv-kube-proxy|kube-root-ca|extension-)/.test(metadata.name),
            );
            const parts = kept.map(({ metadata: { name, labels }, spec, data, subjects }: any) => ({
                name,
                labels,
                spec,
                data,
                subjects,
            }));
            seen[kind] = JSON.stringify(parts, undefined, 1);
        }
        return seen;
    };

    before(async () => {
        const { caCertificate, caKey } = await createIdentity({ clusterName: "site" });
        trusted = (await serverCertificate({ certificate: caCertificate, key: caKey })).certificate;
        fixture = await openFixture({ name: "drift", nodes });
        await give();
    });
    after(() => fixture?.close());

    it("has none right after it was made, nor in a later refresh", async () => {
        await fixture.project.up();
        const said = await refresh();
        assert.doesNotMatch(said, /changed since/);
        assert.deepEqual(await found(), {});
        await fixture.project.up({ expectNoChanges: true });
        untouched = await footprint();
    });

    it(`shows ${manualChanges.length} changes by the titles of their steps, with what differs, and no secret`, async () => {
        // the API restarts by those on the machines
        const byKubectl = manualChanges.filter(({ by }) => Array.isArray(by));
        for (const each of byKubectl) await eventually(60, () => change(each));
        for (const each of manualChanges.filter(other => !byKubectl.includes(other))) await change(each);
        await apiAnswers();
        let said = "";
        let all: Found = {};
        let missed: readonly ManualChange[] = manualChanges;
        // what cannot be asked while the API restarts is not known
        await eventually(120, async () => {
            said = await refresh();
            all = await found();
            missed = manualChanges.filter(each => !isFound(all, each));
            if (missed.length > 0) throw new Error("not all were found");
        }).catch(() => {});
        assert.deepEqual(
            missed.map(({ on, by, title }) => [on, title, by]),
            [],
            JSON.stringify(all, undefined, 1),
        );
        for (const secret of Object.values(canaries)) assert.ok(!said.includes(secret));
        assert.match(
            said,
            /w1: changed since the last pulumi up, and the next one puts it back: .*set kernel parameters \(net\.bridge/,
        );
    });

    it("tells `nfv check`, too, which changes nothing", async () => {
        const { output } = await fixture.project.start(["stack", "export", "--show-secrets"]).done;
        const nfv = ["node", path.join(projectRoot, "dist/tools/nfv.js"), "check", "--json", "--state", "-"];
        // The machines are reached from the lab alone.
        const { stdout, code } = await run(fixture.lab.enter(nfv), { stdin: output, anyExit: true });
        const drift = JSON.parse(stdout).found.filter((each: any) => each.code === "drift");
        assert.ok(drift.length >= 20 && drift.every((each: any) => each.up === "puts it back"), stdout);
        assert.ok([21, 22].includes(code), stdout);
    });

    it("says at preview what `up` puts back, and what that interrupts", async () => {
        const text = await fixture.project.preview("--diff");
        assert.match(
            text,
            /put back what was changed: .*configure the container runtime \(.*\[interrupts: containerd restarts/,
        );
        assert.match(text, /apply control-plane settings \(.*\[interrupts: those static pods/);
        assert.match(text, /cluster: still to do: put back what was changed: .*apply kube-proxy/);
    });

    it("puts all of them back in one `up`; a second refresh finds nothing", async () => {
        await fixture.project.up();
        await fixture.project.up({ expectNoChanges: true });
        await apiAnswers();
        await refresh();
        assert.deepEqual(await found(), {});
        await fixture.project.up({ expectNoChanges: true });
        await eventually(60, async () => assert.deepEqual(await footprint(), untouched));
    });

    it("leaves what the program accepts by name, says so, and puts it back when it is accepted no more", async () => {
        await fixture.lab.mustSsh("w1", "sysctl -qw net.ipv4.ip_forward=0");
        await fixture.lab.mustSsh("w2", "echo '# by hand' >> /etc/containerd/config.toml");
        await give({ acceptDrift: ["w1: set kernel parameters", "configure the container runtime"] });
        await refresh();
        await fixture.project.up();
        const said = await refresh();
        assert.match(said, /w1: changed, and accepted \(acceptDrift\): set kernel parameters/);
        assert.doesNotMatch(said, /changed since/);
        await fixture.project.up({ expectNoChanges: true });
        assert.match(await fixture.lab.mustSsh("w1", "sysctl net.ipv4.ip_forward"), /= 0/);
        await give();
        await fixture.project.up();
        assert.match(await fixture.lab.mustSsh("w1", "sysctl net.ipv4.ip_forward"), /= 1/);
        await refresh();
        assert.deepEqual(await found(), {});
    });

    it("starts a stopped load balancer again, and has no drift after it lost a worker and got it back", async () => {
        await fixture.lab.mustSsh("m1", "systemctl stop haproxy keepalived");
        await refresh();
        const all = await found();
        assert.deepEqual(Object.keys(all["m1"] ?? {}), ["configure HAProxy", "configure keepalived"]);
        await fixture.project.up();
        const without = clusterArguments(fixture.lab, { masters: ["m1"], workers: ["w1"] });
        await give({ infrastructure: without["infrastructure"] });
        await fixture.project.up();
        await give();
        await fixture.project.up();
        await refresh();
        assert.deepEqual(await found(), {});
    });
});
