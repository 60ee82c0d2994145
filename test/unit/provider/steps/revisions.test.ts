import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Act, StepBody } from "../../../../provider/steps/types";
import { projectRoot } from "../../../support/user-project";
import { currentRevisions, differences, type Revisions, revisionsFile, revisionsOf, writeCommand } from "./revisions";
import { stepLists } from "./step-lists";
import { variedBodies } from "./varied-bodies";

/** The sources that make steps or lists of them. */
function sourcesOfSteps(): string[] {
    const folder = join(projectRoot, "provider");
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter(name => name.endsWith(".ts") && !name.startsWith("steps/"))
        .map(name => readFileSync(join(folder, name), "utf8"))
        .filter(text => /StepFactory|KnownStep|\bstep</.test(text));
}

function found(pattern: RegExp): string[] {
    return [...new Set(sourcesOfSteps().flatMap(text => [...text.matchAll(pattern)].map(([, name]) => name!)))].sort();
}

const preparation: Act = { id: "t.two", title: "two", target: "controlPlane", run: "true", timeoutSeconds: 1 };
const body: StepBody = { id: "t.one", title: "one", revision: 1, timeoutSeconds: 1, run: "true # a comment" };

describe("the list of revisions and scripts", () => {
    it("is that of the sources: an author of a script has decided about its step's revision", async () => {
        const recorded = JSON.parse(readFileSync(revisionsFile, "utf8")) as Revisions;
        assert.deepEqual(differences(recorded, await currentRevisions()), []);
    });

    it("has each step and each list of the sources", async () => {
        // the script of a preparation counts for the step that has it
        const all = Object.values(await stepLists()).flatMap(({ specs, bodiesOf }) => specs.flatMap(bodiesOf));
        const preparations = all.flatMap(({ preparation }) => (preparation ? [preparation.id] : []));
        const ids = new Set([...Object.keys(await currentRevisions()), ...preparations]);
        assert.deepEqual([...ids].sort(), found(/"((?:host|node|cluster|storage)\.[a-z-]+)"/g));
        const lists = Object.keys(await stepLists()).map(name => name.split(" ")[0]!);
        assert.deepEqual(
            [...new Set(lists)].sort(),
            found(/export const (\w+).*\b(?:StepFactory|KnownStep)<\w+>\[\]/g),
        );
    });

    it("sees each script: no other input than those of the samples leads to another one", async function () {
        this.timeout("15m"); // it renders all samples again for each input
        assert.deepEqual(revisionsOf(await variedBodies()), await currentRevisions());
    });

    for (const [how, changed] of Object.entries({
        run: { run: "true # another comment" },
        probe: { probe: "true" },
        "its preparation": { preparation },
        "a program among its values": { env: { PROBE: "\nimport sys\n" } },
        "a second script for another input": undefined,
    })) {
        it(`sees a script that changes: ${how}`, () => {
            const bodies = changed ? [{ ...body, ...changed }] : [body, { ...body, run: "false" }];
            assert.notEqual(revisionsOf(bodies)["t.one"]!.scripts, revisionsOf([body])["t.one"]!.scripts);
        });
    }

    it("does not see values, files, and in which order and how often a script comes", () => {
        const other = { ...body, run: "false" };
        const valued = { ...other, env: { A: "1" }, files: [{ path: "/a", content: "b" }] };
        assert.deepEqual(revisionsOf([valued, body, body]), revisionsOf([body, other]));
    });

    it("says what to decide or to do, of each step that differs", () => {
        const of = (revision: number, scripts: string) => ({ revision, scripts });
        const recorded = { a: of(1, "x"), b: of(2, "x"), c: of(1, "x"), gone: of(1, "x"), same: of(1, "x") };
        const now = { a: of(1, "y"), b: of(1, "x"), c: of(2, "y"), fresh: of(1, "x"), same: of(1, "x") };
        const said = differences(recorded, now);
        const expected = [
            /^a: its script changed.*raise its revision.*Otherwise only write/,
            /^b: its revision is lower/,
            /^c: its revision is raised .*probe.*: write/,
            /^fresh: a new step/,
            /^gone: there is no such step any more/,
        ];
        assert.equal(said.length, expected.length, said.join("\n"));
        for (const [i, pattern] of expected.entries()) assert.match(said[i]!, pattern);
        for (const line of said.filter(each => !each.startsWith("b"))) assert.ok(line.endsWith(writeCommand), line);
    });

    it("refuses a step that has two revisions at once", () => {
        assert.throws(
            () => revisionsOf([body, { ...body, revision: 2 }]),
            /t\.one has several revisions at once: 1, 2/,
        );
    });
});
