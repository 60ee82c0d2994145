import { strict as assert } from "node:assert";
import type { KubernetesClusterArgs } from "../../components/args/args";
import { asStory } from "../support/story";
import { canaries, clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { observed, stepsOf } from "./observed-steps";

const masters = ["m1", "m2", "m3"];
const workers = ["w1", "w2"];

/** What the stories life-of-*.test.ts have no time for. */
describe("a cluster of three masters and two workers", function () {
    this.timeout("15m");
    asStory(this);
    let fixture: Fixture;
    let args: KubernetesClusterArgs;

    before(async () => {
        fixture = await openFixture({ name: "e2e", nodes: [...masters, ...workers] });
        const given = { ...clusterArguments(fixture.lab, { masters, workers }), proxy: {} };
        args = given as unknown as KubernetesClusterArgs;
        const secrets = { privateKey: fixture.lab.node("m1").privateKey, ...canaries };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
    });
    after(() => fixture?.close());

    it("stands, and needs nothing after a refresh", async () => {
        await fixture.project.up();
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    const settings = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "1" } });
    const functions = (cnfs: object) => fixture.project.setConfig({ cnfs: JSON.stringify(cnfs) });

    it("loses nothing of the other when one of two network functions in a namespace leaves that made it", async () => {
        const binding = (role: string) => ({
            ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", metadata: { name: "two" } },
            roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
            subjects: [{ kind: "ServiceAccount", name: "default", namespace: "shared" }],
        });
        const two = { two: { namespace: "shared", objects: [settings("two"), binding("view")] } };
        await functions({ one: { namespace: "shared", objects: [settings("one")] } });
        await fixture.project.up();
        await functions({ one: { namespace: "shared", objects: [settings("one")] }, ...two });
        await fixture.project.up();
        await functions(two);
        assert.match(await fixture.project.up(), /namespace shared stays: ConfigMap\/two.* would go with it/);
        assert.match(await fixture.kubectl("-n", "shared", "get", "configmaps", "-o", "name"), /configmap\/two\n/);
        const uid = () => fixture.kubectl("-n", "shared", "get", "configmap", "two", "-o", "jsonpath={.metadata.uid}");
        const before = await uid();
        const { resources } = JSON.parse(await fixture.project.exportStack()).deployment as {
            resources: { urn: string }[];
        };
        const { urn } = resources.find(each => each.urn.endsWith("v1:ConfigMap::two/ConfigMap/shared/two"))!;
        const replace = ["up", "--yes", "--skip-preview", "--non-interactive", "--replace", urn];
        const { code, output } = await fixture.project.start(replace).done;
        assert.notEqual(code, 0, output);
        assert.match(output, /ConfigMap two: INVALID_INPUT/);
        await fixture.project.up({ expectNoChanges: true });
        assert.equal(await uid(), before, "what --replace names is not deleted");
        // The API refuses a change of this field, so the plugin itself deletes the object and makes it again.
        const edited = { ...two.two, objects: [settings("two"), binding("edit")] };
        await functions({ two: edited });
        // The plugin's own preview fails: it tries the change in a dry run, on the existing object.
        await fixture.project.up();
        const role = ["get", "rolebinding", "two", "-o", "jsonpath={.roleRef.name}"];
        assert.equal(await fixture.kubectl("-n", "shared", ...role), "edit");
        await functions({ renamed: { ...edited, aliases: [{ name: "two" }] } });
        await fixture.project.up();
        assert.equal(await uid(), before, "another name with an alias touches nothing");
        await functions({});
        await fixture.project.up();
    });

    it("is observed step by step, one round trip a machine: nothing differs; then exactly what somebody changed", async () => {
        const steps = await stepsOf(fixture, args);
        const places = [...[...masters, ...workers].map(name => [name, name]), ["cluster", "m1"]] as [string, string][];
        const differences = async () => {
            const found: string[] = [];
            for (const [place, on] of places) {
                for (const [id, seen] of Object.entries(await observed(fixture, steps, place, on))) {
                    if (seen.state === "differs") found.push(`${place} ${id}: ${seen.lines.join("; ")}`);
                    if (seen.state === "unknown")
                        assert.match(seen.why, /^it looks at other machines/, `${place} ${id}`);
                }
            }
            return found;
        };
        for (const [name, journal] of await Promise.all(
            [...masters, ...workers].map(async name => [
                name,
                await fixture.lab.mustSsh(name, "cd /var/lib/pulumi-nfv/journal && grep -H . *"),
            ]),
        )) {
            const done = new Set(journal!.split("\n").map(line => line.replace(/^([^:]+):(\S+).*/, "$1 $2")));
            for (const { id, fingerprint } of steps[name!]!)
                assert.ok(done.has(`${id} ${fingerprint}`), `${name}: the steps are those of the run: ${id}`);
        }
        assert.deepEqual(await differences(), []);
        const change = async (m2: string, w1: string, label: string, action: string) => {
            const patch = JSON.stringify({ spec: { validationActions: [action] } });
            const binding = ["validatingadmissionpolicybinding", "pulumi-nfv-virtual-address"];
            // The virtual address may still be on its way from or to m2.
            await eventually(30, () => fixture.kubectl("label", "node", "w2", "--overwrite", label));
            await eventually(30, () => fixture.kubectl("patch", ...binding, "--type=merge", "-p", patch));
            await fixture.lab.mustSsh("m2", m2);
            await fixture.lab.mustSsh("w1", w1);
        };
        const config = "/etc/containerd/config.toml";
        const hosts = "/etc/hosts /root/hosts-before";
        await change(
            `systemctl stop haproxy; echo '# x' >>${config}`,
            `cp ${hosts}; sysctl -q net.ipv4.ip_forward=0; sed -i '/ w1$/d' /etc/hosts; chmod 644 /etc/pulumi-nfv/proxy.env`,
            "tier-",
            "Audit",
        );
        const found = await differences();
        await change(
            `systemctl start haproxy; sed -i '$d' ${config}`,
            "cat /root/hosts-before >/etc/hosts; sysctl -q net.ipv4.ip_forward=1; chmod 600 /etc/pulumi-nfv/proxy.env",
            "tier=packet-core",
            "Deny",
        );
        const policy = "admissionregistration.k8s.io.v1.ValidatingAdmissionPolicyBinding..pulumi-nfv-virtual-address";
        assert.deepEqual(found, [
            "m2 host.container-runtime-config: /etc/containerd/config.toml has changed",
            "m2 host.haproxy: haproxy.service does not run",
            "w1 host.hosts-file: our lines in /etc/hosts have changed",
            "w1 host.sysctls: net.ipv4.ip_forward is 0, it was set to 1",
            "w1 host.proxy: /etc/pulumi-nfv/proxy.env is 644 root:root, it was made 600 root:root",
            'w2 node.labels: the node does not have "tier":"packet-core"',
            `cluster cluster.virtual-address: ${policy} is not as we applied it`,
        ]);
        assert.deepEqual(await differences(), []);
    });

    it("is gone after `pulumi destroy`", async () => {
        await fixture.project.destroy();
    });
});
