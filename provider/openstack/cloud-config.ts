import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parse } from "yaml";
import { NfvError } from "../common/errors";
import { type AuthOptions, type Credentials, credentialsOf } from "./credentials";
import type { CloudSettings } from "./settings";

/** How to reach a cloud: settings, environment and clouds.yaml combined. Contains secrets: never store or show it. */
export interface CloudConfig {
    /** For messages: 'cloud "lab" of /etc/openstack/clouds.yaml'. */
    source: string;
    /** With the API version: "https://keystone.example/v3". */
    authUrl: string;
    credentials: Credentials;
    region?: string;
    interface: string;
    /** PEM. @default the system's authorities */
    ca?: string;
    /** clouds.yaml switches the verification of certificates off. */
    insecure: boolean;
    warnings: string[];
}

/** Where configuration is read from; tests use their own. */
export interface Surroundings {
    env: Record<string, string | undefined>;
    /** Folders that may have clouds.yaml; the first one found counts. */
    folders: string[];
}

function surroundings(): Surroundings {
    const configHome = process.env.XDG_CONFIG_HOME ?? join(homedir(), ".config");
    return { env: process.env, folders: [process.cwd(), join(configHome, "openstack"), "/etc/openstack"] };
}

interface CloudEntry {
    auth?: AuthOptions;
    auth_type?: string;
    region_name?: string;
    regions?: unknown[];
    interface?: string;
    endpoint_type?: string;
    cacert?: string;
    verify?: boolean | string;
    profile?: string;
}

/**
 * Finds the cloud. Precedence, like the OpenStack plug-in's: first settings. For credentials then the named cloud of
 * clouds.yaml, then OS_*. For region, interface and authority first OS_*, then clouds.yaml.
 * @throws CLOUD_CONFIG_INVALID
 */
export function findCloud(settings: CloudSettings, where: Surroundings = surroundings()): CloudConfig {
    const { env } = where;
    const name = settings.cloud ?? nonEmpty(env.OS_CLOUD);
    const found =
        name === undefined ? { entry: {} as CloudEntry, file: undefined, source: "OS_*" } : readCloud(name, where);
    const { file, source } = found;
    const region =
        settings.region ?? nonEmpty(env.OS_REGION_NAME) ?? found.entry.region_name ?? onlyRegion(found.entry);
    const entry = withRegion(found.entry, region);
    const own: AuthOptions = { ...entry.auth, ...(settings.authUrl !== undefined && { auth_url: settings.authUrl }) };
    const { authUrl, credentials } = credentialsOf(own, entry.auth_type, env, () => howToGive(name, entry, where));
    const { insecure, ca } = trustOf(settings, entry, env, file);
    return {
        source: name === undefined ? "OS_* variables" : source,
        authUrl: withVersion(authUrl),
        credentials,
        region,
        interface: interfaceOf(settings, entry, env),
        ca,
        insecure,
        warnings: insecure
            ? [`${source} says verify: false: whoever sits between here and the cloud can read the credentials`]
            : [],
    };
}

function nonEmpty(text: string | undefined): string | undefined {
    return text === "" ? undefined : text;
}

function onlyRegion({ regions }: CloudEntry): string | undefined {
    const [first, ...others] = regions ?? [];
    if (first === undefined || others.length > 0) return undefined;
    return typeof first === "string" ? first : (first as { name?: string }).name;
}

/** What clouds.yaml says of one region goes over what it says of the cloud, and its `auth` goes into the cloud's, as openstacksdk does. */
function withRegion(entry: CloudEntry, region: string | undefined): CloudEntry {
    const regions = (entry.regions ?? []) as (string | { name?: string; values?: CloudEntry } | null)[];
    const own = regions.find(each => each !== null && typeof each === "object" && each.name === region);
    const values = typeof own === "object" ? own?.values : undefined;
    return values === undefined ? entry : { ...entry, ...values, auth: { ...entry.auth, ...values.auth } };
}

function interfaceOf(settings: CloudSettings, entry: CloudEntry, env: Surroundings["env"]): string {
    const given = [
        settings.interface,
        env.OS_INTERFACE,
        env.OS_ENDPOINT_TYPE,
        entry.interface,
        entry.endpoint_type,
        "public",
    ].find(text => text !== undefined && text !== "")!;
    return given.replace(/URL$/, "");
}

function trustOf(settings: CloudSettings, entry: CloudEntry, env: Surroundings["env"], file: string | undefined) {
    // `verify` may also be the path of an authority, like in Python's requests.
    const named = entry.cacert ?? (typeof entry.verify === "string" ? entry.verify : undefined);
    const besideFile = named === undefined || file === undefined ? named : resolveExisting(dirname(file), named);
    const path = settings.caFile ?? nonEmpty(env.OS_CACERT) ?? besideFile;
    const insecure = entry.verify === false;
    return { insecure, ca: path === undefined || insecure ? undefined : readAuthority(path) };
}

/** People may have written a path relative to clouds.yaml, so that is tried, too. */
function resolveExisting(folder: string, path: string): string {
    const expanded = path.replace(/^~(?=\/)/, homedir());
    return existsSync(expanded) ? expanded : resolve(folder, expanded);
}

function readAuthority(path: string): string {
    const text = readOptional(path.replace(/^~(?=\/)/, homedir()));
    if (text?.includes("BEGIN CERTIFICATE")) return text;
    const cause = text === undefined ? "cannot be read" : "has no PEM certificate in it";
    throw new NfvError({
        code: "CLOUD_CONFIG_INVALID",
        cause: `the file of the cloud's authority, ${path}, ${cause}`,
        hint: "Correct the path: caFile, OS_CACERT, or cacert in clouds.yaml.",
    });
}

function readCloud(name: string, where: Surroundings): { entry: CloudEntry; file: string; source: string } {
    const file = cloudsFile(where);
    if (file === undefined) {
        throw new NfvError({
            code: "CLOUD_CONFIG_INVALID",
            cause: `there is no clouds.yaml for the cloud "${name}": looked in ${placesOf(where).join(", ")}`,
        });
    }
    const clouds = cloudsIn(file);
    const entry = clouds[name];
    if (entry === undefined) {
        throw new NfvError({
            code: "CLOUD_CONFIG_INVALID",
            cause: `${file} has no cloud "${name}", only ${quoted(Object.keys(clouds))}`,
            hint: "Correct the name (the cloud in the program, or OS_CLOUD), or add it to the file.",
        });
    }
    const secret = secureFile(where);
    const secureEntry = secret === undefined ? {} : (cloudsIn(secret)[name] ?? {});
    return {
        entry: { ...entry, ...secureEntry, auth: { ...entry.auth, ...secureEntry.auth } },
        file,
        source: `cloud "${name}" of ${file}`,
    };
}

function cloudsFile({ env, folders }: Surroundings): string | undefined {
    const given = nonEmpty(env.OS_CLIENT_CONFIG_FILE);
    return [...(given === undefined ? [] : [given]), ...filesIn(folders, "clouds")].find(existsSync);
}

function secureFile({ env, folders }: Surroundings): string | undefined {
    const config = nonEmpty(env.OS_CLIENT_CONFIG_FILE);
    const beside = config === undefined ? [] : filesIn([dirname(config)], "secure");
    return [nonEmpty(env.OS_CLIENT_SECURE_FILE) ?? "", ...beside, ...filesIn(folders, "secure")].find(
        path => path !== "" && existsSync(path),
    );
}

function filesIn(folders: string[], name: string): string[] {
    return folders.flatMap(folder => [join(folder, `${name}.yaml`), join(folder, `${name}.yml`)]);
}

function placesOf({ env, folders }: Surroundings): string[] {
    return [...(nonEmpty(env.OS_CLIENT_CONFIG_FILE) ? [env.OS_CLIENT_CONFIG_FILE!] : []), ...folders];
}

function cloudsIn(file: string): Record<string, CloudEntry> {
    try {
        const { clouds } = (parse(readFileSync(file, "utf8")) ?? {}) as { clouds?: Record<string, CloudEntry> };
        return clouds ?? {};
    } catch (error) {
        // The parser's message quotes the lines around the error, which may contain a password.
        const { linePos, code } = error as { linePos?: { line: number }[]; code?: string };
        const place = linePos?.[0] === undefined ? (code ?? "unreadable") : `line ${linePos[0].line}: ${code}`;
        throw new NfvError({
            code: "CLOUD_CONFIG_INVALID",
            cause: `${file} cannot be read: ${place}`,
            hint: "Correct the file.",
        });
    }
}

function readOptional(path: string): string | undefined {
    try {
        return readFileSync(path, "utf8");
    } catch {
        return undefined;
    }
}

function withVersion(authUrl: string): string {
    const bare = authUrl.replace(/\/+$/, "");
    return /\/v3$/.test(bare) ? bare : `${bare.replace(/\/v2\.0$/, "")}/v3`;
}

function quoted(names: string[]): string {
    return names.length === 0 ? "none" : names.map(name => `"${name}"`).join(", ");
}

/** The hint for missing credentials. */
function howToGive(name: string | undefined, entry: CloudEntry, where: Surroundings): string | undefined {
    if (name !== undefined) {
        return entry.profile === undefined
            ? undefined
            : "Vendor profiles are not read: write auth_url and the like into the cloud itself.";
    }
    const file = cloudsFile(where);
    return file === undefined ? undefined : `${file} has ${quoted(Object.keys(cloudsIn(file)))}: set OS_CLOUD.`;
}
