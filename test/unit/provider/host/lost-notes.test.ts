import assert from "node:assert/strict";
import { host } from "../../../../provider/host/host";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { node } from "../../../../provider/member/node";
import { listener } from "../support/cluster";
import { failureOf, threeMachines } from "../support/three-machines";

describe("a node whose notes are gone while its cluster lives on it", () => {
    const { fleet, identity, of, make } = threeMachines();
    const changed = () => of("w1", { labels: { tier: "edge" } });

    /** A worker without /var/lib/pulumi-nfv, and a list of the later commands on it and on the control-plane node. */
    const lost = async (more = "") => {
        await make("m1");
        const { node: made } = await make("w1");
        const w1 = fleet().node("w1");
        for (const id of Object.keys(w1.agent.journal)) delete w1.agent.journal[id];
        w1.agent.belongsTo = undefined;
        const authority = Buffer.from(identity().caCertificate).toString("base64");
        w1.on(machineStatusArgv, { stdout: `${more}trace=/etc/kubernetes/kubelet.conf\nauthority=${authority}\n` });
        // its Host is prepared again before its Node
        await host.update("w1", { ...changed().host, done: {}, pending: [] }, changed().host, listener());
        const asked: string[] = [];
        const notes = (name: string, words: string[]) => (call: { stdin: Buffer }) => {
            const word = words.find(each => call.stdin.includes(each));
            if (word !== undefined) asked.push(`${name}: ${word}`);
            return call.stdin.includes("member list") ? { stdout: '{"members":[]}\n[]\n' } : {};
        };
        fleet()
            .node("m1")
            .onScript(notes("m1", ["kubectl drain", "kubectl delete node"]));
        w1.onScript(notes("w1", ["kubeadm reset"]));
        return { made, asked };
    };

    it("is drained before the reset with which it joins again", async () => {
        const { made, asked } = await lost();
        const begun = fleet().begun().length;
        const context = listener();
        await node.update(made.id, made.outs, changed().node, context);
        assert.deepEqual(asked, ["m1: kubectl drain", "w1: kubeadm reset", "m1: kubectl delete node"]);
        assert.ok(fleet().begun().slice(begun).includes("w1 cluster.join"));
        assert.match(context.warned.join("\n"), /^w1: our notes on it .* are gone/m);
    });

    it("stays what it is where its pods do not leave", async () => {
        const { made, asked } = await lost();
        fleet()
            .node("m1")
            .onScript(call =>
                call.stdin.includes("kubectl drain") ? { code: 46, stderr: "pods are still on w1" } : {},
            );
        const begun = fleet().begun().length;
        const { message } = await failureOf(node.update(made.id, made.outs, changed().node, listener()));
        assert.match(message, /pods are still on w1/);
        assert.deepEqual([asked, fleet().begun().slice(begun)], [[], []]);
    });

    it("is not drained where its join or its leaving had only begun: there is a note of that", async () => {
        const { made, asked } = await lost(`joinStarted=${of("w1").node.spec.clusterId}\n`);
        await node.update(made.id, made.outs, changed().node, listener());
        assert.deepEqual(asked, []);
    });
});
