import { deepStrictEqual, strictEqual } from "node:assert/strict";
import * as fc from "fast-check";
import {
    serverName,
    serverNumber,
    serverNumbers,
} from "../../../../../../components/infrastructure/openstack/plan/server-names";

describe("names of servers", () => {
    it("are read as they are written", () => {
        fc.assert(
            fc.property(fc.constantFrom("a", "a-1", "workers"), fc.integer({ min: 1, max: 999_999 }), (key, number) => {
                strictEqual(serverNumber(serverName("core", key, number), "core", key), number);
            }),
        );
    });

    it("are whole names of this group: nothing similar counts", () => {
        const wrong = [
            "core-a-0",
            "core-a-02",
            "core-a-1-2",
            "a-2",
            "2",
            "core-a-",
            "xcore-a-2",
            "core-a-2 ",
            "core-a-1e3",
        ];
        deepStrictEqual(serverNumbers(wrong, "core", "a"), []);
        deepStrictEqual(serverNumbers(["core-a-1-2"], "core", "a-1"), [2]);
    });
});
