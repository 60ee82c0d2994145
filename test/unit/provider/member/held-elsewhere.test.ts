import assert from "node:assert/strict";
import { host } from "../../../../provider/host/host";
import { node } from "../../../../provider/member/node";
import { checked, checkedMasters, endRun, listener } from "../support/cluster";
import { threeMachines } from "../support/three-machines";

const urn = (type: string, name: string) => `urn:pulumi:dev::app::nfv:KubernetesCluster$nfv:${type}::${name}`;

/** Only the names of its resources have changed, without aliases: the engine makes the new ones, then deletes the former ones. */
describe("a machine that another resource of the program has", () => {
    const { fleet, identity, of, make } = threeMachines();

    const deleteFormer = async (now: { host: object; node: object }) => {
        await make("m1");
        const { host: madeHost, node: madeNode } = await make("m2");
        await endRun();
        const { session, warned, ...context } = listener();
        checkedMasters({ session }, identity().clusterId, [], []);
        checked({ session }, "Host", { ...now.host, resourceUrn: urn("Host", "site-m2") });
        checked({ session }, "Node", { ...now.node, resourceUrn: urn("Node", "site-m2") });
        const whole = { ...context, session, warned };
        const before = fleet().node("m2").commands.length;
        const former = (type: string) => ({ resourceUrn: urn(type, "core-m2") });
        await node.delete(madeNode.id, { ...madeNode.outs, ...former("Node") }, whole).catch(() => {});
        await host.delete(madeHost.id, { ...madeHost.outs, ...former("Host") }, whole).catch(() => {});
        return { asked: fleet().node("m2").commands.length - before, warned };
    };

    it("is not touched by the deletion of its former resources", async () => {
        const { asked, warned } = await deleteFormer(of("m2"));
        assert.equal(asked, 0);
        assert.deepEqual(warned, Array(2).fill("m2: site-m2 has this machine now: nothing was changed on it"));
        assert.ok(fleet().node("m2").agent.journal["cluster.join"]);
    });

    it("leaves as usual where the program's is another machine", async () => {
        const { host: hostInputs, node: nodeInputs } = of("m2");
        const moved = <Inputs extends { spec: object }>(inputs: Inputs) => ({
            ...inputs,
            spec: { ...inputs.spec, address: "10.99.0.99" },
        });
        const { asked } = await deleteFormer({ host: moved(hostInputs), node: moved(nodeInputs) });
        assert.notEqual(asked, 0);
    });
});
