import assert from "node:assert/strict";
import { NfvError } from "../../../../provider/common/errors";
import { nodesAway } from "../../../../provider/procedures/nodes-away";
import type { Looked } from "../../../../provider/procedures/rotation-state";

describe("control-plane nodes that are away while the authorities are exchanged", () => {
    const clusterId = "core-12345678";
    const look = (names: readonly string[], away: Record<string, "silent" | "empty">): Looked[] =>
        names.map(node => {
            if (away[node] === "silent")
                return { node, unreachable: new NfvError({ code: "CONNECT_FAILED", cause: "no answer" }) };
            const member = away[node] === "empty" ? "" : clusterId;
            const all = { ready: true, ours: true, keys: [], signs: "", etcd: true, members: [...names] };
            return { node, state: { node, member, ...all } };
        });
    const found = (count: number, away: Record<string, "silent" | "empty">, givenUp: string[] = []) => {
        const names = Array.from({ length: count }, (_, i) => `m${i + 1}`);
        const masters = names.map((name, i) => ({ name, address: `10.0.0.${11 + i}` }));
        return nodesAway({ clusterId, masters, looked: look(names, away), givenUp });
    };

    it("are none where all answer", () => assert.deepEqual(found(3, {}), { masters: [], members: [], needed: [] }));

    const rows: [
        title: string,
        needed: string[],
        count: number,
        away: Record<string, "silent" | "empty">,
        given?: string[],
    ][] = [
        ["one of three is needed: one of two is no majority while the other restarts", ["m3"], 3, { m3: "silent" }],
        ["one of three is not needed once it is given up", [], 3, { m3: "silent" }, ["m3"]],
        ["one of three is not needed where its machine is another one", [], 3, { m3: "empty" }],
        ["one of five is not needed", [], 5, { m3: "silent" }],
        ["two of five are needed", ["m3", "m4"], 5, { m3: "silent", m4: "silent" }],
        [
            "one of two of five is needed where the other one is given up",
            ["m4"],
            5,
            { m3: "silent", m4: "silent" },
            ["m3"],
        ],
    ];
    for (const [title, needed, count, away, given] of rows)
        it(title, () => assert.deepEqual(found(count, away, given).needed, needed));

    it("are known to etcd by name, or by their URL where their member has not started yet", () => {
        const { masters, members } = found(3, { m3: "empty" }, ["m9"]);
        assert.deepEqual(masters, ["m3"]);
        assert.deepEqual(members, ["m3", "m9", "https://10.0.0.13:2380"]);
    });

    it("do not count as away where they answer, whoever gave them up", () =>
        assert.deepEqual(found(3, {}, ["m2"]).members, []));
});
