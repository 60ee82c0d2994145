import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorTable } from "../../../../provider/common/error-table";
import { NfvError } from "../../../../provider/common/errors";
import { projectRoot } from "../../../support/user-project";

describe("errors", () => {
    it("are all in docs/errors.md (made by `npx tsx provider/common/error-table.ts >docs/errors.md`)", () => {
        assert.equal(readFileSync(join(projectRoot, "docs/errors.md"), "utf8"), errorTable());
    });

    it("point to pages and headings by links, and never to what stands above them", () => {
        const page = errorTable();
        for (const [path] of page.matchAll(/docs\/[a-z-]+\.md/g)) assert.ok(page.includes(`[${path}`), path);
        assert.match(page, /`UNSUPPORTED_SYSTEM`.*\(offline\.md#supported-systems\)/);
        assert.doesNotMatch(page, /above|pipeline|report/);
    });

    it("say place, code, cause and what to do, in this order", () => {
        const error = new NfvError({ code: "NODE_BUSY", node: "w1", step: "join", cause: "two\nlines", hint: "Wait." });
        assert.equal(error.message, "w1: join: NODE_BUSY\n    two\n    lines\n    Wait.");
        assert.equal(error.exitCode, 4);
    });

    it("hold nothing that a terminal obeys: machines and clusters have a word in them", () => {
        const cause = "\u001b]52;c;cm0gLXJm\u0007exit code 1\n\u001b[2Jgone\u202e";
        const { message, reason } = new NfvError({ code: "STEP_FAILED", node: "w1", cause });
        assert.equal(reason, "exit code 1\ngone");
        assert.doesNotMatch(message, /[^\P{C}\n]/u);
    });

    it("say once that nothing was touched", () => {
        const of = (cause: string, hint?: string) => {
            const error = new NfvError({ code: "INVALID_INPUT", cause, ...(hint !== undefined && { hint }) });
            assert.equal(
                (error.message.match(/nothing (was|has been) (changed|touched)/gi) ?? []).length,
                1,
                error.message,
            );
            return error;
        };
        assert.equal(of("a is wrong; nothing was touched").hint, "Correct the value.");
        assert.equal(of("a is wrong. Nothing was touched. Set it back").hint, "Correct the value.");
        assert.equal(of("a is wrong").hint, "Correct the value; nothing has been touched.");
        assert.equal(
            of("a; nothing was changed", "Nothing was changed, neither machines nor configuration. Look.").hint,
            "Look.",
        );
        const several = of(
            "a: x. Nothing was touched\nb: y; nothing was touched\nc: z. Nothing was touched. Set z back",
        );
        assert.equal(several.reason, "a: x. \nb: y\nc: z. Nothing was touched. Set z back");
        assert.equal(of("a", "Nothing was changed.").hint, "Nothing was changed.");
        const here = new NfvError({
            code: "NODE_BUSY",
            cause: "a; nothing was changed",
            hint: "Nothing was changed on this node.",
        });
        assert.equal(here.hint, "Nothing was changed on this node.", "that says more");
    });
});
