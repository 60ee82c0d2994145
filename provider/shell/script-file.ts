import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodes } from "./exit-codes";
import {
    adminConfig,
    clusterPluginsFile,
    installedPackagesFile,
    kubernetesPackages,
    memberFile,
    originalsFolder,
    proxyEnvironmentFile,
    stagedPluginsFile,
    stateFolder,
} from "./folders";
import { originalsNotes } from "./originals-notes";
import { quoteWord } from "./quote";

type Constants = Record<string, string | number>;

/** What a script file's head declares, with that of the files it includes. */
export interface ScriptFile {
    /** Values that the step gives by `env`. */
    inputs: string[];
    /** Names of the files in $SECRETS that the step gives by `secrets`. */
    secrets: string[];
    /** Our own constants: those of `commonConstants`, and those that the caller of `script` gives. */
    constants: string[];
    /** The shell text without head, with the included files in place. */
    body: string;
}

/** Constants that each script may declare without its caller giving them. */
export const commonConstants: Constants = {
    ...exitCodes,
    ADMIN_CONFIG: adminConfig,
    STATE_FOLDER: stateFolder,
    ORIGINALS_FOLDER: originalsFolder,
    INSTALLED_PACKAGES_FILE: installedPackagesFile,
    CLUSTER_PLUGINS_FILE: clusterPluginsFile,
    STAGED_PLUGINS_FILE: stagedPluginsFile,
    KUBERNETES_PACKAGES: kubernetesPackages,
    MEMBER_FILE: memberFile,
    PROXY_ENVIRONMENT_FILE: proxyEnvironmentFile,
    ORIGINAL_FOLDERS_FILE: originalsNotes.folders,
    ORIGINAL_SERVICES_FILE: originalsNotes.services,
    ORIGINAL_ACTIVE_FILE: originalsNotes.active,
    ORIGINAL_OFF_FILE: originalsNotes.off,
    ORIGINAL_PLUGINS_FILE: originalsNotes.plugins,
    ORIGINAL_CNI_FILE: originalsNotes.cni,
};

const read = new Map<string, ScriptFile>();
const composed = new Map<string, string>();

/**
 * The text of a script file, for `run` or `probe`. README.md describes how such a file is written.
 * `path` is relative to provider/. `constants`: our own constants, never a value of an input, because fingerprints do
 * not contain the text.
 */
export function script(path: string, constants: Constants = {}): string {
    const key = JSON.stringify([path, constants]);
    const text = composed.get(key) ?? compose(path, constants);
    composed.set(key, text);
    return text;
}

function compose(path: string, given: Constants): string {
    const { inputs, secrets, constants, body } = readScript(path);
    const known: Constants = { ...commonConstants, ...given };
    const missing = constants.filter(name => !(name in known));
    const unknown = Object.keys(given).filter(name => !constants.includes(name));
    if (missing.length > 0) throw new Error(`${path}: no value for its constants ${missing.join(", ")}`);
    if (unknown.length > 0) throw new Error(`${path}: its head does not declare the constants ${unknown.join(", ")}`);
    return [
        `# ${path}`,
        ...(inputs.length > 0 ? [`# inputs: ${inputs.join(" ")}`] : []),
        ...(secrets.length > 0 ? [`# secrets: ${secrets.join(" ")}`] : []),
        ...constants.map(name => `${name}=${quoteWord(String(known[name]))}`),
        body,
    ].join("\n");
}

/** The inputs that a text declares which `script` made, or several of them one after another. */
export function declaredInputs(text: string): string[] {
    return unique([...text.matchAll(/^# inputs: (.*)$/gm)].flatMap(([, names]) => names!.split(" ")));
}

/** A script file, parsed. @throws if its head is wrong or a file is missing */
export function readScript(path: string): ScriptFile {
    const file = read.get(path) ?? parse(path, readFileSync(join(sourceFolder(), path), "utf8"));
    read.set(path, file);
    return file;
}

const headLine = /^# (inputs|secrets|constants): (.*)$/;
const includeLine = /^\s*\. (\S+\.sh)$/;

function parse(path: string, text: string): ScriptFile {
    const lines = text.trimEnd().split("\n");
    if (lines[0] !== "#!/bin/sh") throw new Error(`${path}: its first line must be #!/bin/sh`);
    const end = lines.findIndex(line => !line.startsWith("#"));
    const head = lines.slice(0, end < 0 ? lines.length : end).map(line => headLine.exec(line) ?? []);
    const included: ScriptFile[] = [];
    const body = lines.slice(head.length).flatMap(line => {
        const [, other] = includeLine.exec(line) ?? [];
        if (other === undefined) return /^\s*# shellcheck /.test(line) ? [] : [line];
        included.push(readScript(other));
        return [included.at(-1)!.body.trimEnd()];
    });
    const declared = (what: "inputs" | "secrets" | "constants") => {
        const own = head.flatMap(([, key, names]) => (key === what ? wordsOf(names!) : []));
        return unique([...included.flatMap(each => each[what]), ...own]);
    };
    return {
        inputs: declared("inputs"),
        secrets: declared("secrets"),
        constants: declared("constants"),
        body: body.join("\n").replace(/^\n+/, "") + "\n",
    };
}

/** An explanation in parentheses may follow a name. */
function wordsOf(names: string): string[] {
    return names
        .replace(/\([^)]*\)/g, "")
        .split(/\s+/)
        .filter(name => name !== "");
}

const unique = (names: string[]) => [...new Set(names)].sort();

let folder: string | undefined;

/** provider/ with the script files: they are beside dist/, in the checkout and in the package, whose code is one file in dist/. */
export function sourceFolder(): string {
    folder ??= ["..", "../..", "../../.."]
        .map(up => join(__dirname, up))
        .find(root => existsSync(join(root, "package.json")));
    return join(folder ?? __dirname, "provider");
}
