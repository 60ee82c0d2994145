import { strict as assert } from "node:assert";
import { oldestGo } from "../../../tools/go-groups";
import { newest, whyTooOld } from "../../../tools/go-version";
import { versions } from "../../../tools/versions";

describe("the version of Go", () => {
    it("is too old where its numbers are lower than the go line of the modules", () => {
        assert.equal(whyTooOld("go1.19.8", "1.26.0"), "go 1.19.8 is older than 1.26");
        assert.equal(whyTooOld("go1.25.9", "1.25.11"), "go 1.25.9 is older than 1.25.11");
        assert.equal(whyTooOld("go1.9", "1.10.0"), "go 1.9 is older than 1.10");
    });

    it("is good where it is as new, newer, or says nothing that could be compared", () => {
        for (const found of ["go1.26.0", "go1.26", "go1.26.8", "go1.27rc1", "devel go1.28-abcdef", "devel +abc", ""])
            assert.equal(whyTooOld(found, "1.26.0"), undefined, found);
        assert.equal(whyTooOld("go1.2", undefined), undefined);
    });

    it("that a tool wants is that of the newest of its modules", () => {
        assert.equal(newest(["1.9.0", "1.25.11", "1.25.0"]), "1.25.11");
        assert.equal(oldestGo("pulumi", versions.pulumi), "1.25.11");
        assert.equal(oldestGo("kubernetes", versions.kubernetes), "1.26.0");
        assert.equal(oldestGo("plugin-command", versions["plugin-command"]), undefined);
    });
});
