import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { entryFolder, obtain } from "../tools/cache";
import { type Progress, silent } from "../tools/progress";
import { run, tryRun } from "../tools/run";
import { ensurePackages } from "../tools/system-packages";

/** The source distribution of Tacker: it has its samples, and the packages of its own tests. */
const distribution = {
    name: "tacker",
    version: "16.0.0",
    sha256: "02f8bde37ae57c617f80b6b0ef6c7b930bd3c1753224edf5750da23c8a6af015",
    /** What is unpacked of it; images of machines are not. */
    folders: ["samples", "doc/source/user"],
    without: ["*.img"],
};

const entry = { group: "samples", name: `tacker-${distribution.version}`, inputs: distribution };

/** Where the samples are, or are to be: paths in it are those of the distribution. */
export const tackerSamples = entryFolder(entry);

/** Why tests that need the samples cannot run. */
export function noTackerSamples(): string | undefined {
    if (existsSync(tackerSamples)) return undefined;
    return "Tacker's samples are not in the cache (the level unit of npm test downloads them from the Python package index)";
}

/** Downloads and unpacks the samples. pip runs code of the distribution, but only after it has found the right sum. */
export async function ensureTackerSamples(onProgress: Progress = silent): Promise<void> {
    await obtain(entry, folder => download(folder, onProgress), onProgress);
}

async function download(folder: string, onProgress: Progress): Promise<Record<string, string>> {
    const { name, version, sha256, folders, without } = distribution;
    if ((await tryRun(["python3", "-m", "pip", "--version"])).exitCode !== 0) {
        await ensurePackages(["python3-pip"], "Tacker's samples", { onProgress });
    }
    onProgress(`downloading the source distribution of ${name} ${version}`);
    const draft = await mkdtemp(`${folder}-download-`);
    try {
        const wanted = join(draft, "wanted.txt");
        await writeFile(wanted, `${name}==${version} --hash=sha256:${sha256}\n`);
        const options = ["--quiet", "--no-deps", "--no-binary", name, "--require-hashes"];
        const pip = ["python3", "-m", "pip", "download", ...options, "--requirement", wanted, "--dest", draft];
        await run(pip, { what: `download ${name} ${version}`, timeoutSeconds: 300 });
        const [root, archive] = [`${name}-${version}`, join(draft, `${name}-${version}.tar.gz`)];
        const wished = [...without.map(each => `--exclude=${each}`), ...folders.map(each => `${root}/${each}`)];
        await run(["tar", "-xzf", archive, "-C", folder, "--no-same-owner", "--strip-components=1", ...wished]);
        return { sha256 };
    } finally {
        await rm(draft, { recursive: true, force: true });
    }
}
