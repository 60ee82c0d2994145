import assert from "node:assert/strict";
import { isInProgram, noteInProgram } from "../../../../provider/contract/in-program";
import { endRun, listener } from "../support/cluster";

describe("a resource that the program contains", () => {
    afterEach(endRun);
    const urn = (stack: string, name: string) =>
        `urn:pulumi:${stack}::project::a:b:Cluster$nfv:CloudLeftovers::${name}`;

    it("is known by its type and name, also after `pulumi stack rename`", () => {
        noteInProgram(listener(), urn("prod", "core"));
        assert.ok(isInProgram(listener(), urn("prod", "core")));
        assert.ok(isInProgram(listener(), urn("former", "core")));
        assert.ok(!isInProgram(listener(), urn("prod", "other")));
        assert.ok(!isInProgram(listener(), undefined));
    });

    it("is none where no program ran, as at a destroy", () => {
        assert.ok(!isInProgram(listener(), urn("prod", "core")));
    });
});
