import { deepStrictEqual } from "node:assert/strict";
import { notServing, parsePodsOn } from "../../../../../provider/member/upgrade/pods-on";

describe("what serves on a node that has moved", () => {
    const lines = [
        "node True",
        "pod shop/web-1 Running True",
        "pod shop/web-2 Running False",
        "pod shop/job Succeeded False",
        "pod shop/new Pending",
        "",
    ];

    it("is told by the readiness of its pods; those that have ended do not count", () => {
        deepStrictEqual(notServing(parsePodsOn(lines.join("\n"))), ["shop/web-2", "shop/new"]);
    });

    it("is nothing where its kubelet does not report", () => {
        deepStrictEqual(notServing(parsePodsOn("node Unknown\n")), ["its kubelet"]);
        deepStrictEqual(notServing(parsePodsOn("node \n")), ["its kubelet"]);
    });
});
