import { chmod, copyFile, cp, link, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { cloudVersionFor } from "../provider/cloud-provider/images";
import { type BundleManifest, bundleApiVersion, manifestName, readManifest } from "../provider/common/bundle";
import { NfvError } from "../provider/common/errors";
import type { BundleFile, Role } from "../provider/common/model";
import { noSuchVersion, refuseVersion, versionNote } from "./bundle-version";
import { obtain } from "./cache";
import { refuseMissing } from "./doctor";
import type { FoundTool } from "./found";
import { type AddOnName, addOns } from "./oci/add-on-images";
import { writeImage } from "./oci/archive";
import { busyboxApplets, busyboxProgram, debianFiles, iptablesContent } from "./oci/debian-files";
import { bundleImages, refuseOtherEtcd, shortName } from "./oci/images";
import { pauseProgram } from "./oci/pause";
import { duration, megabytes, type Progress, silent } from "./progress";
import { type ResolveOptions, resolveTool, ToolMissing } from "./resolver";
import { restamped } from "./restamp";
import { run } from "./run";
import { sha256File } from "./sums";
import { etcdVersionFor, type ToolName, tool, versions } from "./versions";

export interface BundleOptions extends Pick<ResolveOptions, "sources" | "onProgress"> {
    /** Kubernetes version without "v". @default the pinned one */
    kubernetes?: string;
    /** A minor that this package does not know is no reason to refuse. @default false */
    allowUnsupportedVersion?: boolean | undefined;
    /** For tests of upgrades only: the programs are those of this version, and only report the other number. @default genuine programs */
    restampFrom?: string;
    /** Images that the bundle has besides those of Kubernetes. @default none */
    addOns?: readonly AddOnName[];
}

/** Raise it when images are made differently: cached bundles are then made again. */
const recipeVersion = 2;

const everywhere: Role[] = ["controlPlane", "worker"];
const binaries: Record<string, Role[]> = {
    kubelet: everywhere,
    kubeadm: everywhere,
    kubectl: everywhere,
    etcdctl: ["controlPlane"],
    etcdutl: ["controlPlane"],
};
const cniPlugins = ["bridge", "host-local", "loopback", "portmap"];

/** The folder of a bundle in the cache, made if missing. That takes minutes from binaries, longer if these must be built. */
export async function ensureBundle(options: BundleOptions = {}): Promise<string> {
    const progress = options.onProgress ?? silent;
    const kubernetes = options.kubernetes ?? versions.kubernetes;
    const today = new Date();
    refuseVersion(kubernetes, options.allowUnsupportedVersion, today);
    const note = versionNote(kubernetes, today);
    if (note !== undefined) progress(note);
    const wanted = [...(options.addOns ?? [])].sort();
    for (const name of wanted) refuseOtherRelease(name, kubernetes);
    const { sources } = options;
    const others = [
        tool("etcd", etcdVersionFor(kubernetes)),
        ...["coredns" as const, "cni" as const, ...toolsOf(wanted)].map(name => tool(name)),
    ];
    await refuseMissing([tool("kubernetes", options.restampFrom ?? kubernetes), ...others], { sources });
    const tools = [
        await kubernetesTool(kubernetes, options),
        ...(await inTurn(others, ({ name, version }) => resolveTool(name, { version, sources, onProgress: progress }))),
    ];
    const programs: Record<string, string> = Object.assign({}, ...tools.map(found => found.programs));
    const recipes = wanted.flatMap(name => addOns[name].manifests?.recipe ?? []);
    const more = { ...(wanted.length > 0 && { addOns: wanted }), ...(recipes.length > 0 && { recipes }) };
    const inputs = {
        recipeVersion,
        kubernetes,
        ...more,
        tools: tools.map(found => [found.tool.version, found.programs]),
    };
    const started = Date.now();
    const entry = await obtain(
        { group: "bundles", name: `kubernetes-${kubernetes}`, inputs },
        async draft => {
            const files: Record<string, string> = Object.assign({}, ...tools.map(found => found.files));
            await fill(draft, kubernetes, wanted, { programs, files }, progress);
            progress(`bundle for Kubernetes ${kubernetes} made in ${duration(Date.now() - started)}`);
            return Object.fromEntries(tools.map(found => [found.tool.name, `${found.source} ${found.detail}`]));
        },
        progress,
    );
    return entry.folder;
}

async function kubernetesTool(version: string, options: BundleOptions): Promise<FoundTool> {
    const { restampFrom, sources, onProgress } = options;
    const found = await resolveTool("kubernetes", { sources, onProgress, version: restampFrom ?? version }).catch(
        error => {
            // A proxy that answers 404 to everything says nothing of the version that this package was made with.
            const isAbsent = error instanceof ToolMissing && version !== versions.kubernetes;
            throw isAbsent && error.absent !== undefined ? noSuchVersion(version, error.absent) : error;
        },
    );
    return restampFrom === undefined ? found : restamped(found, version, onProgress);
}

/** OpenStack's parts follow Kubernetes' releases: a cluster's manifests would name other images than this bundle has. */
function refuseOtherRelease(name: AddOnName, kubernetes: string): void {
    const { followsKubernetes, tools } = addOns[name];
    const version = `v${versions[tools[0]]}`;
    const named = cloudVersionFor(kubernetes);
    if (!followsKubernetes || named === version) return;
    throw new NfvError({
        code: "INVALID_INPUT",
        cause: `--add-ons ${name}: a cluster with Kubernetes ${kubernetes} wants ${named ?? "a version that is not known here"}, and the programs that we have are ${version}`,
        hint: "Leave it out, and mirror upstream's images: cloudProvider.imageRepository.",
    });
}

function toolsOf(wanted: readonly AddOnName[]): ToolName[] {
    return [...new Set(wanted.flatMap(name => addOns[name].tools))];
}

async function fill(
    folder: string,
    kubernetes: string,
    wanted: readonly AddOnName[],
    parts: Pick<FoundTool, "programs" | "files">,
    progress: Progress,
) {
    const { programs } = parts;
    const list = await run([programs.kubeadm, "config", "images", "list", "--kubernetes-version", `v${kubernetes}`]);
    const ofKubeadm = list.trim().split("\n");
    refuseOtherEtcd(ofKubeadm, etcdVersionFor(kubernetes), kubernetes);
    await Promise.all(["bin", "cni", "images"].map(name => mkdir(join(folder, name))));
    const files: BundleFile[] = [];
    const add = async (
        path: string,
        kind: BundleFile["kind"],
        roles: Role[],
        more?: Pick<BundleFile, "image" | "digest" | "version">,
    ) => {
        const file = join(folder, path);
        files.push({ path, kind, sha256: await sha256File(file), sizeBytes: (await stat(file)).size, roles, ...more });
    };
    for (const [name, roles] of Object.entries(binaries)) {
        await share(programs[name], join(folder, "bin", name));
        await add(`bin/${name}`, "binary", roles);
    }
    for (const name of cniPlugins) {
        await share(programs[name], join(folder, "cni", name));
        await add(`cni/${name}`, "cni", everywhere);
    }
    const runtime = Object.entries(
        Object.assign({}, ...wanted.map(name => addOns[name].runtime ?? {})) as Record<string, string>,
    );
    if (runtime.length > 0) await mkdir(join(folder, "runtime"));
    for (const [name, version] of runtime) {
        await share(programs[name], join(folder, "runtime", name));
        await add(`runtime/${name}`, "runtime", everywhere, { version });
    }
    const more = (await inTurn(wanted, name => addOns[name].images(programs, progress))).flat();
    // add-ons share sidecars
    const once = [...new Map(more.map(image => [image.name, image])).values()];
    await inPairs([...(await images(ofKubeadm, programs, progress)), ...once], async image => {
        const path = `images/${shortName(image.name)}.tar`;
        const digest = await writeImage(image, join(folder, path));
        await add(path, "image", image.roles, { image: image.name, digest });
        const { sizeBytes } = files.find(file => file.path === path)!;
        progress(`image ${image.name}: ${megabytes(sizeBytes)}`);
    });
    const manifests = await inTurn(wanted, async name =>
        addOns[name].manifests?.make({ files: parts.files, kubectl: programs.kubectl }),
    );
    for (const each of manifests.flatMap(list => list ?? [])) {
        await mkdir(dirname(join(folder, each.path)), { recursive: true });
        await writeFile(join(folder, each.path), each.text);
        await add(each.path, "manifest", [], { version: each.version });
    }
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    const manifest: BundleManifest = { apiVersion: bundleApiVersion, kubernetes, arch: "amd64", files };
    await writeFile(join(folder, manifestName), `${JSON.stringify(manifest, null, 4)}\n`);
}

async function images(wanted: string[], programs: Record<string, string>, progress: Progress) {
    const root = await debianFiles(progress);
    const busybox = busyboxProgram(root);
    return bundleImages(wanted, {
        programs,
        pause: await pauseProgram(progress),
        iptables: await iptablesContent(root),
        busybox,
        applets: await busyboxApplets(busybox),
    });
}

/** A hard link to the same file if possible, so that bundles and cache share their parts. */
async function share(from: string, to: string): Promise<void> {
    await link(from, to).catch(() => copyFile(from, to));
    await chmod(to, 0o755);
}

/** The bundle's manifest. */
export const readBundle = readManifest;

/** Reads every file of a bundle and compares it with the manifest; throws BUNDLE_INVALID naming all that differ. */
export async function verifyBundle(folder: string): Promise<BundleManifest> {
    const manifest = await readManifest(folder);
    const wrong: string[] = [];
    for (const file of manifest.files) {
        const sum = await sha256File(join(folder, file.path)).catch(() => undefined);
        if (sum !== file.sha256) {
            wrong.push(sum === undefined ? `${file.path} is missing` : `${file.path} has the sum ${sum}`);
        }
    }
    if (wrong.length > 0) {
        throw new NfvError({ code: "BUNDLE_INVALID", cause: `${folder}: ${wrong.join("; ")}` });
    }
    return manifest;
}

/**
 * What a bundle has otherwise than the one that was in its place: "bin/kubelet has another sum". None if that was of another version, or is none: there is
 * nothing to compare with. Pure.
 */
export function differences(before: BundleManifest | undefined, after: BundleManifest): string[] {
    if (before?.kubernetes !== after.kubernetes) return [];
    const sums = ({ files }: BundleManifest) => new Map(files.map(({ path, sha256 }) => [path, sha256]));
    const [former, present] = [sums(before), sums(after)];
    return [
        ...[...present].flatMap(([path, sum]) => {
            const was = former.get(path);
            if (was === sum) return [];
            return was === undefined ? `${path} is new` : `${path} has the sum ${sum}, before ${was}`;
        }),
        ...[...former.keys()].filter(path => !present.has(path)).map(path => `${path} is gone`),
    ];
}

/**
 * Copies a bundle to a folder that the user names. The folder must be missing, empty, or a bundle of ours without other files; it is deleted first.
 */
export async function exportBundle(from: string, to: string): Promise<void> {
    const target = resolve(to);
    await refuseOthersFiles(target);
    await mkdir(dirname(target), { recursive: true });
    const draft = `${target}.draft-${process.pid}`;
    await cp(from, draft, { recursive: true, filter: path => !path.endsWith(".complete.json") });
    await rm(target, { recursive: true, force: true });
    await rename(draft, target);
}

/** Web applications have a manifest.json, too. Only a bundle's manifest that lists all files of the folder allows its deletion. */
export async function refuseOthersFiles(target: string): Promise<void> {
    const refusal = (cause: string) =>
        new NfvError({ code: "INVALID_INPUT", cause: `${target} ${cause}`, hint: "Give another folder." });
    const present = await readdir(target, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return [] as string[];
        throw refusal(`cannot be looked at: ${error.message}`);
    });
    if (present.length === 0) return;
    const manifest = await readManifest(target).catch((error: NfvError) => {
        throw refusal(`has files and is not a bundle: ${error.reason}`);
    });
    const ours = new Set([manifestName, ...manifest.files.flatMap(({ path }) => [path, dirname(path)])]);
    const others = present.filter(path => !ours.has(path));
    if (others.length === 0) return;
    const shown = [...others.slice(0, 5), ...(others.length > 5 ? [`${others.length - 5} more`] : [])].join(", ");
    throw refusal(`is a bundle with files of others in it: ${shown}`);
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
    const results: R[] = [];
    for (const item of items) {
        results.push(await work(item));
    }
    return results;
}

/** Two at a time, because compression uses threads of its own. */
async function inPairs<T>(items: T[], work: (item: T) => Promise<void>): Promise<void> {
    const queue = [...items];
    const worker = async () => {
        for (let item = queue.shift(); item; item = queue.shift()) {
            await work(item);
        }
    };
    await Promise.all([worker(), worker()]);
}
