import { strict as assert } from "node:assert";
import { type SimulatedCluster, simulatedCluster } from "../../../bench/simulation/simulated-cluster";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt, UserProject } from "../../support/user-project";

type Args = any;

/** Real engine and dynamic resources, simulated machines. */
describe("inputs that a cluster keeps", function () {
    asStory(this);
    let cluster: SimulatedCluster;
    let project: UserProject;
    let args: Args;

    before(async function () {
        skipIf(this, notBuilt());
        cluster = await simulatedCluster(1, 1, () => 0);
        project = await UserProject.make("kept", "test/integration/components/cluster-program.js");
        const controlPlane = cluster.args["controlPlane"] as object;
        args = { ...cluster.args, controlPlane: { ...controlPlane, encryptionAtRest: { enabled: false } } };
        project.give(args);
        await project.pulumi.up();
        // This change is allowed, and later changes are compared with the new value.
        args = cluster.args;
        project.give(args);
        await project.pulumi.up();
    });

    after(async () => {
        await cluster?.stop();
        project?.remove();
    });

    /** The error of an operation with the changed arguments; it must fail before any step begins. */
    async function refused(change: (changed: Args) => void, command: string[]): Promise<string> {
        const changed = structuredClone(args);
        change(changed);
        project.give(changed);
        const before = cluster.fleet.begun().length;
        const { code, output } = await project.pulumi.start([...command, "--non-interactive"]).done;
        assert.notEqual(code, 0, output);
        assert.deepEqual(cluster.fleet.begun().slice(before), []);
        return output.replace(/\s+/g, " ");
    }

    const all = (changed: Args) => {
        changed.clusterName = "other";
        changed.network = {
            podCidr: "10.64.0.0/16",
            serviceCidr: "10.65.0.0/16",
            dnsDomain: "other.local",
            cni: "none",
        };
        changed.controlPlane = { ...changed.controlPlane, encryptionAtRest: { enabled: false } };
    };
    const expected = [
        /clusterName cannot be changed: this cluster has "core", "other" is asked for/,
        /network\.podCidr cannot be changed: this cluster has "10\.244\.0\.0\/16", "10\.64\.0\.0\/16" is asked for/,
        /network\.serviceCidr cannot be changed: .* Set it back to "10\.96\.0\.0\/16"/,
        /network\.dnsDomain cannot be changed: this cluster has "cluster\.local", "other\.local" is asked for/,
        /network\.cni cannot be changed: this cluster has "bridge", "none" is asked for/,
        /controlPlane\.encryptionAtRest\.enabled cannot be changed: this cluster has "true", "false" is asked for/,
    ];

    // Few runs of the engine, each with many changes: test/unit/provider/contract/fixed-inputs.test.ts tests row by row.
    it("preview refuses all changes of them at once, with the old value, the new one and what to do", async () => {
        const output = await refused(all, ["preview"]);
        for (const text of expected) assert.match(output, text);
        assert.match(output, /make a second KubernetesCluster beside this one/);
        assert.doesNotMatch(output, /\bat .*\.js:\d+/, "no stack trace");
    });

    it("up that leaves the checks out by --target or --exclude carries out none of them", async () => {
        const state = JSON.parse(await project.pulumi.exportStack());
        const urnOf = (end: string) =>
            (state.deployment.resources as { urn: string }[]).find(({ urn }) => urn.endsWith(end))!.urn;
        const change = (changed: Args) => {
            changed.network = { podCidr: "10.64.0.0/16" };
        };
        const acting = ["--target", urnOf("nfv:Node::core-m1")];
        const checks = ["ClusterId", "OperationStart"].flatMap(type => ["--exclude", urnOf(`nfv:${type}::core`)]);
        for (const only of [acting, checks]) {
            const output = await refused(change, ["up", "--yes", "--skip-preview", ...only]);
            assert.match(output, /network\.podCidr changed in the program, and --target or --exclude leaves out/);
        }
        const start = ["--target", urnOf("nfv:OperationStart::core"), ...acting];
        assert.match(
            await refused(change, ["up", "--yes", "--skip-preview", ...start]),
            /network\.podCidr cannot be changed/,
        );
        project.give(args);
        await project.pulumi.run(["up", "--yes", "--skip-preview", "--non-interactive", ...acting]);
    });

    it("up without a preview touches nothing either; a program in which no master stays is refused", async () => {
        const output = await refused(
            changed => {
                const { hosts } = changed.infrastructure;
                hosts.controlPlane = { m9: hosts.controlPlane.m1 };
                changed.sysctls = { "vm.max_map_count": "262144" };
            },
            ["up", "--yes", "--skip-preview"],
        );
        assert.match(output, /the masters cannot all be replaced: this cluster has m1, the program has m9/);
    });

    it("the only master cannot be another machine", async () => {
        const output = await refused(
            changed => {
                changed.infrastructure.hosts.controlPlane.m1.address = "10.99.0.77";
            },
            ["preview"],
        );
        assert.match(output, /infrastructure\.hosts\.controlPlane\.m1\.address: m1 is the only master of this cluster/);
    });
});
