import assert from "node:assert/strict";
import type { NodeSelection } from "../../../../../provider/operation/hooks/hook-spec";
import { selected } from "../../../../../provider/operation/hooks/node-selection";
import { node } from "./tacker/fixtures";

const all = ["w10", "m2", "e1", "w2", "m1"].map(name => node(name));

describe("the nodes on which a script runs", () => {
    const table: [selection: NodeSelection, names: string][] = [
        [{}, "e1 m1 m2 w2 w10"],
        [{ role: "controlPlane" }, "m1 m2"],
        [{ role: "worker" }, "e1 w2 w10"],
        [{ pool: "workers" }, "w2 w10"],
        [{ pool: "workers", first: true }, "w2"],
        [{ pool: "workers", first: false }, "w2 w10"],
        [{ names: ["w10", "m1", "gone"] }, "m1 w10"],
        [{ names: ["w10", "m1"], role: "worker" }, "w10"],
        [{ names: [] }, ""],
        [{ pool: "none" }, ""],
        [{ role: "controlPlane", pool: "workers" }, ""],
        [{ names: ["gone"], first: true }, ""],
    ];
    for (const [selection, names] of table)
        it(`${JSON.stringify(selection)}: ${names || "none"}`, () => {
            const before = all.map(({ name }) => name);
            assert.equal(
                selected(all, selection)
                    .map(({ name }) => name)
                    .join(" "),
                names,
            );
            assert.deepEqual(
                all.map(({ name }) => name),
                before,
            );
        });
});
