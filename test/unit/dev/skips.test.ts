import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addSkips, countSkips, type Skips, skipLines } from "../../../dev/skips";
import { toolOrReason } from "../../support/needs-tool";
import { projectRoot } from "../../support/user-project";
import { scratch } from "../tools/scratch";

describe("what the closing lines say about skipped tests", () => {
    const { folder, set } = scratch();

    it("counts a test for its own reason, or for that of the nearest suite", () => {
        const notes = [
            { title: "a", isSuite: true, reason: "one" },
            { title: "a b", isSuite: true, reason: "two" },
            { title: "a b c", isSuite: false, reason: "three" },
        ];
        const skips = countSkips(["a x", "a b x", "a b c", "a b cc", "ab x"], notes);
        deepStrictEqual(skips, { one: 1, two: 2, three: 1, "no reason was given": 1 });
    });

    it("has a line for each reason of all levels", () => {
        const total: Skips = { root: 1 };
        addSkips(total, { root: 0, mirror: 3 });
        deepStrictEqual(skipLines(total), ["  3 tests, as mirror", "  1 test, as root"]);
    });

    for (const jobs of [1, 2]) {
        it(`comes from the tests themselves, in hooks, too, with ${jobs} at a time`, () => {
            const skip = JSON.stringify(join(projectRoot, "test/support/skip"));
            const file = join(folder(), "skipping.test.ts");
            writeFileSync(
                file,
                `import { skipIf } from ${skip};
                describe("suite", () => {
                    it("runs", () => {});
                    it("is skipped alone", function () { skipIf(this, "alone\\nnot shown"); });
                    describe("in a hook of each", () => {
                        beforeEach(function () { skipIf(this, this.currentTest.title === "third" && "one of them"); });
                        it("third", () => {});
                        it("runs", () => {});
                    });
                    describe("in a hook", () => {
                        before(function () { skipIf(this, "all of them"); });
                        it("first", () => {});
                        it("second", () => {});
                    });
                });`,
            );
            const argv = [
                ...["--no-config", "--require", require.resolve("tsx/cjs"), "--extension", "ts"],
                ...[
                    "--reporter",
                    join(projectRoot, "dev/reporter.ts"),
                    ...(jobs > 1 ? ["--parallel", `--jobs=${jobs}`] : []),
                ],
            ];
            const summary = join(folder(), "summary.json");
            const mocha = join(projectRoot, "node_modules/mocha/bin/mocha.js");
            const { status, stderr } = spawnSync(process.execPath, [mocha, ...argv, file], {
                env: { ...process.env, NFV_SUMMARY: summary },
                encoding: "utf8",
            });
            strictEqual(status, 0, stderr);
            const { passed, skipped, skips } = JSON.parse(readFileSync(summary, "utf8"));
            deepStrictEqual(
                { passed, skipped, skips },
                { passed: 2, skipped: 4, skips: { alone: 1, "one of them": 1, "all of them": 2 } },
            );
        });
    }

    it("names the file that the mirror folder does not have, and what it is for; a wrong file is no reason", async () => {
        const mirror = join(folder(), "mirror");
        mkdirSync(mirror);
        set("PULUMI_NFV_CACHE", join(folder(), "cache"));
        set("PULUMI_NFV_MIRROR", mirror);
        const [file, what] = ["openstack-and-csi-addons-v1.36.0-linux-amd64.tar.xz", "bundles with add-ons"];
        const reason = `${file} (needed for: ${what} (nfv bundle --add-ons))`;
        strictEqual(await toolOrReason("add-ons"), `the mirror folder ${mirror} has no ${reason}`);
        set("PULUMI_NFV_SOURCES", "modules");
        strictEqual(await toolOrReason("add-ons"), `the source mirror is switched off, which takes ${reason}`);
        set("PULUMI_NFV_SOURCES", "mirror,modules");
        writeFileSync(join(mirror, file), "");
        writeFileSync(join(mirror, "SHA256SUMS"), `${"0".repeat(64)}  ${file}\n`);
        await rejects(toolOrReason("add-ons"), { code: "TOOL_MISSING", message: /mirror: refused: .* has the sum/ });
        const sum = createHash("sha256").update("").digest("hex");
        writeFileSync(join(mirror, "SHA256SUMS"), `${sum}  ${file}\n`);
        await rejects(toolOrReason("add-ons"), {
            code: "TOOL_MISSING",
            message: /mirror: unpack .*\n.*tar ended with 2/,
        });
    });
});
