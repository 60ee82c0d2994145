#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { didYouMean, mostSimilar } from "../provider/common/did-you-mean";
import { NfvError } from "../provider/common/errors";
import { differences, ensureBundle, exportBundle, readBundle, refuseOthersFiles, verifyBundle } from "./bundle";
import { checkStack } from "./check/check-stack";
import { readStack } from "./check/read-stack";
import { jsonReport, textReport } from "./check/report";
import { resourcesIn } from "./check/stack-state";
import { type Found, type HealLimits, usualLimits, verdictOn } from "./check/verdict";
import { helpOf } from "./command-help";
import { doctorReport } from "./doctor";
import { type AddOnName, addOnNames } from "./oci/add-on-images";
import { operationCommands } from "./operation-commands";
import { makePipelineImage } from "./pipeline-image";
import { megabytes } from "./progress";
import { packageRoot } from "./settings";
import { versions } from "./versions";
import { versionsJson, versionsText } from "./versions-table";

const help = `nfv: tools around pulumi-nfv

    nfv bundle [--kubernetes VERSION] [--out FOLDER]   make what nodes need to become Kubernetes nodes without Internet:
               [--add-ons NAMES]                       binaries, CNI plugins, container images, a manifest of sums
               [--allow-unsupported-version]           (also of a minor that this package does not know)
    nfv verify FOLDER                                  compare a bundle with its manifest
    nfv image --out FILE [--project FOLDER]            make a container image for pipelines: nfv, Pulumi, plugins, Node, git and the
              [--name NAME] [--bundle FOLDER]          packages of a project (default: this folder); an OCI archive, made without
              [--ca FILE]                              a container engine (examples/pipelines/image)
    nfv doctor                                         where each tool comes from, and what is missing
    nfv check [--stack NAME | --state FILE]            look at the stack's machines and nodes, change nothing (docs/check.md). Exit code
              [--at-most N] [--share S] [--json]       0: healthy, 20: pulumi up --refresh heals it, 21: that would heal more than N nodes
                                                       (default 1) or the share S of them (0.34), 22: a person is needed, or something
                                                       could not be asked
    nfv preview | up | instantiate | scale POOL=N | heal NODE | upgrade VERSION
              | rotate KEY | backup | restore | terminate | report | completion
                                                       operations of a stack: nfv help scale, and so on
    nfv versions [--json]                              versions of Kubernetes: until when upstream supports them, what goes with them
    nfv version                                        of this package; also --version
    nfv help [COMMAND]                                 options and examples of a command; also COMMAND --help

VERSION is ${versions.kubernetes} if not given, the version with which this package is tested. Another one, in the form 1.MINOR.PATCH, works if a
source has its files: a mirror folder, downloads (with PULUMI_NFV_TRUST_UNPINNED_DOWNLOADS=yes), or Go modules. Without --out the bundle stays in the cache and its path is printed.
NAMES, separated by commas, are what it has besides, images and manifests, or containerd and runc: ${addOnNames.join(", ")}. Their programs come from a mirror folder; containerd, runc, csi-attacher, csi-resizer, external-snapshotter and Cluster API also from Go modules.

Environment: PULUMI_NFV_MIRROR (folder with release files), PULUMI_NFV_SOURCES (some of installed,mirror,download,modules),
PULUMI_NFV_DOWNLOAD_BASE (server that has HOST/PATH of upstream's addresses), PULUMI_NFV_CACHE,
PULUMI_NFV_TRUST_UNPINNED_DOWNLOADS=yes (also files of which we have no official sum, by the sum that their own server publishes).
`;

/** Files of reports of a check. Their writer is above this folder. */
export interface CheckReports {
    /** @throws INVALID_INPUT for one that cannot be written */
    refuse(files: CheckFiles): Promise<void>;
    /** `folder`: the project's */
    write(found: readonly Found[], files: CheckFiles, folder?: string): Promise<void>;
}

interface CheckFiles {
    junit?: string;
    sarif?: string;
}

/** Returns an exit code if it is not 0. */
type Command = (argv: string[], clean: (text: string) => string, reports?: CheckReports) => Promise<unknown>;

const commands: Record<string, Command> = {
    bundle: async argv => {
        const { values } = parse(argv, {
            kubernetes: { type: "string" },
            out: { type: "string" },
            "add-ons": { type: "string" },
            "allow-unsupported-version": { type: "boolean" },
        });
        // before minutes of building
        if (values.out) await refuseOthersFiles(resolve(values.out));
        const folder = await ensureBundle({
            kubernetes: values.kubernetes?.replace(/^v/, ""),
            addOns: addOnsOf(values["add-ons"]),
            allowUnsupportedVersion: values["allow-unsupported-version"],
            onProgress: say,
        });
        // It may have lain in the cache for long.
        const made = await verifyBundle(folder);
        if (values.out) {
            const before = await readBundle(resolve(values.out)).catch(() => undefined);
            for (const line of differences(before, made)) say(`unlike the bundle that was in ${values.out}: ${line}`);
            await exportBundle(folder, values.out);
        }
        console.log(values.out ?? folder);
    },
    verify: async argv => {
        const { positionals } = parse(argv, {}, 1);
        const manifest = await verifyBundle(positionals[0]);
        const bytes = manifest.files.reduce((sum, file) => sum + file.sizeBytes, 0);
        console.log(
            `Kubernetes ${manifest.kubernetes}: ${manifest.files.length} files, ${megabytes(bytes)}, all as they should be`,
        );
    },
    image: async argv => {
        const { values } = parse(argv, {
            out: { type: "string" },
            project: { type: "string" },
            name: { type: "string" },
            bundle: { type: "string" },
            ca: { type: "string" },
        });
        if (!values.out) throw wrong("image: give --out FILE");
        const { out, project = ".", name, bundle, ca: authorities } = values;
        await makePipelineImage({ out, project, name, bundle, authorities, onProgress: say });
        console.log(out);
    },
    check: async (argv, clean, reports) => {
        const { values } = parse(argv, {
            junit: { type: "string" },
            sarif: { type: "string" },
            stack: { type: "string", short: "s" },
            cwd: { type: "string", short: "C" },
            state: { type: "string" },
            "at-most": { type: "string" },
            share: { type: "string" },
            json: { type: "boolean" },
        });
        const limits = limitsOf(values["at-most"], values.share);
        for (const name of ["stack", "cwd"] as const) {
            if (values[name] !== undefined && values.state !== undefined)
                throw wrong(`--${name} and --state: give one of them`);
        }
        const { junit, sarif } = values;
        const files = { ...(junit !== undefined && { junit }), ...(sarif !== undefined && { sarif }) };
        await reports?.refuse(files);
        const report = async (found: readonly Found[]) => {
            const shown = found.map(each => cleanFinding(each, clean));
            // Pipelines decide by the exit code, also where a report is missing.
            const said = (error: Error) => say(clean(`error: ${error.message}`));
            await reports?.write(shown, files, values.cwd).catch(said);
        };
        const look = async () => checkStack(resourcesIn(await readStack(values)), line => say(clean(line)));
        if (Object.keys(files).length > 0) whenStopped(error => report([notLooked(error)]));
        const checked = await look().catch(async (error: Error) => {
            // Those of a former check would look like new ones.
            await report([notLooked(error)]);
            throw error;
        });
        const verdict = verdictOn(checked.found, checked.nodes, limits);
        console.log(
            clean(values.json ? jsonReport(checked, verdict, limits, new Date()) : textReport(checked, verdict)),
        );
        await report(checked.found);
        return verdict.exitCode;
    },
    doctor: async argv => {
        parse(argv, {});
        console.log(await doctorReport());
    },
    versions: async argv => {
        const { values } = parse(argv, { json: { type: "boolean" } });
        console.log((values.json ? versionsJson : versionsText)(new Date()));
    },
    version: async argv => {
        parse(argv, {});
        console.log(JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8")).version);
    },
    help: async ([command = ""]) => {
        const own = helpOf(command);
        if (own === undefined && command !== "" && command !== "help") throw unknownCommand(command);
        console.log(own ?? help);
    },
};

function cleanFinding({ text, up, person, ...each }: Found, clean: (text: string) => string): Found {
    return {
        ...{ ...each, text: clean(text) },
        ...(up !== undefined && { up: clean(up) }),
        ...(person !== undefined && { person: clean(person) }),
    };
}

/** A runner's time-out, for instance: `act` has the reports written before the process ends. */
function whenStopped(act: (error: NfvError) => Promise<void>): void {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
        process.once(name, async () => {
            const error = new NfvError({ code: "CANCELLED", cause: `the check was stopped (${name})` });
            say(`error: ${error.message}`);
            await act(error);
            process.exit(error.exitCode);
        });
}

/** A check that could not look, as a finding. */
function notLooked(error: Error): Found {
    if (!(error instanceof NfvError)) return { node: "check", code: "RUN_FAILED", text: error.message, person: "" };
    return { node: "check", code: error.code, text: error.reason, person: error.hint };
}

function addOnsOf(text: string | undefined): AddOnName[] {
    const names = text?.split(",") ?? [];
    if (names.includes("")) throw wrong(`--add-ons ${text}: a name is empty; known are ${addOnNames.join(", ")}`);
    const unknown = names.filter(name => !addOnNames.includes(name as AddOnName));
    if (unknown.length > 0) {
        throw wrong(
            `--add-ons names ${unknown.join(", ")}; known are ${addOnNames.join(", ")}${didYouMean(unknown[0]!, addOnNames)}`,
        );
    }
    return names as AddOnName[];
}

const wrong = (cause: string, hint?: string) => new NfvError({ code: "INVALID_INPUT", cause, hint });

function limitsOf(atMost: string | undefined, share: string | undefined): HealLimits {
    // "" would be 0: a pipeline's variable that is not set.
    const numberOf = (text: string | undefined, usual: number) => (text === "" ? Number.NaN : Number(text ?? usual));
    const limits = { atMost: numberOf(atMost, usualLimits.atMost), share: numberOf(share, usualLimits.share) };
    if (!Number.isInteger(limits.atMost) || limits.atMost < 0)
        throw wrong(`--at-most ${atMost}: a whole number of nodes is expected`);
    if (!(limits.share >= 0 && limits.share <= 1)) throw wrong(`--share ${share}: a number from 0 to 1 is expected`);
    return limits;
}

const helpHint = "nfv help shows what there is.";

type Options = Record<string, { type: "string" | "boolean"; short?: string }>;

function parse<T extends Options>(argv: string[], options: T, positionals = 0) {
    const invalid = (cause: string) => wrong(cause, helpHint);
    let parsed: {
        values: { [K in keyof T]?: T[K]["type"] extends "boolean" ? boolean : string };
        positionals: string[];
    };
    try {
        parsed = parseArgs({ args: argv, options, allowPositionals: true }) as typeof parsed;
    } catch (error) {
        // Node.js goes on about arguments that begin with "-", which none of these commands takes.
        const text = (error as Error).message.replace(/\. To specify .*/s, "");
        const [, unknown] = /^Unknown option '--([^']+)'/.exec(text) ?? [];
        throw invalid(`${text}${unknown === undefined ? "" : meantOption(unknown, Object.keys(options))}`);
    }
    if (parsed.positionals.length !== positionals) {
        const expected =
            positionals === 0 ? "no arguments" : positionals === 1 ? "1 argument" : `${positionals} arguments`;
        throw invalid(`expected ${expected} beside options, got ${parsed.positionals.join(" ") || "none"}`);
    }
    // A pipeline's variable that is not set. It would be the default: the cache, or the selected stack.
    const empty = Object.entries(parsed.values).find(([, value]) => value === "")?.[0];
    if (empty !== undefined) throw invalid(`--${empty}: a value is expected, it is empty`);
    return parsed;
}

/** "; did you mean "--add-ons"?", or "". */
function meantOption(unknown: string, options: string[]): string {
    const meant = mostSimilar(unknown, options);
    return meant === undefined ? "" : `; did you mean "--${meant}"?`;
}

function unknownCommand(name: string): NfvError {
    const known = [...Object.keys(commands), ...operationCommands];
    return wrong(`there is no command ${name}${didYouMean(name, known)}`, helpHint);
}

/** Progress goes to standard error, so that standard output contains only the result. */
function say(line: string): void {
    console.error(line);
}

/** Runs one command; returns the exit code. `clean` takes secrets out of what others said. */
export async function main(argv: string[], clean = (text: string) => text, reports?: CheckReports): Promise<number> {
    const [name = "help", ...rest] = argv;
    const command = commands[name.replace(/^(-h|--help)$/, "help").replace(/^(-V|-v|--version)$/, "version")];
    try {
        if (!command) {
            throw unknownCommand(name);
        }
        const asksForHelp = rest.some(word => word === "--help" || word === "-h");
        const code = asksForHelp
            ? await commands.help!(name === "help" ? [] : [name], clean)
            : await command(rest, clean, reports);
        return typeof code === "number" ? code : 0;
    } catch (error) {
        if (!(error instanceof NfvError)) {
            throw error;
        }
        const page = name !== "help" && Object.hasOwn(commands, name) ? `help ${name}` : "help";
        console.error(`error: ${clean(error.message.replace("nfv help shows", `nfv ${page} shows`))}`);
        return error.exitCode;
    }
}

if (require.main === module) {
    main(process.argv.slice(2)).then(code => {
        process.exitCode = code;
    });
}
