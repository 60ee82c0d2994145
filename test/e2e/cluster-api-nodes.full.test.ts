import { strict as assert } from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { asManifest, labTopology, labWorkload } from "../../dev/lab-workload";
import { substitute } from "../../provider/cluster-api/variables";
import { asStory } from "../support/story";
import { eventually, type Fixture } from "./cluster-fixture";

import { WorkloadOnNodes } from "./workload-on-nodes";

const workersOnly = "!cluster.x-k8s.io/control-plane";

/** One program, four layers on one machine: a cluster, Cluster API on it, a workload cluster whose machines are nodes of the lab, a network function. */
describe("Cluster API with nodes of the lab", function () {
    this.timeout("25m");
    asStory(this);
    let site: WorkloadOnNodes;
    let fixture: Fixture;

    /** All that the management cluster has of a workload cluster. */
    const remains = async (cluster: string) => {
        const kinds = (await fixture.kubectl("api-resources", "--categories=cluster-api", "-o", "name"))
            .trim()
            .split("\n");
        const all = ["secrets", "configmaps", ...kinds.filter(kind => !kind.startsWith("providers."))].join(",");
        return (await site.names(all)).filter(name => name.split("/")[1]!.startsWith(cluster));
    };

    before(async () => {
        site = await WorkloadOnNodes.open("capinodes");
        fixture = site.fixture;
    });
    after(() => site?.close());

    it("makes all four layers in one `up`: the function answers on the workload cluster", async () => {
        await site.give();
        await fixture.project.up();
        await site.settled(1);
        await site.answers();
    });

    it("changes nothing when `up` runs again, and after a refresh", async () => {
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("says that it adds a machine and changes nothing of what uses the cluster, does it, and takes it away again", async () => {
        await site.give({ workers: 2 });
        const preview = await fixture.project.preview();
        assert.match(preview, /site: pool md: 1 machine will be added/);
        assert.doesNotMatch(preview, /replace|VimRegistration site |CnfObjects web /);
        await fixture.project.up();
        await site.settled(2);
        await site.give();
        assert.match(await fixture.project.preview(), /site: pool md: 1 machine will be removed/);
        await fixture.project.up();
        await site.settled(1);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("replaces a machine whose node was powered off", async () => {
        const [lost] = await site.workers();
        await fixture.lab.powerOff(lost!.name);
        await eventually(300, async () => {
            const now = await site.names("machines", "-l", workersOnly);
            assert.deepEqual([now.length, now.includes(`machine.cluster.x-k8s.io/${lost!.name}`)], [1, false]);
            const ready = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}';
            assert.equal(await fixture.kubectl("get", now[0]!, "-o", ready), "True");
        });
        // The outputs follow.
        await fixture.project.up({ refresh: true });
        await site.settled(1);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("converges when the controllers are killed in the middle of a scale", async () => {
        await site.give({ workers: 2 });
        const { done } = site.start();
        await eventually(60, async () => assert.equal((await site.names("machines", "-l", workersOnly)).length, 2));
        for (const namespace of ["capi-system", "capi-kubeadm-bootstrap-system", "capi-kubeadm-control-plane-system"]) {
            await fixture.kubectl("-n", namespace, "delete", "pods", "--all", "--grace-period=0", "--force");
        }
        const { code, output } = await done;
        assert.equal(code, 0, output);
        await site.settled(2);
        await site.give();
        await fixture.project.up();
        await site.settled(1);
    });

    it("converges when the management cluster's node loses power in the middle of a scale", async () => {
        await site.give({ workers: 2 });
        const { done } = site.start();
        await eventually(60, async () => assert.equal((await site.names("machines", "-l", workersOnly)).length, 2));
        await fixture.lab.powerOff("m1");
        await new Promise(resolve => setTimeout(resolve, 10_000));
        await fixture.lab.powerOn("m1");
        const { code } = await done;
        console.log(`        the interrupted up ended with ${code}`);
        await fixture.project.up();
        await site.settled(2);
        await site.give();
        await fixture.project.up();
        await site.settled(1);
    });

    it("replaces the control plane and the workers when their templates change", async () => {
        const before = (await site.machines()).map(({ name }) => name);
        await site.give({ site: { release: 2 } });
        const preview = await fixture.project.preview();
        assert.match(preview, /site: control plane: 1 machine will be replaced, one after the other: other servers/);
        assert.match(preview, /site: pool md: 1 machine will be replaced/);
        await fixture.project.up();
        await site.settled(1);
        for (const { name } of await site.machines()) assert.equal(before.includes(name), false, name);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("takes over a Cluster that kubectl has applied, without a change of its machines", async () => {
        const text = substitute(asManifest(labWorkload("other")), { WORKERS: "0" }, "other");
        const file = join(fixture.folder, "other.yaml");
        writeFileSync(file, text);
        await fixture.kubectl("apply", "--server-side", "-f", file);
        const available = 'jsonpath={.status.conditions[?(@.type=="Available")].status}';
        await eventually(400, async () =>
            assert.equal(await fixture.kubectl("get", "cluster", "other", "-o", available), "True"),
        );
        const before = await site.names("machines", "-l", "cluster.x-k8s.io/cluster-name=other");
        const others = { other: { manifests: [asManifest(labWorkload("other"))], variables: { WORKERS: "0" } } };
        await site.give({ site: { release: 2 }, others });
        const refused = await site.start().done;
        assert.notEqual(refused.code, 0);
        assert.match(refused.output, /NOT_OURS/);
        const said = refused.output.match(/kubectl .* annotate \S+ \S+ \S*hand-over-to=\S+/g) ?? [];
        const commands = [...new Set(said)];
        assert.equal(commands.length, labWorkload("other").length, refused.output);
        for (const each of commands) await fixture.kubectl(...each.split(" ").slice(1));
        await fixture.project.up();
        assert.deepEqual(await site.names("machines", "-l", "cluster.x-k8s.io/cluster-name=other"), before);
        await fixture.project.up({ expectNoChanges: true });
        await site.give({ site: { release: 2 } });
        await fixture.project.up();
        assert.deepEqual(await remains("other"), []);
        await site.settled(1);
    });

    it("makes a cluster of a class", async () => {
        const others = { classy: { manifests: [asManifest(labTopology("classy"))], timeoutSeconds: 900 } };
        await site.give({ site: { release: 2 }, others });
        await fixture.project.up();
        assert.equal((await site.machines("classy")).filter(({ ready }) => ready).length, 2);
        await fixture.project.up({ expectNoChanges: true });
        await site.give({ site: { release: 2 } });
        await fixture.project.up();
        assert.deepEqual(await remains("classy"), []);
        await site.settled(1);
    });

    it("leaves no machine after `pulumi destroy`", async () => {
        await site.give({ site: { release: 2 } });
        await fixture.project.destroy();
        assert.deepEqual(site.nodes(), ["m1"]);
        assert.deepEqual(JSON.parse(await fixture.project.exportStack()).deployment.resources ?? [], []);
    });
});
