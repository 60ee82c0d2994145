import { deepStrictEqual, ok } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { projectRoot } from "../../support/user-project";
import { type Page, packedFiles, packedPages, pagesOf, proseOf } from "./packed-pages";

interface Link {
    page: string;
    target: string;
}

function linksOf(page: Page): Link[] {
    return [...proseOf(page).matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)]
        .map(([, target]) => ({ page: page.file, target: target! }))
        .filter(({ target }) => !/^[a-z]+:/.test(target));
}

/** Anchors of headings, as the usual renderers make them. */
function anchorsOf(text: string): string[] {
    const headings = [...text.replace(/^```[\s\S]*?^```$/gm, "").matchAll(/^#{1,6} (.*)$/gm)].map(
        ([, title]) => title!,
    );
    return headings.map(title =>
        title
            .toLowerCase()
            .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
            .replace(/[^\p{L}\p{N} _-]/gu, "")
            .trim()
            .replace(/ /g, "-"),
    );
}

/** What is wrong with a link; undefined: nothing. */
function broken({ page, target }: Link, files: Set<string>): string | undefined {
    const [relative = "", anchor] = target.split("#");
    const file = relative === "" ? page : path.posix.normalize(path.posix.join(path.posix.dirname(page), relative));
    const folder = file === "." || [...files].some(each => each.startsWith(`${file.replace(/\/$/, "")}/`));
    if (!files.has(file) && !folder) return `${page}: ${target}: there is no such file`;
    if (anchor === undefined || folder) return undefined;
    const anchors = anchorsOf(readFileSync(path.join(projectRoot, file), "utf8"));
    return anchors.includes(anchor) ? undefined : `${page}: ${target}: there is no such heading`;
}

describe("the links of the pages", () => {
    it("lead to files that are packed with them, and to headings that exist", () => {
        const files = new Set(packedFiles());
        const links = packedPages().flatMap(linksOf);
        ok(links.length >= 10, `${links.length}`);
        deepStrictEqual(
            links.flatMap(link => broken(link, files) ?? []),
            [],
        );
    });

    it("lead to files of the repository in the pages that are not packed", () => {
        const { stdout } = spawnSync("git", ["ls-files"], { cwd: projectRoot, encoding: "utf8" });
        const files = new Set(stdout.split("\n"));
        ok(files.size > 300, "this is no checkout with git");
        const links = pagesOf([...files].filter(file => !file.startsWith("docs/"))).flatMap(linksOf);
        deepStrictEqual(
            links.flatMap(link => broken(link, files) ?? []),
            [],
        );
    });

    it("are found broken by this test, if they are", () => {
        const files = new Set(["README.md", "docs/errors.md"]);
        const said = (target: string) => broken({ page: "docs/errors.md", target }, files);
        deepStrictEqual(said("../lab/README.md"), "docs/errors.md: ../lab/README.md: there is no such file");
        deepStrictEqual(said("../README.md#nothing"), "docs/errors.md: ../README.md#nothing: there is no such heading");
        deepStrictEqual(
            [said("../README.md#try-it"), said("../README.md"), said("..")],
            [undefined, undefined, undefined],
        );
    });

    it("name commands that a user of the package has", () => {
        const pages = packedPages().filter(({ file }) => file.startsWith("docs/"));
        ok(pages.length >= 6);
        deepStrictEqual(
            pages.filter(({ text }) => /\bnpm (?:run|start|test)\b/.test(text)).map(({ file }) => file),
            [],
        );
    });
});
