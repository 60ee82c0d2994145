import { deepStrictEqual } from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linksOutOf, treeContent } from "../../../../tools/oci/tree";
import { scratch } from "../scratch";

describe("the files of a folder as a part of an image", () => {
    const { folder } = scratch();

    it("are all there, programs as programs and links as links, without what has no place", async () => {
        mkdirSync(join(folder(), "a/cache"), { recursive: true });
        for (const file of ["a/text", "a/program", "a/cache/big"]) writeFileSync(join(folder(), file), "");
        chmodSync(join(folder(), "a/program"), 0o755);
        symlinkSync("a/program", join(folder(), "link"));
        const tree = await treeContent(folder(), path => (path === "a/cache" ? undefined : `/opt/${path}`));
        deepStrictEqual(tree, {
            programs: { "/opt/a/program": join(folder(), "a/program") },
            files: { "/opt/a/text": join(folder(), "a/text") },
            links: { "/opt/link": "a/program" },
        });
    });

    it("are found to have links that lead elsewhere, by whatever way", () => {
        const links = {
            "/node_modules/.bin/tsc": "../typescript/bin/tsc",
            "/node_modules/a": "../../home/a",
            "/node_modules/@x/b": "/node_modules/b",
            "/node_modules/c": "/srv/c",
            "/node_modules/d": "../node_modules_of_others",
        };
        deepStrictEqual(linksOutOf("/node_modules", links), [
            "/node_modules/a → ../../home/a",
            "/node_modules/c → /srv/c",
            "/node_modules/d → ../node_modules_of_others",
        ]);
    });
});
