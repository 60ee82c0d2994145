import { strict as assert } from "node:assert";
import { readArguments, readStartArguments } from "../../../dev/arguments";

const names = (argv: string[]) => readArguments(argv).levels.map(level => level.name);

describe("the words behind `npm test --`", () => {
    it("run every level but those on request, without the long stories, when there are none", () => {
        assert.ok(names([]).includes("e2e"));
        assert.ok(!names([]).includes("closed"));
        assert.equal(readArguments([]).full, false);
    });

    it("`full` adds the long stories, to all levels or to those named", () => {
        assert.deepEqual(
            names(["full"]).filter(name => name !== "node24"),
            names([]),
        );
        assert.equal(readArguments(["full"]).full, true);
        assert.deepEqual(names(["full", "e2e"]), ["e2e"]);
    });

    it("leave a level to `full`, and say so, unless they name it", () => {
        const leftOut = (argv: string[]) => readArguments(argv).leftOut.map(({ name }) => name);
        assert.deepEqual([leftOut([]), leftOut(["full"]), leftOut(["unit"])], [["node24"], [], []]);
        assert.deepEqual(names(["node24"]), ["node24"]);
    });

    it("take what follows --grep as text, even the name of a level", () => {
        assert.deepEqual(readArguments(["unit", "--grep", "e2e"]), { ...readArguments(["unit"]), grep: "e2e" });
    });

    it("name stories, by their last part, too: each runs in its level, as with `full`", () => {
        for (const word of ["e2e/etcd-restore", "etcd-restore"]) {
            const { full, named } = readArguments([word]);
            assert.deepEqual([names([word]), full, named], [["e2e"], true, ["e2e/etcd-restore"]]);
        }
    });

    it("choose with --since among the stories of `full`, without the commands of lint", () => {
        const { since, full } = readArguments(["full", "--since", "484c61ca"]);
        assert.deepEqual(
            [since, full, names(["full", "--since", "484c61ca"]).includes("lint")],
            ["484c61ca", true, false],
        );
        assert.throws(() => readArguments(["--since", "484c61ca"]), /full --since COMMIT/);
        assert.throws(() => readArguments(["scale", "--since", "484c61ca"]), /"e2e\/scale" is one: give only one/);
    });

    it("are refused when nothing has such a name, or several stories have it, with the names that exist", () => {
        assert.throws(() => readArguments(["e2"]), /no test level and no story "e2"; levels are: full, lint, unit,/);
        assert.throws(() => readArguments(["etcd-restor"]), /did you mean e2e\/etcd-restore\?/);
        assert.throws(
            () => readArguments(["cluster-api"]),
            /several stories: e2e\/cluster-api, openstack\/cluster-api/,
        );
        assert.throws(() => readArguments(["unit", "etcd-restore"]), /"unit" is a level, .* a story/);
    });

    it("are refused with the option that was meant", () => {
        assert.throws(() => readArguments(["--lst"]), /there is no option --lst; did you mean --list\?/);
        assert.throws(() => readArguments(["--help"]), /no option --help; there are: --grep, --since, --list/);
        assert.equal(readArguments(["unit", "--grep=--dry-run"]).grep, "--dry-run");
    });
});

describe("the words behind `npm start --`", () => {
    it("say how many workers there are to be, if any say it", () => {
        assert.deepEqual(readStartArguments([]), { workers: undefined, help: false });
        assert.deepEqual(readStartArguments(["--workers", "3"]), { workers: 3, help: false });
        assert.deepEqual(readStartArguments(["-h"]), { workers: undefined, help: true });
    });

    it("are refused with the option that was meant", () => {
        for (const argv of [["--worker", "3"], ["--worker=3"], ["--wokrers", "3"]])
            assert.throws(() => readStartArguments(argv), /there is no option --wo\w+; did you mean --workers\?/);
        assert.throws(
            () => readStartArguments(["--flavor", "big"]),
            /no option --flavor; there are: --workers, --help/,
        );
    });

    it("are refused when they are no number of workers, or a word that means nothing", () => {
        for (const count of ["0", "10", "two", "1.5"])
            assert.throws(() => readStartArguments(["--workers", count]), /a whole number from 1 to 9/);
        assert.throws(() => readStartArguments(["3"]), /"3" means nothing here; there are: --workers, --help/);
    });
});
