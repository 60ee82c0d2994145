// node dev/release/check-release.mjs [TAG [--notes]]: says what is wrong with the changelog, and with a tag that is to be released; --notes prints its section. Pure functions are tested; the rest is below.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { argv, exit, stdout } from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const heading = /^## (Unreleased|(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?) - (\d{4}-\d{2}-\d{2}))$/;

/** What is wrong with the text of CHANGELOG.md: each section is `## Unreleased`, the first one, or `## 1.2.3 - 2026-11-27`, newest first, with entries. */
export function changelogProblems(text) {
    const [head, ...sections] = text.split(/^(?=## )/m);
    const problems = head.startsWith("# Changelog\n") ? [] : ["it does not begin with # Changelog"];
    const titles = sections.map(section => section.split("\n", 1)[0]);
    for (const [i, title] of titles.entries()) {
        const [, name, version, date] = heading.exec(title) ?? [];
        if (name === undefined) problems.push(`"${title}" is neither ## Unreleased nor ## VERSION - DATE`);
        else if (name === "Unreleased" && i > 0) problems.push("Unreleased is not the first section");
        else if (version !== undefined && Number.isNaN(Date.parse(date))) problems.push(`"${title}" has no date`);
        if (titles.indexOf(title) !== i) problems.push(`"${title}" is there twice`);
    }
    for (const [i, section] of sections.entries())
        if (titles[i] !== "## Unreleased" && !/^- \S/m.test(section)) problems.push(`"${titles[i]}" has no entry`);
    const versions = titles.flatMap(title => heading.exec(title)?.[2] ?? []);
    for (const [i, version] of versions.entries())
        if (i > 0 && compare(versions[i - 1], version) <= 0) problems.push(`${version} is below ${versions[i - 1]}, which is not newer`);
    return problems;
}

/** What is wrong with a tag, "v0.2.0", that is to be released with this package.json and changelog. */
export function releaseProblems(tag, version, changelog) {
    const problems = changelogProblems(changelog);
    if (tag !== `v${version}`) problems.push(`the tag is ${tag}, but package.json says ${version}`);
    const newest = changelog.split("\n").find(line => line.startsWith("## ") && line !== "## Unreleased");
    if (heading.exec(newest ?? "")?.[2] !== version) problems.push(`the newest section of CHANGELOG.md is not ## ${version} - DATE`);
    const unreleased = /^## Unreleased$([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog)?.[1] ?? "";
    if (unreleased.trim() !== "") problems.push("CHANGELOG.md still has entries below ## Unreleased");
    return problems;
}

/** The entries of a version: what a release says of itself. */
export function releaseNotes(version, changelog) {
    const sections = changelog.split(/^(?=## )/m);
    const section = sections.find(each => heading.exec(each.split("\n", 1)[0])?.[2] === version);
    if (section === undefined) throw new Error(`CHANGELOG.md has no section of ${version}`);
    return `${section.slice(section.indexOf("\n")).trim()}\n`;
}

function compare(a, b) {
    const [left, right] = [a, b].map(version => version.split("-"));
    const numbers = [left, right].map(([core]) => core.split(".").map(Number));
    for (const i of [0, 1, 2]) if (numbers[0][i] !== numbers[1][i]) return numbers[0][i] - numbers[1][i];
    // A pre-release comes before its release.
    if (left.length !== right.length) return right.length - left.length;
    return (left[1] ?? "").localeCompare(right[1] ?? "", "en", { numeric: true });
}

if (import.meta.url === pathToFileURL(argv[1] ?? "").href) {
    const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
    const read = file => readFileSync(join(root, file), "utf8");
    const changelog = read("CHANGELOG.md");
    const problems = argv[2] === undefined ? changelogProblems(changelog) : releaseProblems(argv[2], JSON.parse(read("package.json")).version, changelog);
    for (const problem of problems) console.error(`error: ${problem}`);
    if (problems.length === 0 && argv[3] === "--notes") stdout.write(releaseNotes(argv[2].slice(1), changelog));
    exit(problems.length > 0 ? 1 : 0);
}
