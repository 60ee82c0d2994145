import { deepStrictEqual, ok, throws } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../../support/user-project";

interface Checks {
    changelogProblems(text: string): string[];
    releaseProblems(tag: string, version: string, changelog: string): string[];
    releaseNotes(version: string, changelog: string): string;
}

describe("the check before a release", () => {
    let checks: Checks;
    before(async () => {
        checks = await import(join(projectRoot, "dev/release/check-release.mjs"));
    });
    const log = (...sections: string[]) => `# Changelog\n\nWords.\n\n${sections.join("\n\n")}\n`;
    const released = [
        "## Unreleased",
        "## 0.2.0 - 2026-11-27\n\n- B.",
        "## 0.2.0-rc.1 - 2026-11-20\n\n- A.",
        "## 0.1.0 - 2026-10-01\n\n- A.",
    ];

    it("finds nothing in this changelog, and nothing in one that is ready", () => {
        deepStrictEqual(checks.changelogProblems(readFileSync(join(projectRoot, "CHANGELOG.md"), "utf8")), []);
        deepStrictEqual(checks.releaseProblems("v0.2.0", "0.2.0", log(...released)), []);
    });

    const wrong: [string, string[], RegExp][] = [
        ["a heading of another form", ["## [0.2.0]\n\n- A."], /neither/],
        ["a date that is none", ["## 0.2.0 - 2026-13-41\n\n- A."], /no date/],
        ["a version twice", [released[1]!, released[1]!], /twice/],
        ["a version without an entry", ["## 0.2.0 - 2026-11-27"], /no entry/],
        ["an older version above a newer one", [released[3]!, released[1]!], /not newer/],
        ["a release below its own candidate", [released[2]!, released[1]!], /not newer/],
        ["Unreleased below a version", [released[1]!, "## Unreleased"], /not the first/],
    ];
    for (const [what, sections, problem] of wrong)
        it(`finds ${what}`, () => {
            const found = checks.changelogProblems(log(...sections));
            ok(
                found.some(text => problem.test(text)),
                found.join(),
            );
        });

    it("refuses a tag of another version, a version that has no section, and entries that no version has", () => {
        ok(checks.releaseProblems("v0.3.0", "0.2.0", log(...released)).some(text => /the tag is v0\.3\.0/.test(text)));
        ok(checks.releaseProblems("v0.3.0", "0.3.0", log(...released)).some(text => /not ## 0\.3\.0/.test(text)));
        const open = log("## Unreleased\n\n- C.", ...released.slice(1));
        ok(checks.releaseProblems("v0.2.0", "0.2.0", open).some(text => /below ## Unreleased/.test(text)));
    });

    it("gives the entries of a version, and no other's", () => {
        deepStrictEqual(checks.releaseNotes("0.2.0", log(...released)), "- B.\n");
        deepStrictEqual(checks.releaseNotes("0.2.0-rc.1", log(...released)), "- A.\n");
        throws(() => checks.releaseNotes("0.3.0", log(...released)), /no section/);
    });
});
