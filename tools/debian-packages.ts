import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { NfvError } from "../provider/common/errors";
import { obtain } from "./cache";
import type { Progress } from "./progress";
import { hasProgram, run, tryRun } from "./run";

export interface PackageFiles {
    group: string;
    name: string;
    /** Names of packages; their dependencies are added. */
    packages: string[];
    /** What needs them. */
    why: string;
    /** Which of their dependencies are left out. @default none */
    without?: (name: string) => boolean;
    /** The versions that apt knows now, and no others; with the records by which scanners find them. @default those of the first time */
    current?: boolean;
}

/** Whether this machine can download Debian packages. */
export async function hasDebianPackages(): Promise<boolean> {
    return (await hasProgram("apt-get")) && (await hasProgram("dpkg-deb"));
}

/** A folder with the files of Debian packages and of all that they depend on: unpacked into the cache, not installed. */
export async function unpackedPackages(wanted: PackageFiles, progress: Progress): Promise<string> {
    const { group, name, packages, current } = wanted;
    const release = (await readFile("/etc/os-release", "utf8").catch(() => "")).match(/^VERSION_ID="?([^"\n]*)/m)?.[1];
    const versions = current ? await archivesOf(await withDependencies(wanted)) : undefined;
    const request = { group, name, inputs: { release, packages, ...(versions && { versions }) } };
    return (await obtain(request, draft => unpack(draft, wanted, progress), progress)).folder;
}

/** File names, which have the versions, and sums of what apt would download. */
async function archivesOf(names: string[]): Promise<string[]> {
    const lines = (await run(["apt-get", "download", "-q", "--print-uris", ...names])).split("\n");
    return lines.flatMap(line => /^'\S+' (\S+) \d+ (\S*)/.exec(line)?.slice(1).join(" ") ?? []).sort();
}

async function unpack(draft: string, wanted: PackageFiles, progress: Progress) {
    const { why, current } = wanted;
    const names = await withDependencies(wanted);
    progress(`fetching ${names.length} Debian packages for ${why}`);
    const archives = await mkdtemp(join(draft, ".archives-"));
    await run(["apt-get", "download", "-q", ...names], { cwd: archives, what: "fetch Debian packages" });
    for (const archive of (await readdir(archives)).sort()) {
        await run(["dpkg-deb", "-x", join(archives, archive), draft]);
        if (current) await record(draft, join(archives, archive));
    }
    await rm(archives, { recursive: true });
    return { packages: names.join(" ") };
}

/** Where scanners look in images that have no database of dpkg. */
async function record(draft: string, archive: string): Promise<void> {
    const folder = join(draft, "var/lib/dpkg/status.d");
    await mkdir(folder, { recursive: true });
    const text = await run(["dpkg-deb", "-f", archive]);
    await writeFile(join(folder, /^Package: (.*)$/m.exec(text)![1]), text);
}

async function withDependencies({ packages, why, without }: PackageFiles): Promise<string[]> {
    const flags = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"].map(kind => `--no-${kind}`);
    const ask = () => tryRun(["apt-cache", "depends", "--recurse", ...flags, ...packages]);
    let answer = await ask();
    const known = (text: string) => packages.every(name => text.split("\n").includes(name));
    if ((answer.exitCode !== 0 || !known(answer.stdout)) && process.getuid?.() === 0) {
        await run(["apt-get", "update", "-q"], { what: "update the package lists" });
        answer = await ask();
    }
    if (answer.exitCode !== 0 || !known(answer.stdout)) {
        throw new NfvError({
            code: "TOOL_MISSING",
            step: why,
            cause: `apt does not know all of ${packages.join(", ")}: ${answer.stderr.trim()}`,
            hint: "Run apt-get update.",
        });
    }
    const lines = answer.stdout.split("\n").filter(line => /^[a-z0-9][a-z0-9.+-]*$/.test(line));
    const kept = (name: string) => packages.includes(name) || !without?.(name);
    return [...new Set(lines)].filter(kept).sort();
}
