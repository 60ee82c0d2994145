import assert from "node:assert/strict";
import { host } from "../../../../provider/host/host";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { nodesThatWait, refuseWhereNodesWait } from "../../../../provider/member/joins-later";
import { node } from "../../../../provider/member/node";
import { createIdentity } from "../identity/made-identity";
import { endRun, listener } from "../support/cluster";
import { threeMachines } from "../support/three-machines";

describe("a machine that would join while control-plane nodes trust different authorities", () => {
    const { fleet, identity, of, make } = threeMachines({ nodes: ["m1", "m2", "m3", "w1"] });
    let next: string;
    /** What a control-plane node's kubeadm files have. */
    const trusts = (name: string, certificate: string) => {
        const both = Buffer.from(identity().caCertificate + next).toString("base64");
        const file = Buffer.from(certificate).toString("base64");
        const notes = `authorityOf=/var/lib/pulumi-nfv/authority ${both}\nauthorityOf=/etc/kubernetes/pki/ca.crt ${file}\n`;
        const stdout = `memberOf=${identity().clusterId}\nmemberSince=x\napiReady=yes\n${notes}`;
        fleet().node(name).on(machineStatusArgv, { stdout });
    };
    const begunOn = (name: string) =>
        fleet()
            .begun()
            .filter(each => each.startsWith(`${name} node.`) || each.startsWith(`${name} cluster.`));

    before(async () => {
        next = (await createIdentity({ clusterName: "core" })).caCertificate;
    });
    beforeEach(async () => {
        for (const name of ["m1", "m2"]) await make(name);
    });

    for (const name of ["w1", "m3"])
        it(`is left as it is, as ${name}; the run goes on, fails at its end, and the next one lets it join`, async () => {
            trusts("m1", next);
            trusts("m2", identity().caCertificate);
            const inputs = of(name);
            await host.create(inputs.host, listener());
            const context = listener();
            const { id, outs } = await node.create(inputs.node, context);
            assert.deepEqual(begunOn(name), []);
            assert.match(context.warned.join(), new RegExp(`${name} does not join yet: a rotation`));
            assert.deepEqual(nodesThatWait(context, identity().clusterId), [name]);
            assert.throws(() => refuseWhereNodesWait(identity().clusterId, context), /did not join[\s\S]*up again/);
            assert.ok(node.diff(id, outs, inputs.node, listener()).changes);

            await endRun();
            trusts("m2", next);
            const later = listener();
            const { outs: joined } = await node.update!(id, outs, inputs.node, later);
            assert.ok(begunOn(name).includes(`${name} cluster.join`));
            assert.ok(joined.done["cluster.join"]);
            assert.deepEqual(nodesThatWait(later, identity().clusterId), []);
            refuseWhereNodesWait(identity().clusterId, later);
        });

    it("joins where those that answer trust the same one", async () => {
        trusts("m1", next);
        trusts("m2", next);
        await make("w1");
        assert.ok(begunOn("w1").includes("w1 cluster.join"));
    });
});
