import { existsSync, realpathSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { NfvError } from "../provider/common/errors";
import { whyUnreadable } from "../provider/common/given-file";
import { verifyBundle } from "./bundle";
import { hasDebianPackages, unpackedPackages } from "./debian-packages";
import { writeImage } from "./oci/archive";
import { librariesIn } from "./oci/debian-files";
import type { LayerContent } from "./oci/layer";
import { type PipelineParts, packagesFolder, pipelineImage } from "./oci/pipeline-image";
import { linksOutOf, treeContent } from "./oci/tree";
import { duration, megabytes, type Progress, silent } from "./progress";
import { type ResolveOptions, resolveTool } from "./resolver";
import type { PluginName } from "./versions";

export interface PipelineImageOptions extends Pick<ResolveOptions, "sources" | "onProgress"> {
    /** Folder of the project, with its packages installed. */
    project: string;
    /** File of the image, an OCI archive. */
    out: string;
    /** Full name with tag. @default localhost/nfv-pipeline, with the package's version */
    name?: string | undefined;
    /** Folder of a bundle for the nodes. @default none */
    bundle?: string | undefined;
    /** PEM file with authorities of the site, besides the public ones. @default none */
    authorities?: string | undefined;
}

/** What a pipeline and its CI system call, and what the name of each says. */
const debianPackages = [
    ...["base-files", "bash", "dash", "coreutils", "debianutils", "diffutils", "findutils", "grep", "sed", "mawk"],
    ...["gzip", "tar", "util-linux", "procps", "hostname", "netbase", "ca-certificates", "libc-bin"],
    ...["git", "openssh-client", "curl", "jq", "libstdc++6"],
];
/** Of their dependencies only libraries: the others are for their installation, or Perl, which only commands of git need that pipelines do not call. */
const isNoLibrary = (name: string) => !/^z?lib/.test(name) || /perl|pam-modules|-common|-bin$/.test(name);
const plugins: readonly PluginName[] = ["kubernetes", "openstack", "command"];
const mozilla = "usr/share/ca-certificates/mozilla";

/** Writes the image in which pipelines run, without a container engine; returns its digest. The same parts give the same bytes. */
export async function makePipelineImage(options: PipelineImageOptions): Promise<string> {
    const progress = options.onProgress ?? silent;
    const started = Date.now();
    const out = resolve(options.out);
    refuseName(options.name);
    if (!existsSync(dirname(out))) throw wrong(`there is no folder ${dirname(out)}`);
    const parts = await partsOf(options, progress);
    progress(`writing ${basename(out)}`);
    const digest = await writeImage(pipelineImage(parts), out);
    const { size } = await stat(out);
    progress(`${parts.name}@${digest}: ${megabytes(size)}, in ${duration(Date.now() - started)}`);
    return digest;
}

async function partsOf(options: PipelineImageOptions, progress: Progress): Promise<PipelineParts> {
    const { sources } = options;
    const siteAuthorities = options.authorities && (await authoritiesIn(options.authorities));
    const project = await projectPackages(options.project);
    const bundle = options.bundle && { folder: resolve(options.bundle), manifest: await verifyBundle(options.bundle) };
    const cli = await resolveTool("pulumi", { sources, onProgress: progress });
    const found = [];
    for (const { name, version } of project.plugins) {
        const tool = await resolveTool(`plugin-${name}`, { version, sources, onProgress: progress });
        found.push({ name, version, program: tool.programs[`pulumi-resource-${name}`] });
    }
    for (const name of project.otherPlugins)
        progress(`${name} has a plugin of Pulumi that this command does not know: programs that use it will not run`);
    const root = await systemFolder(progress);
    return {
        name: options.name ?? `localhost/nfv-pipeline:${project.version}`,
        version: project.version,
        system: await treeContent(root, systemPlace),
        authorities: await publicAuthorities(root),
        ...(siteAuthorities && { siteAuthorities }),
        node: { version: process.versions.node, program: await nodeProgram(root), npm: await npmContent(progress) },
        pulumi: { version: cli.tool.version, programs: cli.programs },
        plugins: found,
        packages: project.content,
        scripts: {
            withHome: join(project.own, "examples/pipelines/image/with-home.sh"),
            pipeline: join(project.own, "examples/pipelines/nfv-pipeline.sh"),
        },
        ...(bundle && { bundle }),
    };
}

/** Kubernetes and containerd find an image only by a name that has a registry. */
function refuseName(name: string | undefined): void {
    if (name === undefined || /^(localhost|[a-z0-9-]+[.:][a-z0-9.:-]*)\/[a-z0-9._/-]+:[\w][\w.-]*$/.test(name)) return;
    throw wrong(`--name ${name}: a name with registry and tag is expected, registry.site/nfv-pipeline:1`);
}

/** @throws INVALID_INPUT */
async function authoritiesIn(file: string): Promise<string> {
    const text = await readFile(file, "utf8").catch((error: Error) => {
        throw wrong(`--ca ${whyUnreadable(file, error)}`);
    });
    if (/PRIVATE KEY/.test(text)) throw wrong(`--ca ${file} has a private key, which must not get into an image`);
    if (!/^-----BEGIN CERTIFICATE-----$/m.test(text)) throw wrong(`--ca ${file} has no certificate in PEM`);
    return `${text.trimEnd()}\n`;
}

interface ProjectPackages {
    content: LayerContent;
    /** Folder and version of our own package. */
    own: string;
    version: string;
    plugins: { name: PluginName; version: string }[];
    otherPlugins: string[];
}

/** The packages of a project, and nothing else of it: no configuration, no login of npm. @throws INVALID_INPUT */
export async function projectPackages(project: string): Promise<ProjectPackages> {
    const folder = resolve(project, "node_modules");
    const own = join(folder, "pulumi-nfv");
    if (!existsSync(join(own, "package.json")))
        throw wrong(`${resolve(project)} has no pulumi-nfv in node_modules`, "Run npm ci there, or give --project.");
    const content = await treeContent(folder, packagePlace);
    const outside = linksOutOf(packagesFolder, content.links);
    if (outside.length > 0) {
        const hint = "Install packages from archives (npm pack) and not from folders.";
        throw wrong(
            `these links of ${folder} would lead nowhere in the image: ${outside.slice(0, 5).join(", ")}`,
            hint,
        );
    }
    const manifests = await pulumiPackages(join(folder, "@pulumi"));
    const isKnown = (name: string): name is PluginName => (plugins as readonly string[]).includes(name);
    return {
        content,
        own,
        version: (await manifestIn(own)).version,
        plugins: manifests.flatMap(({ name, version }) => (isKnown(name) ? [{ name, version }] : [])),
        otherPlugins: manifests.filter(({ name }) => !isKnown(name)).map(({ name }) => `@pulumi/${name}`),
    };
}

/** At the top of node_modules only these of the hidden names are packages' own: others are caches and logs. */
function packagePlace(path: string): string | undefined {
    return /^\.(?!bin$|pnpm$)[^/]*$/.test(path) ? undefined : `${packagesFolder}/${path}`;
}

/** npm packages of Pulumi that need a plugin, which has the version of the package. */
async function pulumiPackages(folder: string): Promise<{ name: string; version: string }[]> {
    const names = await readdir(folder).catch(() => [] as string[]);
    const manifests = await Promise.all(
        names.sort().map(async name => ({ name, manifest: await manifestIn(join(folder, name)) })),
    );
    return manifests.flatMap(({ name, manifest: { pulumi, version } }) =>
        pulumi?.resource ? [{ name: pulumi.name ?? name, version: (pulumi.version ?? version).replace(/^v/, "") }] : [],
    );
}

interface Manifest {
    version: string;
    pulumi?: { resource?: boolean; name?: string; version?: string };
}

async function manifestIn(folder: string): Promise<Manifest> {
    return JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
}

async function systemFolder(progress: Progress): Promise<string> {
    if (!(await hasDebianPackages()))
        throw new NfvError({
            code: "TOOL_MISSING",
            step: "image for pipelines",
            cause: "the files of the image come from Debian's packages, by apt-get and dpkg-deb",
            hint: "Run this on Debian, or build examples/pipelines/image/Containerfile by podman or docker.",
        });
    const why = "the image for pipelines";
    const wanted = { group: "oci", name: "pipeline-files", packages: debianPackages, why };
    return unpackedPackages({ ...wanted, without: isNoLibrary, current: true }, progress);
}

/** Bookworm's packages still have files in /bin, /sbin and /lib. Licences stay, other documentation does not. */
export function systemPlace(path: string): string | undefined {
    if (path === ".complete.json" || /^usr\/share\/(?!(doc|git-core|common-licenses)(\/|$))/.test(path))
        return undefined;
    if (/^usr\/share\/doc\/[^/]+\/(?!copyright$)/.test(path)) return undefined;
    return /^(s?bin|lib|lib64)(\/|$)/.test(path) ? `/usr/${path}` : `/${path}`;
}

async function publicAuthorities(root: string): Promise<string> {
    const names = (await readdir(join(root, mozilla))).sort();
    const texts = await Promise.all(names.map(name => readFile(join(root, mozilla, name), "utf8")));
    return texts.map(text => `${text.trimEnd()}\n`).join("");
}

/** The Node.js that runs this. Upstream's builds need only the C and C++ libraries; a distribution's may need its own others. */
async function nodeProgram(root: string): Promise<string> {
    const program = realpathSync(process.execPath);
    const missing = (await librariesIn(root, program)).filter(
        name => !existsSync(join(root, "usr", name)) && !existsSync(join(root, name)),
    );
    if (missing.length === 0) return program;
    throw wrong(
        `${program} needs libraries that the image does not have: ${missing.map(name => basename(name)).join(", ")}`,
        "Run this command by a Node.js of upstream's builds.",
    );
}

async function npmContent(progress: Progress): Promise<LayerContent | undefined> {
    const folder = join(dirname(realpathSync(process.execPath)), "../lib/node_modules/npm");
    if (!existsSync(folder)) {
        progress("the image gets no npm: there is none beside this Node.js");
        return undefined;
    }
    const isManual = (path: string) => /^(docs|man)(\/|$)/.test(path);
    return treeContent(folder, path => (isManual(path) ? undefined : `/usr/local/lib/node_modules/npm/${path}`));
}

function wrong(cause: string, hint?: string): NfvError {
    return new NfvError({ code: "INVALID_INPUT", cause, ...(hint && { hint }) });
}
