import { chmod, copyFile, cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type EntryRequest, lookUp, obtain } from "./cache";
import { unpackedPackages } from "./debian-packages";
import type { GoGroup } from "./go-group";
import { downloaded, environment, identity, moduleFolder } from "./go-module";
import { duration, heartbeat, type Progress } from "./progress";
import { hasProgram, run } from "./run";

let toolchain: Promise<string | undefined> | undefined;

/** "go1.26.8"; undefined without Go. */
export function goVersion(): Promise<string | undefined> {
    toolchain ??= hasProgram("go").then(async has =>
        has ? (await run(["go", "env", "GOVERSION"])).trim() : undefined,
    );
    return toolchain;
}

/** The programs of a group if all are built already. */
export async function builtPrograms(group: GoGroup): Promise<Record<string, string> | undefined> {
    const go = await goVersion();
    const programs: Record<string, string> = {};
    for (const program of Object.keys(group.programs)) {
        const entry = go && (await lookUp(programRequest(group, program, go)));
        if (!entry) {
            return undefined;
        }
        programs[program] = join(entry.folder, program);
    }
    return programs;
}

/** Builds the missing programs one after another, because the compiler uses all cores by itself. */
export async function buildPrograms(group: GoGroup, progress: Progress): Promise<Record<string, string>> {
    const go = (await goVersion()) ?? "";
    const programs: Record<string, string> = {};
    for (const [program, { package: path, usualSeconds }] of Object.entries(group.programs)) {
        const build = async (draft: string) => {
            const module = await moduleFolder(group, go, progress);
            // Go may write to go.sum while it builds; the module's entry in the cache must not change.
            await Promise.all(["go.mod", "go.sum"].map(file => copyFile(join(module, file), join(draft, file))));
            progress(`building ${program} (usually ${usualSeconds} s on 2 quiet cores, less if built before)`);
            const started = Date.now();
            const stop = heartbeat(progress, `building ${program}`);
            const stamps = group.stamps.flatMap(stamp => ["-X", stamp]);
            const flags = ["-s", "-w", ...stamps, ...(group.linked ? ["-extldflags", "-static"] : [])].join(" ");
            const tags = group.tags ? ["-tags", group.tags.join()] : [];
            const output = [`-modfile=${join(draft, "go.mod")}`, "-o", join(draft, program)];
            await run(["go", "build", "-ldflags", flags, ...tags, ...output, path], {
                cwd: module,
                env: { ...environment, ...(await libraryEnvironment(group, progress)) },
                what: `build ${program}`,
            }).finally(stop);
            progress(`built ${program} in ${duration(Date.now() - started)}`);
            return { detail: `built with ${go}` };
        };
        const entry = await obtain(programRequest(group, program, go), build, progress);
        programs[program] = join(entry.folder, program);
    }
    return programs;
}

/** Where the compiler finds a group's C library: Debian's, unpacked into the cache. */
async function libraryEnvironment({ name, linked }: GoGroup, progress: Progress): Promise<Record<string, string>> {
    if (linked === undefined) return {};
    const { packages, library } = linked;
    const wanted = { group: "go", name: `library-${library}`, packages, why: name };
    const root = await unpackedPackages(wanted, progress);
    return {
        CGO_ENABLED: "1",
        CGO_CFLAGS: `-I${join(root, "usr/include")}`,
        CGO_LDFLAGS: `-L${join(root, "usr/lib/x86_64-linux-gnu")} -l${library}`,
        // It would ask for what these two say, and a machine need not have pkg-config.
        PKG_CONFIG: "true",
    };
}

/** The folders of a group's module if all were taken already. */
export async function takenFiles(group: GoGroup): Promise<Record<string, string> | undefined> {
    if (group.files === undefined) return {};
    const entry = await lookUp(filesRequest(group.name, group.files));
    return entry && pathsIn(entry.folder, group.files);
}

/** The folders of a group's module, copied out of Go's own cache: that one is read-only, and users clear it. */
export async function moduleFiles(group: GoGroup, progress: Progress): Promise<Record<string, string>> {
    const { name, files } = group;
    if (files === undefined) return {};
    const take = async (draft: string) => {
        const module = await downloaded(files.module, draft);
        for (const [folder, path] of Object.entries(files.folders)) {
            await cp(join(module, path), join(draft, folder), { recursive: true });
        }
        await makeWritable(draft);
        return {};
    };
    return pathsIn((await obtain(filesRequest(name, files), take, progress)).folder, files);
}

function filesRequest(name: string, files: NonNullable<GoGroup["files"]>): EntryRequest {
    return { group: "go", name: `files-${name}`, inputs: files };
}

function pathsIn(folder: string, files: NonNullable<GoGroup["files"]>): Record<string, string> {
    return Object.fromEntries(Object.keys(files.folders).map(name => [name, join(folder, name)]));
}

async function makeWritable(folder: string): Promise<void> {
    await chmod(folder, 0o755);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
        if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
        else await chmod(join(folder, entry.name), 0o644);
    }
}

function programRequest(group: GoGroup, program: string, go: string): EntryRequest {
    const { stamps, tags, linked } = group;
    const more = tags || linked ? [tags, linked] : [];
    return { group: "go", name: program, inputs: [identity(group), stamps, program, go, environment, ...more] };
}
