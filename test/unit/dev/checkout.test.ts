import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { notePassed, readCheckout } from "../../../dev/checkout";
import { helpersOf } from "../../../dev/helpers";
import { scratch } from "../tools/scratch";

describe("what npm test knows of a checkout", () => {
    const { folder } = scratch();
    const root = () => join(folder(), "project");
    const write = (path: string, text = path) => writeFileSync(join(root(), path), text);
    const git = (...argv: string[]) => {
        const author = ["-c", "user.name=Some", "-c", "user.email=some@example.invalid"];
        const { status, stdout, stderr } = spawnSync("git", [...author, ...argv], { cwd: root(), encoding: "utf8" });
        assert.equal(status, 0, stderr);
        return stdout.trim();
    };
    const commit = (text: string) => {
        git("add", "--all");
        git("commit", "--quiet", "--allow-empty", `--message=${text}`);
        return git("rev-parse", "--short=8", "HEAD");
    };
    const passed = () => JSON.parse(readFileSync(join(root(), "test/passed.json"), "utf8"));

    beforeEach(() => {
        for (const path of ["lab", "test"]) mkdirSync(join(root(), path), { recursive: true });
        git("init", "--quiet");
        for (const path of ["lab/cli.ts", "lab/gone.ts", "one.ts"]) write(path);
    });

    it("are the files that changed, were added, deleted or renamed since a commit, with any name", () => {
        const first = commit("first");
        write("one.ts", "two");
        write("lab/größer als.ts");
        rmSync(join(root(), "lab/gone.ts"));
        renameSync(join(root(), "lab/cli.ts"), join(root(), "cli.ts"));
        const expected = ["cli.ts", "lab/cli.ts", "lab/gone.ts", "lab/größer als.ts", "one.ts"];
        assert.deepEqual([...readCheckout(root()).changedSince(first)!].sort(), expected);
    });

    it("is nothing about a commit that is not in the clone, or no commit", () => {
        const first = commit("first");
        const wrong = join(folder(), "written");
        for (const name of ["", "nonsense", "0123abcd", `${first}..HEAD`, `${first}:lab`, `--output=${wrong}`])
            assert.equal(readCheckout(root()).changedSince(name), undefined, name);
        assert.ok(!existsSync(wrong));
    });

    it("is nothing without a repository of its own, whatever is around it", () => {
        commit("first");
        renameSync(join(root(), ".git"), join(folder(), ".git"));
        const { commit: found, turn, changedSince } = readCheckout(root());
        assert.deepEqual([found, turn, changedSince("HEAD")], [undefined, 0, undefined]);
    });

    it("gives another turn to another commit in a clone without history, too", () => {
        const turns = ["first", "second"].map(text => {
            commit(text);
            writeFileSync(join(root(), ".git/shallow"), `${git("rev-parse", "HEAD")}\n`);
            assert.equal(git("rev-list", "--count", "HEAD"), "1");
            return readCheckout(root()).turn;
        });
        assert.notEqual(turns[0], turns[1]);
    });

    it("notes what passed on the commit that was tested, beside what was noted before", () => {
        write("test/passed.json", '{ "unit/lab": "0123abcd" }');
        const first = commit("first");
        notePassed(["e2e/heal"], readCheckout(root()).commit, root());
        assert.equal(notePassed(["e2e/heal"], readCheckout(root()).commit, root()), true);
        assert.deepEqual(passed(), { "e2e/heal": first, "unit/lab": "0123abcd" });
    });

    it("notes nothing if the checkout was changed, or became another while the tests ran", () => {
        commit("first");
        const before = readCheckout(root()).commit;
        write("new.ts");
        assert.equal(notePassed(["e2e/heal"], before, root()), false);
        assert.equal(readCheckout(root()).commit, undefined);
        notePassed(["e2e/heal"], commit("second"), root());
        assert.deepEqual(Object.keys(passed()), ["e2e/heal"]);
        const wanted = passed();
        notePassed(["unit/lab"], before, root());
        assert.deepEqual(passed(), wanted);
    });

    it("is an error that says what is wrong with the notes", () => {
        for (const [text, why] of [
            ["<<<<<<< HEAD", /test\/passed\.json: .*delete it/],
            ['{ "unit/lab": "main" }', /unit\/lab: "main" is no commit's number/],
            ['{ "unit/lab": 7 }', /unit\/lab: 7 is no/],
        ] as const) {
            write("test/passed.json", text);
            assert.throws(() => readCheckout(root()), why);
        }
    });
});

describe("the helpers of a test file", () => {
    it("are what it imports below test/, by others, too, and the programs that it names", () => {
        const helpers = helpersOf("integration/components/replaced-masters.full.test.js");
        for (const helper of ["support/user-project.ts", "integration/components/cluster-program.js"])
            assert.ok(helpers.includes(helper), `${helper} is not among ${helpers.join(", ")}`);
        assert.ok(!helpers.some(helper => helper.startsWith("..")));
    });

    it("are found where a text of the test is a path below a file, as .git is one in a worktree", () => {
        const below = "package.json/index";
        assert.ok(!helpersOf("unit/dev/checkout.test.js").includes(below));
    });
});
