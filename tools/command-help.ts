interface Help {
    usage: string;
    does: string;
    /** Option, with its value → what it does. */
    options: Readonly<Record<string, string>>;
    /** Lines behind the options. */
    notes?: readonly string[];
    examples: readonly string[];
}

/** What `nfv COMMAND --help` shows, by the command's name. A test compares the options with those that the command takes. */
export const commandHelp: Readonly<Record<string, Help>> = {
    bundle: {
        usage: "nfv bundle [options]",
        does: "make what machines need to become Kubernetes nodes without Internet: binaries, CNI plugins, container images, a manifest of sums",
        options: {
            "--kubernetes VERSION": "1.36.3 (default: the version with which this package is tested)",
            "--out FOLDER": "where it is copied to (default: it stays in the cache, and its path is printed)",
            "--allow-unsupported-version": "also a minor that this package does not know (nfv versions)",
            "--add-ons NAMES": "images and manifests that it has besides, separated by commas; nfv help lists them",
        },
        examples: [
            "nfv bundle --kubernetes 1.36.3 --out ./bundle",
            "nfv bundle --add-ons nfs-csi,cinder-csi --out ./bundle",
        ],
    },
    verify: {
        usage: "nfv verify FOLDER",
        does: "compare a bundle with its manifest; changes nothing",
        options: {},
        examples: ["nfv verify ./bundle"],
    },
    image: {
        usage: "nfv image --out FILE [options]",
        does: "make a container image for pipelines, an OCI archive, without a container engine (examples/pipelines/image)",
        options: {
            "--out FILE": "the archive",
            "--project FOLDER": "whose installed packages are in it (default: this folder)",
            "--name NAME": "full name with tag (default: localhost/nfv-pipeline, with the package's version)",
            "--bundle FOLDER": "a bundle for the nodes (default: none)",
            "--ca FILE": "PEM file with authorities of the site, besides the public ones (default: none)",
        },
        examples: [
            "nfv image --name registry.site/nfv-pipeline:1 --out nfv-pipeline.tar",
            "nfv image --bundle ./bundle --ca site.pem --out nfv-pipeline.tar",
        ],
    },
    doctor: {
        usage: "nfv doctor",
        does: "say where each tool comes from, and what is missing",
        options: {},
        examples: ["nfv doctor"],
    },
    check: {
        usage: "nfv check [options]",
        does: "look at the stack's machines and nodes; changes nothing (docs/check.md)",
        options: {
            "-s, --stack NAME": "the stack (default: the selected one)",
            "-C, --cwd FOLDER": "the project's folder (default: this one)",
            "--state FILE": "an export of the state instead, made with --show-secrets; - is standard input",
            "--at-most N": "how many nodes pulumi up --refresh may heal at once (default 1)",
            "--share S": "which share of the nodes, from 0 to 1 (default 0.34)",
            "--json": "the result as JSON on standard output",
            "--junit FILE": "what was found as JUnit's XML",
            "--sarif FILE": "what was found as SARIF, for annotations",
        },
        notes: [
            "Exit codes:",
            "  0   healthy",
            "  20  pulumi up --refresh heals all that was found",
            "  21  that would heal more nodes than --at-most or --share allow",
            "  22  a person is needed, or something could not be asked",
        ],
        examples: [
            "nfv check --stack site",
            "nfv check --at-most 2 --share 0.5 --json >check.json",
            "pulumi stack export --show-secrets | nfv check --state -",
        ],
    },
    versions: {
        usage: "nfv versions [options]",
        does: "show the versions of Kubernetes that this package knows: until when upstream supports them, and what goes with them (docs/versions.md)",
        options: { "--json": "the table as JSON on standard output, with the state of each minor on this day" },
        examples: ["nfv versions", "nfv versions --json"],
    },
    version: {
        usage: "nfv version",
        does: "show the version of this package",
        options: {},
        examples: ["nfv version"],
    },
};

/** Undefined: it has no page of its own. Pure. */
export function helpOf(command: string): string | undefined {
    if (!Object.hasOwn(commandHelp, command)) return undefined;
    const { usage, does, options, notes = [], examples } = commandHelp[command]!;
    const all = Object.entries({ ...options, "-h, --help": "show this" });
    const width = Math.max(...all.map(([option]) => option.length));
    return [
        `Usage: ${usage}`,
        "",
        does,
        "",
        "Options:",
        ...all.map(([option, text]) => `  ${option.padEnd(width)}  ${text}`),
        ...(notes.length > 0 ? ["", ...notes] : []),
        "",
        "Examples:",
        ...examples.map(each => `  ${each}`),
    ].join("\n");
}
