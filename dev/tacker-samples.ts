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

/** What pip needs to look into the distribution: without it, pip fetches these itself, whatever their sums are, and runs them. */
const builders = [
    "pbr==7.0.3 --hash=sha256:ff223894eb1cd271a98076b13d3badff3bb36c424074d26334cd25aebeecea6b",
    "setuptools==80.9.0 --hash=sha256:062d34222ad13e0cc312a4c02d73f059e86a4acbfbdea8f8f76b28c99f306922",
];

/** Downloads and unpacks the samples. Returns why this machine cannot have them: no pip, or no index of packages. Whatever else fails is thrown. */
export async function ensureTackerSamples(onProgress: Progress = silent): Promise<string | undefined> {
    try {
        await obtain(entry, folder => download(folder, onProgress), onProgress);
        return undefined;
    } catch (error) {
        const { message } = error as Error;
        if (error instanceof NoPip || /Could not find a version that satisfies/.test(message)) return message;
        throw error;
    }
}

class NoPip extends Error {}

async function download(folder: string, onProgress: Progress): Promise<Record<string, string>> {
    const { name, version, sha256, folders, without } = distribution;
    if ((await tryRun(["python3", "-m", "pip", "--version"])).exitCode !== 0) {
        await ensurePackages(["python3-pip"], "Tacker's samples", { onProgress }).catch((error: Error) => {
            throw new NoPip(error.message);
        });
    }
    onProgress(`downloading the source distribution of ${name} ${version}`);
    const draft = await mkdtemp(`${folder}-download-`);
    try {
        const [wheels, path] = [join(draft, "wheels"), join(draft, "path")];
        const pip = async (verb: string, lines: readonly string[], options: readonly string[]) => {
            const list = join(draft, "wanted.txt");
            await writeFile(list, `${lines.join("\n")}\n`);
            const argv = [
                "python3",
                "-m",
                "pip",
                verb,
                "--quiet",
                "--no-deps",
                "--require-hashes",
                "--requirement",
                list,
            ];
            const env = { PYTHONPATH: path, PIP_ROOT_USER_ACTION: "ignore" };
            await run([...argv, ...options], { what: `download ${name} ${version}`, timeoutSeconds: 300, env });
        };
        await pip("download", builders, ["--only-binary", ":all:", "--dest", wheels]);
        await pip("install", builders, ["--no-index", "--find-links", wheels, "--target", path]);
        const itself = [`${name}==${version} --hash=sha256:${sha256}`];
        await pip("download", itself, ["--no-build-isolation", "--no-binary", name, "--dest", draft]);
        const [root, archive] = [`${name}-${version}`, join(draft, `${name}-${version}.tar.gz`)];
        const wished = [...without.map(each => `--exclude=${each}`), ...folders.map(each => `${root}/${each}`)];
        await run(["tar", "-xzf", archive, "-C", folder, "--no-same-owner", "--strip-components=1", ...wished]);
        return { sha256 };
    } finally {
        await rm(draft, { recursive: true, force: true });
    }
}
