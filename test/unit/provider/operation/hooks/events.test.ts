import assert from "node:assert/strict";
import { etsiName, eventOf, hookEvents, takenBack } from "../../../../../provider/operation/hooks/events";

const kinds = [
    "instantiate",
    "scale",
    "heal",
    "change_external_connectivity",
    "change_current_package",
    "modify_information",
    "terminate",
] as const;

describe("events of hooks", () => {
    it("are a start and an end of the seven operations, and of the three that can be taken back", () => {
        assert.equal(hookEvents.length, 20);
        assert.deepEqual(
            kinds.flatMap(kind => [eventOf({ kind }, "start"), eventOf({ kind }, "end")]),
            hookEvents.slice(0, 14),
        );
        const back = takenBack.flatMap(kind => [
            eventOf({ kind, rollbackOf: "7" }, "start"),
            eventOf({ kind, rollbackOf: "7" }, "end"),
        ]);
        assert.deepEqual(back, hookEvents.slice(14));
    });

    it("have ETSI's names, each another one", () => {
        assert.equal(etsiName("changeCurrentPackageRollbackEnd"), "change_current_package_rollback_end");
        assert.equal(etsiName("scaleStart"), "scale_start");
        assert.equal(new Set(hookEvents.map(etsiName)).size, hookEvents.length);
        for (const name of hookEvents.map(etsiName)) assert.match(name, /^[a-z_]+_(start|end)$/);
    });
});
