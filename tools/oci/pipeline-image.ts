import type { BundleManifest } from "../../provider/common/bundle";
import { manifestName } from "../../provider/common/bundle";
import { type Image, usualPath } from "./archive";
import type { LayerContent } from "./layer";

/** Where the parts of the image for pipelines are on this machine. */
export interface PipelineParts {
    /** Full name with tag. */
    name: string;
    /** Version of the package that the project has. */
    version: string;
    /** Debian's files, at their places in the image. */
    system: LayerContent;
    /** Public authorities, PEM. */
    authorities: string;
    /** Authorities of the site, PEM. */
    siteAuthorities?: string | undefined;
    node: { version: string; program: string; npm?: LayerContent | undefined };
    pulumi: { version: string; programs: Record<string, string> };
    plugins: { name: string; version: string; program: string }[];
    /** The project's node_modules, at its place in the image. */
    packages: LayerContent;
    /** Scripts of the package. */
    scripts: { withHome: string; pipeline: string };
    bundle?: { folder: string; manifest: BundleManifest } | undefined;
}

/** Every program finds packages here: Node and TypeScript search it for each folder, also for a checkout without node_modules. */
export const packagesFolder = "/node_modules";
const pulumiFolder = "/opt/pulumi";
const withHome = "/usr/local/lib/nfv/with-home.sh";
const bundleFolder = "/opt/nfv/bundle";
const authoritiesFile = "/etc/ssl/certs/ca-certificates.crt";
const siteAuthoritiesFile = "/etc/ssl/certs/site.pem";

/** Also the user of GitHub's runners. Its group is root's, as for users that OpenShift chooses. */
const user = "1001:0";
const texts = {
    "/etc/passwd":
        "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534:nobody:/:/bin/false\nnfv:x:1001:0:nfv:/tmp:/bin/bash\n",
    "/etc/group": "root:x:0:\nnogroup:x:65534:\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n",
    // Runners check out as another user than this one, and git would refuse the folder.
    "/etc/gitconfig": "[safe]\n\tdirectory = *\n",
};

/** Without network: no version check, no download, and of each plugin the version that the packages ask for. */
const offline = {
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_IGNORE_AMBIENT_PLUGINS: "true",
    PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
    PULUMI_NFV_SOURCES: "installed",
};

/** What pipelines run in. Pure. What changes rarely is below what changes often. */
export function pipelineImage(parts: PipelineParts): Image {
    const { name, version, node, pulumi, plugins, siteAuthorities, bundle } = parts;
    const versions = { node: node.version, pulumi: pulumi.version };
    const ofPlugins = plugins.map(plugin => [`pulumi-nfv.dev/plugin-${plugin.name}`, plugin.version]);
    return {
        name,
        content: systemLayer(parts),
        above: [
            nodeLayer(node),
            pulumiLayer(pulumi.programs, plugins),
            packagesLayer(parts),
            ...(bundle ? [bundleLayer(bundle)] : []),
        ],
        command: ["/bin/bash"],
        user,
        workingDir: "/work",
        env: {
            PATH: `${usualPath}:${pulumiFolder}:${packagesFolder}/.bin`,
            // A root folder that is read-only has a writable /tmp.
            HOME: "/tmp",
            USER: "nfv",
            LANG: "C.UTF-8",
            ...offline,
            ...(siteAuthorities !== undefined && { NODE_EXTRA_CA_CERTS: siteAuthoritiesFile }),
        },
        labels: {
            "org.opencontainers.image.title": "nfv-pipeline",
            "org.opencontainers.image.description": "Pipelines of pulumi-nfv: nfv, Pulumi with plugins, Node.js, git",
            "org.opencontainers.image.version": version,
            ...Object.fromEntries(Object.entries(versions).map(([key, value]) => [`pulumi-nfv.dev/${key}`, value])),
            ...Object.fromEntries(ofPlugins),
            ...(bundle && { "pulumi-nfv.dev/bundle": bundle.manifest.kubernetes }),
        },
    };
}

function systemLayer({ system, authorities, siteAuthorities }: PipelineParts): LayerContent {
    return {
        ...system,
        texts: {
            ...texts,
            [authoritiesFile]: authorities + (siteAuthorities ?? ""),
            ...(siteAuthorities !== undefined && { [siteAuthoritiesFile]: siteAuthorities }),
        },
        links: {
            ...system.links,
            "/bin": "usr/bin",
            "/sbin": "usr/sbin",
            "/lib": "usr/lib",
            "/lib64": "usr/lib64",
            // Debian makes these when it installs the packages.
            "/usr/bin/awk": "mawk",
            "/usr/bin/which": "which.debianutils",
        },
        folders: ["/root", "/run", "/proc", "/sys", "/dev", "/var/log"],
        openFolders: ["/tmp", "/var/tmp", "/work"],
    };
}

function nodeLayer({ program, npm }: PipelineParts["node"]): LayerContent {
    const commands = npm === undefined ? [] : ["npm", "npx"];
    return {
        ...npm,
        programs: { ...npm?.programs, "/usr/local/bin/node": program },
        links: {
            ...npm?.links,
            ...Object.fromEntries(
                commands.map(name => [`/usr/local/bin/${name}`, `../lib/node_modules/npm/bin/${name}-cli.js`]),
            ),
        },
    };
}

/** Plugins are where a PULUMI_HOME has them. */
function pulumiLayer(programs: Record<string, string>, plugins: PipelineParts["plugins"]): LayerContent {
    const ofPlugins = plugins.map(({ name, version, program }) => [
        `${pulumiFolder}/plugins/resource-${name}-v${version}/pulumi-resource-${name}`,
        program,
    ]);
    const ofCli = Object.entries(programs).map(([name, file]) => [`${pulumiFolder}/${name}`, file]);
    return { programs: Object.fromEntries([...ofCli, ...ofPlugins]) };
}

function packagesLayer({ packages, scripts }: PipelineParts): LayerContent {
    return {
        ...packages,
        programs: {
            ...packages.programs,
            [withHome]: scripts.withHome,
            "/usr/local/bin/nfv-pipeline.sh": scripts.pipeline,
        },
        links: {
            ...packages.links,
            "/usr/local/bin/pulumi": "../lib/nfv/with-home.sh",
            "/usr/local/bin/nfv": "../lib/nfv/with-home.sh",
        },
    };
}

function bundleLayer({ folder, manifest }: NonNullable<PipelineParts["bundle"]>): LayerContent {
    const place = (kinds: string[]) =>
        Object.fromEntries(
            manifest.files
                .filter(({ kind }) => kinds.includes(kind))
                .map(({ path }) => [`${bundleFolder}/${path}`, `${folder}/${path}`]),
        );
    return {
        programs: place(["binary", "cni"]),
        files: { ...place(["image", "manifest"]), [`${bundleFolder}/${manifestName}`]: `${folder}/${manifestName}` },
    };
}
