import assert from "node:assert/strict";
import { atMost } from "../../../../provider/contract/at-most";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { masterTraces } from "../../../../provider/kubeadm/traces";
import { node } from "../../../../provider/member/node";
import { listener } from "../support/cluster";
import { threeMachines } from "../support/three-machines";

describe("masters that leave at the same time", () => {
    const { fleet, identity, make } = threeMachines();
    let voters: Set<string>;
    let resets: string[];
    let refusesRemoval: boolean;

    beforeEach(() => {
        voters = new Set();
        resets = [];
        refusesRemoval = false;
        for (const name of ["m1", "m2"]) {
            const machine = fleet().node(name);
            const { agent } = machine;
            machine.on(machineStatusArgv, () => {
                const member = agent.journal["cluster.join"] !== undefined ? identity().clusterId : "";
                const lines = [
                    `memberOf=${member}`,
                    `apiReady=${voters.has(name) || member !== "" ? "yes" : "no"}`,
                    `noted=${agent.belongsTo ? `${agent.belongsTo.cluster} ${agent.belongsTo.node}` : ""}`,
                    ...(voters.has(name) ? masterTraces.map(trace => `trace=${trace}`) : []),
                ];
                return { stdout: `${lines.join("\n")}\n` };
            });
            machine.onScript(async ({ stdin }) => {
                const script = stdin.toString();
                await new Promise(resolve => setTimeout(resolve, 50));
                if (script.includes("member list -w json")) {
                    const list = [...voters].map((one, i) => ({ ID: i + 1, name: one, clientURLs: [one] }));
                    const health = list.map(one => ({ endpoint: one.name, health: true }));
                    return { stdout: `${JSON.stringify({ members: list })}\n${JSON.stringify(health)}\n` };
                }
                if (script.includes("member remove")) {
                    if (refusesRemoval) return { code: 1, stderr: "etcdserver: re-configuration failed\n" };
                    voters.delete(name === "m1" ? "m2" : "m1");
                }
                if (script.includes("kubeadm reset -f --skip")) {
                    resets.push(name);
                    voters.delete(name);
                }
                return {};
            });
        }
    });

    const leaveAll = async () => {
        const made = [await make("m1")];
        voters.add("m1");
        made.push(await make("m2"));
        voters.add("m2");
        return () => Promise.allSettled(made.map(({ node: { id, outs } }) => node.delete(id, outs, listener())));
    };
    const codes = (ends: PromiseSettledResult<void>[]) =>
        ends.map(end => (end.status === "fulfilled" ? "left" : (end.reason as { code: string }).code));

    it("leave one after another, and the last one stays", async () => {
        const leave = await leaveAll();
        assert.deepEqual(codes(await leave()), ["left", "QUORUM_AT_RISK"]);
        assert.deepEqual([resets, [...voters]], [["m1"], ["m2"]]);
    });

    it("are not reset by the next run where etcd refused their removal, though the notes say no more that they are members", async () => {
        refusesRemoval = true;
        const leave = await leaveAll();
        assert.ok(codes(await leave()).every(code => code !== "left"));
        assert.ok(codes(await leave()).every(code => code !== "left"));
        assert.deepEqual([resets, [...voters]], [[], ["m1", "m2"]]);
    });
});

describe("work of one kind", () => {
    it("is done one after another in the order of asking, also behind what fails", async () => {
        const seen: string[] = [];
        const waited: string[] = [];
        const work = (name: string, fails = false) =>
            atMost(
                1,
                listener(),
                "a",
                async () => {
                    seen.push(`${name} begins`);
                    await new Promise(resolve => setTimeout(resolve, 5));
                    seen.push(`${name} ends`);
                    if (fails) throw new Error(name);
                },
                { waiting: () => waited.push(name) },
            );
        const ends = await Promise.allSettled([work("1", true), work("2"), work("3")]);
        assert.deepEqual(
            seen,
            ["1", "2", "3"].flatMap(name => [`${name} begins`, `${name} ends`]),
        );
        assert.deepEqual(waited, ["2", "3"]);
        assert.deepEqual(
            ends.map(({ status }) => status),
            ["rejected", "fulfilled", "fulfilled"],
        );
    });

    it("is not begun where the run was cancelled meanwhile; another kind does not wait", async () => {
        const stop = new AbortController();
        const begun: string[] = [];
        const first = atMost(1, listener(), "b", async () => stop.abort());
        const second = atMost(1, listener(), "b", async () => begun.push("b"), { signal: stop.signal });
        await Promise.all([atMost(1, listener(), "c", async () => begun.push("c")), first]);
        await assert.rejects(second);
        assert.deepEqual(begun, ["c"]);
    });
});
