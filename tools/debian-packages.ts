import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { NfvError } from "../provider/errors";
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
}

/** Whether this machine can download Debian packages. */
export async function hasDebianPackages(): Promise<boolean> {
    return (await hasProgram("apt-get")) && (await hasProgram("dpkg-deb"));
}

/** A folder with the files of Debian packages and of all that they depend on: unpacked into the cache, not installed. */
export async function unpackedPackages(wanted: PackageFiles, progress: Progress): Promise<string> {
    const { group, name, packages } = wanted;
    const release = (await readFile("/etc/os-release", "utf8").catch(() => "")).match(/^VERSION_ID="?([^"\n]*)/m)?.[1];
    const request = { group, name, inputs: { release, packages } };
    return (await obtain(request, draft => unpack(draft, wanted, progress), progress)).folder;
}

async function unpack(draft: string, { packages, why }: PackageFiles, progress: Progress) {
    const names = await withDependencies(packages, why);
    progress(`fetching ${names.length} Debian packages for ${why}`);
    const archives = await mkdtemp(join(draft, ".archives-"));
    await run(["apt-get", "download", "-q", ...names], { cwd: archives, what: "fetch Debian packages" });
    for (const archive of (await readdir(archives)).sort()) {
        await run(["dpkg-deb", "-x", join(archives, archive), draft]);
    }
    await rm(archives, { recursive: true });
    return { packages: names.join(" ") };
}

async function withDependencies(packages: string[], why: string): Promise<string[]> {
    const flags = ["recommends", "suggests", "conflicts", "breaks", "replaces", "enhances"].map(kind => `--no-${kind}`);
    const ask = () => tryRun(["apt-cache", "depends", "--recurse", ...flags, ...packages]);
    let answer = await ask();
    const known = (text: string) => packages.every(name => new RegExp(`^${name}$`, "m").test(text));
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
    return [...new Set(lines)].sort();
}
