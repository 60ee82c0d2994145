import assert from "node:assert/strict";
import { host } from "../../../../provider/host/host";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { node } from "../../../../provider/member/node";
import { listener } from "../support/cluster";
import { threeMachines } from "../support/three-machines";

describe("a control-plane node whose cluster was rotated since the state of the stack", () => {
    const { fleet, identity, of, make } = threeMachines({ nodes: ["m1", "m2", "w1"] });
    const rotated = (name: string, kind = "encryption") => {
        const { clusterId } = identity();
        const stdout = `memberOf=${clusterId}\nmemberSince=x\napiReady=yes\nrotated=${clusterId} ${kind}\n`;
        fleet().node(name).on(machineStatusArgv, { stdout });
    };
    const begunOn = (name: string) =>
        fleet()
            .begun()
            .filter(each => each.startsWith(`${name} node.`) || each.startsWith(`${name} cluster.`));

    it("is not changed by that state: its former keys would come back", async () => {
        const { id, outs } = (await make("m1")).node;
        const before = begunOn("m1");
        rotated("m1");
        const { node: changed } = of("m1", { labels: { tier: "gold" } });
        await assert.rejects(
            node.update!(id, outs, changed, listener()),
            /m1: [\s\S]*ROTATION_FAILED[\s\S]*is from before rotate\.encryptionKey/,
        );
        assert.deepEqual(begunOn("m1"), before);
    });

    it("lets no control-plane node join by that state", async () => {
        await make("m1");
        rotated("m1", "authorities");
        const { host: given, node: wanted } = of("m2");
        await host.create(given, listener());
        await assert.rejects(node.create(wanted, listener()), /is from before rotate\.authorities/);
        assert.deepEqual(begunOn("m2"), []);
    });
});
