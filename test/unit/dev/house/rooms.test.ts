import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../../../dev/levels";
import { wrongPaths } from "./named-paths";

const areas = ["provider", "components", "pipeline"];
const foldersIn = (area: string) =>
    readdirSync(join(projectRoot, area), { withFileTypes: true })
        .filter(entry => entry.isDirectory())
        .map(({ name }) => name);
const rooms = areas.flatMap(area => foldersIn(area).map(name => `${area}/${name}`));
/** Those of the areas, of their rooms, and of folders in these. */
const readmes = areas.flatMap(area =>
    (readdirSync(join(projectRoot, area), { recursive: true }) as string[])
        .filter(file => /(^|\/)README\.md$/.test(file))
        .map(file => join(area, file)),
);
const textOf = (file: string) => readFileSync(join(projectRoot, file), "utf8");

describe("a room", () => {
    it("has a README, of at most one screen", () => {
        assert.ok(rooms.length > 40, `${rooms.length} rooms`);
        const lines = [...new Set([...readmes, ...rooms.map(room => `${room}/README.md`)])].map(file => [
            file,
            existsSync(join(projectRoot, file)) ? textOf(file).split("\n").length : 0,
        ]);
        assert.deepEqual(
            lines.filter(([, count]) => count === 0 || (count as number) > 45),
            [],
        );
    });

    it("names only files and folders that exist", () => {
        assert.deepEqual(
            readmes.flatMap(file => wrongPaths(textOf(file), join(file, "..")).map(path => `${file}: ${path}`)),
            [],
        );
    });

    it("stands in its area's README, in the order of allowed imports", () => {
        const { forbidden } = require(join(projectRoot, ".dependency-cruiser.cjs")) as {
            forbidden: { name: string }[];
        };
        for (const area of areas) {
            const allowed = forbidden
                .map(({ name }) => name)
                .filter(name => name.startsWith(`${area}/`) && rooms.includes(name))
                .map(name => name.slice(area.length + 1));
            const linked = [...textOf(`${area}/README.md`).matchAll(/\[`([\w-]+)\/`\]\(\1\/README\.md\)/g)];
            assert.deepEqual(
                linked.map(([, name]) => name),
                allowed,
            );
            assert.deepEqual([...allowed].sort(), foldersIn(area).sort());
        }
    });
});

describe("a path in a README", () => {
    const folder = "provider/storage";
    const wrong: [title: string, text: string, paths: string[]][] = [
        ["is found beside it, in another room, or from the repository's root", "`acts.ts` `../node/` `test/unit/`", []],
        ["may name its module without the extension", "`../common/errors`, `provider/common/errors`", []],
        ["is wrong where there is no such file", "`act.ts`, `lib/restic.sh`", ["act.ts"]],
        ["is wrong where there is no such folder or module", "`volumes/` `../errors`", ["volumes/", "../errors"]],
        ["may be a list", "`{acts,spec}.ts`, `lib/{disk,none}.sh`", ["lib/{disk,none}.sh"]],
        ["may be a pattern that fits at least one file", "`observe-*.sh`, `look-*.sh`", ["look-*.sh"]],
        [
            "is no word, command, placeholder or path of a machine",
            "`nova`, `npx tsx a.ts`, `NAME.sh`, `steps/<id>/`, `/etc/a.sh`",
            [],
        ],
        ["does not stand in a block of code", "```sh\n`none.sh`\n```", []],
    ];
    for (const [title, text, paths] of wrong)
        it(title, () => {
            assert.deepEqual(wrongPaths(text, folder), paths);
        });
});
