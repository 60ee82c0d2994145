import { strict as assert } from "node:assert";
import { type SimulatedCluster, simulatedCluster } from "../../../bench/simulation/simulated-cluster";
import { noLookVariable } from "../../../provider/common/no-look";
import { machineStatusArgv } from "../../../provider/kubeadm/look";
import { skipIf } from "../../support/skip";
import { notBuilt, UserProject } from "../../support/user-project";

/** Real engine and SSH; the machines are simulated. */
describe("the first preview with existing machines", () => {
    let cluster: SimulatedCluster;
    let project: UserProject;

    before(async function () {
        skipIf(this, notBuilt());
        cluster = await simulatedCluster(3, 2, () => 0);
        project = await UserProject.make("new-machines", "test/integration/components/cluster-program.js");
        project.give(cluster.args);
    });
    after(async () => {
        delete process.env[noLookVariable];
        await cluster?.stop();
        project?.remove();
    });
    const preview = async () => {
        const { code, output } = await project.pulumi.start(["preview", "--non-interactive"]).done;
        return { code, output };
    };

    it("refuses what is wrong with any of them in one error, and nothing is done or stored", async () => {
        const { fleet } = cluster;
        await fleet.node("w1").powerOff();
        fleet.node("m2").on(machineStatusArgv, { stdout: "noted=edge-12345678 m7\nmemberOf=edge-12345678\n" });
        fleet.node("w2").on(machineStatusArgv, { stdout: "software=/etc/cni/net.d/05-calico.conflist\n" });
        const { code, output } = await preview();
        assert.notEqual(code, 0);
        for (const said of [
            /w1 \(127\.0\.0\.1:\d+\): CONNECT_FAILED/,
            /m2 \(127\.0\.0\.1:\d+\): FOREIGN_NODE: it is node m7 of cluster edge-12345678/,
            /w2 \(127\.0\.0\.1:\d+\): FOREIGN_SOFTWARE: found: \/etc\/cni\/net\.d\/05-calico\.conflist/,
        ])
            assert.match(output, said);
        assert.match(output, /1 errored/);
        assert.equal(output.match(/w1 \(127/g)?.length, 1, "it is said once");
        assert.doesNotMatch(output, /m1 \(|m3 \(/);
        assert.doesNotMatch(output, /PRIVATE KEY/);
        assert.deepEqual(fleet.begun(), []);
    });

    it("goes on where the variable says that no network leads to them", async () => {
        process.env[noLookVariable] = "yes";
        const { code, output } = await preview();
        assert.equal(code, 0, output);
        assert.match(output, /PULUMI_NFV_NO_LOOK is set: no machine was looked at \(m1, m2, m3, w1, w2\)/);
        delete process.env[noLookVariable];
    });

    it("goes on when all is put right, and later looks at what is new alone", async () => {
        const { fleet } = cluster;
        await fleet.node("w1").powerOn();
        for (const name of ["m2", "w2"]) fleet.node(name).on(machineStatusArgv, { stdout: "" });
        const { code, output } = await preview();
        assert.equal(code, 0, output);
        assert.deepEqual(fleet.begun(), []);
    });
});
