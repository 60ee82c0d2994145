import { strict as assert } from "node:assert";
import { type SimulatedCluster, simulatedCluster } from "../../../bench/simulation/simulated-cluster";
import { newKeyPair } from "../../../testing/keys";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt, UserProject } from "../../support/user-project";

type Pools = Record<string, Record<string, { address: string }>>;

interface Args {
    infrastructure: { hosts: { ssh: { privateKey: string }; controlPlane: Record<string, object>; pools: Pools } };
}

const copyOf = (args: object) => structuredClone(args) as Args;

/** Real engine and SSH; the machines are simulated. */
describe("a cluster that lives", function () {
    this.timeout("8m");
    asStory(this);
    let cluster: SimulatedCluster;
    let project: UserProject;
    const masters = ["m1", "m2", "m3"];

    before(async function () {
        skipIf(this, notBuilt());
        cluster = await simulatedCluster(3, 1, () => 0.01);
        project = await UserProject.make("living", "test/integration/components/named-program.js");
        project.give({ name: "core", args: cluster.args });
        await project.pulumi.up();
    });

    after(async () => {
        await cluster?.stop();
        project?.remove();
    });

    const up = async (...options: string[]) => {
        const { code, output } = await project.pulumi.start([
            ...["up", "--yes", "--skip-preview", "--non-interactive"],
            ...options,
        ]).done;
        return { code, output: output.replace(/\s+/g, " ") };
    };
    const urns = async () => {
        const { deployment } = JSON.parse(await project.pulumi.exportStack());
        return (deployment.resources as { urn: string }[]).map(({ urn }) => urn);
    };
    const machinesOf = async (name: string) =>
        (await urns()).filter(urn => /nfv:(Host|Node)::/.test(urn) && urn.includes(`::${name}-`)).sort();
    const resets = () =>
        cluster.fleet.events.filter(({ step = "" }) => /^(node\.(leave|reset|drain)|host\.reset)/.test(step)).length;

    it("stays whole where a renaming without alias fails, also with --continue-on-error", async () => {
        const before = await machinesOf("core");
        assert.equal(before.length, 8);
        const wrong = copyOf(cluster.args);
        wrong.infrastructure.hosts.ssh.privateKey = newKeyPair().private;
        for (const args of [cluster.args, wrong]) {
            project.give({ name: "core2", args });
            const { code, output } = await up("--continue-on-error");
            assert.notEqual(code, 0, output);
            assert.match(output, /FOREIGN_NODE|AUTHENTICATION_FAILED/);
            assert.deepEqual(await machinesOf("core"), before);
            assert.equal(resets(), 0);
        }
        project.give({ name: "core", args: cluster.args });
        await project.pulumi.up();
        assert.deepEqual(await machinesOf("core"), before);
        assert.deepEqual(await machinesOf("core2"), []);
    });

    it("keeps the node of a machine that a run would replace alone (--target)", async () => {
        const urnOf = async (type: string) => (await urns()).find(urn => urn.endsWith(`nfv:${type}::core-w1`))!;
        const { agent } = cluster.fleet.node("w1");
        const moved = copyOf(cluster.args);
        moved.infrastructure.hosts.pools["workers"]!["w1"]!.address = "10.99.1.99";
        for (const [option, args] of [
            ["--target-replace", cluster.args],
            ["--target", moved],
        ] as const) {
            project.give({ name: "core", args });
            const { code, output } = await up(option, await urnOf("Host"));
            assert.notEqual(code, 0, output);
            assert.match(output, /w1: leave: INVALID_INPUT .* would leave the cluster and not come back/);
            assert.equal(resets(), 0);
            assert.ok(agent.journal["cluster.join"]);
        }
        project.give({ name: "core", args: cluster.args });
        // The Node alone is left out: that is not known before it leaves, and a whole run brings it back.
        const { code, output } = await up("--replace", await urnOf("Host"), "--exclude", await urnOf("Node"));
        assert.notEqual(code, 0, output);
        assert.match(output, /was not checked in this run.*Run pulumi up without --target and --exclude/);
        await project.pulumi.up();
        assert.ok(agent.journal["cluster.join"]);
        assert.equal((await machinesOf("core")).length, 8);
    });

    it("keeps its nodes where one Host goes with all that depends on it (destroy --target-dependents)", async () => {
        const urn = (await urns()).find(each => each.endsWith("nfv:Host::core-m3"))!;
        const before = resets();
        // Again, as a pipeline does that repeats what failed.
        for (const _ of [1, 2]) {
            const { code, output } = await project.pulumi.start([
                ...["destroy", "--yes", "--skip-preview", "--non-interactive", "--target", urn, "--target-dependents"],
            ]).done;
            assert.notEqual(code, 0, output);
            assert.match(output.replace(/\s+/g, " "), /INVALID_INPUT .* deletes only a part of core-\w+ .* pulumi up/);
            assert.equal(resets(), before);
        }
        await project.pulumi.up();
        assert.equal((await machinesOf("core")).length, 8);
        for (const name of [...masters, "w1"]) assert.ok(cluster.fleet.node(name).agent.journal["cluster.join"], name);
    });

    it("gets another name by an alias, and the former one again, without any change", async () => {
        const kept = { ...copyOf(cluster.args), clusterName: "core" };
        const before = resets();
        for (const [name, alias] of [
            ["site", "core"],
            ["core", "site"],
        ] as const) {
            project.give({ name, args: kept, alias });
            await project.pulumi.up();
            assert.equal((await machinesOf(name)).length, 8);
            assert.equal(resets(), before);
            // What a deletion compares: see held-elsewhere.ts.
            const noted = [...(await project.pulumi.exportStack()).matchAll(/nfv:(?:Host|Node)::(\w+)-\w+\\"/g)];
            assert.deepEqual([...new Set(noted.map(([, cluster]) => cluster))], [name]);
        }
        project.give({ name: "core", args: cluster.args });
    });

    it("keeps its id and its keys, which nothing replaces (--replace)", async () => {
        for (const [type, command, why] of [
            ["ClusterId", ["preview"], "it holds the cluster's id"],
            ["ClusterKeys", ["up", "--yes", "--skip-preview"], "it holds the cluster's keys"],
        ] as const) {
            const urn = (await urns()).find(each => each.endsWith(`nfv:${type}::core`))!;
            const run = [...command, "--non-interactive", "--replace", urn];
            const { code, output } = await project.pulumi.start(run).done;
            assert.notEqual(code, 0, output);
            assert.ok(output.replace(/\s+/g, " ").includes(why), output);
        }
        await project.pulumi.up({ expectNoChanges: true });
    });

    it("gets no second one beside it in a run that leaves out who knows its masters (--target)", async () => {
        const lost = (await urns()).filter(urn => /nfv:(Host|Node)::core-m1$/.test(urn));
        for (const urn of [...lost].reverse()) {
            const { code, output } = await project.pulumi.start([
                ...["state", "delete", urn, "--yes", "--force", "--target-dependents"],
            ]).done;
            if (code !== 0) assert.match(output, /No such resource/);
        }
        const { agent } = cluster.fleet.node("m1");
        for (const step of Object.keys(agent.journal)) delete agent.journal[step];
        agent.belongsTo = undefined;
        const only = copyOf(cluster.args);
        only.infrastructure.hosts.controlPlane = { m1: only.infrastructure.hosts.controlPlane["m1"]! };
        project.give({ name: "core", args: only });
        const { code, output } = await up(...lost.flatMap(urn => ["--target", urn]));
        assert.notEqual(code, 0, output);
        assert.match(output, /would begin a second one/);
        assert.equal(agent.journal["cluster.join"], undefined);
        const whole = await up();
        assert.notEqual(whole.code, 0, whole.output);
        assert.match(whole.output, /the cluster is on m2, m3, which the program takes out/);
        for (const name of masters.slice(1)) assert.ok(cluster.fleet.node(name).agent.journal["cluster.join"], name);
    });
});
