import assert from "node:assert/strict";
import { host } from "../../../../provider/host/host";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { readyPatience } from "../../../../provider/machine/another-machine";
import { patience } from "../../../../provider/machine/control-plane-ready";
import type { Peer } from "../../../../provider/machine/machine";
import { node } from "../../../../provider/member/node";
import { checkedMasters, endRun, listener } from "../support/cluster";
import { failureOf, threeMachines } from "../support/three-machines";

describe("a machine that answers in place of a member", () => {
    const { fleet, of, make } = threeMachines();
    const working = "etcd m2 https://10.99.0.11:2379\nnode m2 10.99.0.11\n";

    /** m2 is a member. What the cluster says of it, look by look, and whether the machine proves that it is m2. */
    const cluster = async (looks: string[], proves = false) => {
        await make("m1");
        const made = await make("m2");
        const said = [...looks];
        fleet()
            .node("m1")
            .onScript(({ stdin }) => {
                if (stdin.includes("print-living-member"))
                    return { stdout: said.length > 1 ? said.shift()! : said[0]! };
                if (stdin.includes("verify-machine")) return { stdout: proves ? "yes\n" : "" };
                return stdin.includes("member list") ? { stdout: '{"members":[]}\n[]\n' } : {};
            });
        fleet()
            .node("m2")
            .onScript(({ stdin }) =>
                stdin.includes("prove-machine") ? { stdout: "certificate=YQ==\nsignature=YQ==\n" } : {},
            );
        await endRun();
        return made;
    };
    /** It is as if it had just been installed. */
    const blank = async () => {
        const m2 = fleet().node("m2");
        for (const id of Object.keys(m2.agent.journal)) delete m2.agent.journal[id];
        m2.agent.belongsTo = undefined;
        m2.on(machineStatusArgv, { stdout: "" });
        const { host: inputs } = of("m2");
        await host.update("m2", { ...inputs, done: {}, pending: [] }, inputs, listener());
    };
    const refused =
        /m2: [\s\S]*FOREIGN_NODE[\s\S]*by SSH at \S+:\d+ cannot prove that it is m2[\s\S]*etcd's member m2 answers at https:\/\/10\.99\.0\.11:2379; the node m2 \(10\.99\.0\.11\) is Ready[\s\S]*two machines/;

    for (const how of ["update", "create"] as const)
        it(`gets no key where it is blank and the member works (${how})`, async () => {
            const { node: made } = await cluster([working]);
            await blank();
            const begun = fleet().begun().length;
            const { node: inputs } = of("m2");
            const done =
                how === "update"
                    ? node.update(made.id, { ...made.outs, done: {} }, inputs, listener())
                    : node.create(inputs, listener());
            assert.match((await failureOf(done)).message, refused);
            assert.deepEqual(fleet().begun().slice(begun), []);
        });

    it("gets no key where it is blank, and the only one that can say who works is not ready for a moment", async () => {
        const { node: made } = await cluster([working]);
        await blank();
        let looks = 0;
        const clusterId = of("m2").node.spec.clusterId;
        fleet()
            .node("m1")
            .on(machineStatusArgv, () => ({
                stdout: `memberOf=${clusterId}\nnoted=${clusterId} m1\napiReady=${++looks === 2 ? "no" : "yes"}\n`,
            }));
        const begun = fleet().begun().length;
        const usual = { ...patience };
        Object.assign(patience, { seconds: 5, pauseSeconds: 0.1 });
        try {
            const done = node.update(made.id, { ...made.outs, done: {} }, of("m2").node, listener());
            assert.match((await failureOf(done)).message, refused);
        } finally {
            Object.assign(patience, usual);
        }
        assert.equal(looks, 3);
        assert.deepEqual(fleet().begun().slice(begun), []);
    });

    it("gets no key where it says that it is the member, and lacks keys", async () => {
        const { node: made } = await cluster([working]);
        delete fleet().node("m2").agent.journal["node.keys"];
        const begun = fleet().begun().length;
        const olds = { ...made.outs, done: { ...made.outs.done, "node.keys": "unfinished" } };
        assert.match((await failureOf(node.update(made.id, olds, of("m2").node, listener()))).message, refused);
        assert.deepEqual(fleet().begun().slice(begun), []);
    });

    it("gets no login to a registry while it is made a host", async () => {
        await cluster([working]);
        const m2 = fleet().node("m2");
        for (const id of Object.keys(m2.agent.journal)) delete m2.agent.journal[id];
        m2.agent.belongsTo = undefined;
        m2.on(machineStatusArgv, { stdout: "" });
        const { host: inputs } = of("m2");
        const registries = [{ registry: "registry.example", endpoints: [], username: "nfv", password: "canary" }];
        const begun = fleet().begun().length;
        const made = host.create({ ...inputs, spec: { ...inputs.spec, registries } }, listener());
        assert.match((await failureOf(made)).message, refused);
        assert.deepEqual(fleet().begun().slice(begun), []);
    });

    it("is not made a host where a former run had the cluster", async () => {
        await cluster([working]);
        const m2 = fleet().node("m2");
        for (const id of Object.keys(m2.agent.journal)) delete m2.agent.journal[id];
        m2.agent.belongsTo = undefined;
        m2.on(machineStatusArgv, { stdout: "" });
        const { host: inputs, node: asked } = of("m2");
        const begun = fleet().begun().length;
        const context = listener();
        checkedMasters(context, inputs.spec.clusterId, [], asked.controlPlane as Peer[], true);
        assert.match((await failureOf(host.create(inputs, context))).message, refused);
        assert.deepEqual(fleet().begun().slice(begun), []);
    });

    it("gets what it lacks where it proves that it is the member", async () => {
        const { node: made } = await cluster([working], true);
        delete fleet().node("m2").agent.journal["node.keys"];
        const begun = fleet().begun().length;
        const olds = { ...made.outs, done: { ...made.outs.done, "node.keys": "unfinished" } };
        await node.update(made.id, olds, of("m2").node, listener());
        assert.deepEqual(fleet().begun().slice(begun), ["m2 node.keys"]);
    });

    it("joins as today where the member was lost: etcd does not answer, and the node is not Ready some seconds later", async () => {
        const { node: made } = await cluster(["node m2 10.99.0.11\n", "node m2 10.99.0.11\n", ""]);
        await blank();
        readyPatience.seconds = 30;
        try {
            const begun = fleet().begun().length;
            await node.update(made.id, { ...made.outs, done: {} }, of("m2").node, listener());
            assert.ok(fleet().begun().slice(begun).includes("m2 cluster.join"));
        } finally {
            readyPatience.seconds = 0;
        }
    });

    it("does not cost the member its place: its Node is not deleted", async () => {
        const { node: made } = await cluster([working]);
        await blank();
        const asked: string[] = [];
        fleet()
            .node("m1")
            .onScript(({ stdin }) => {
                for (const word of ["kubectl drain", "kubectl delete node", "member remove"])
                    if (stdin.includes(word)) asked.push(word);
                if (stdin.includes("print-living-member")) return { stdout: working };
                return stdin.includes("member list") ? { stdout: '{"members":[]}\n[]\n' } : {};
            });
        for (const id of Object.keys(fleet().node("m2").agent.journal)) delete fleet().node("m2").agent.journal[id];
        assert.match(
            (await failureOf(node.delete!(made.id, made.outs, listener()))).message,
            /nothing was taken out of the cluster/,
        );
        assert.deepEqual(asked, []);
    });
});
