import { asCall } from "./functions";
import { answerNames } from "./nfv-names";
import { placeText, templateError } from "./places";
import type { HeatTemplateAnswers, Hot, Value, ValueMap } from "./types";

/** What stands in the VNFD and in the requests of Tacker, said plainly. */
export interface NfvAnswers {
    /** By name of the VDU, as in `[nfv, VDU, <name>, …]`; a virtual storage with an image has an entry of its own. */
    vdus: Record<string, VduAnswers>;
    /** By name of the connection point, as in `[nfv, CP, <name>, …]`. */
    connectionPoints: Record<string, ConnectionPointAnswers>;
    /** Values of the template's own parameters by name; `nfv` in it is merged last. */
    additionalParams?: ValueMap;
}

export interface VduAnswers {
    /** Name or id. */
    flavor?: string;
    /** Name or id. */
    image?: string;
    availabilityZone?: string;
    count?: number;
}

export interface ConnectionPointAnswers {
    /** Name or id. */
    network?: string;
    fixedIps?: { subnet?: string; ipAddress?: string }[];
    /** Short for one entry of `fixedIps`. */
    subnet?: string;
    /** Short for one entry of `fixedIps`. */
    fixedAddress?: string;
    /** An existing port (`linkPortId`). */
    port?: string;
}

/** A UserData class of Tacker by what it does: values for the template's parameters. */
export type UserDataClass = (hot: Hot, answers: NfvAnswers) => UserData;

/** Ready to be spread into the answers of `expand`. */
export type UserData = Required<Pick<HeatTemplateAnswers, "parameters" | "indexedNames">>;

const vduMembers: Record<string, (vdu: VduAnswers) => Value | undefined> = {
    flavor: vdu => vdu.flavor,
    image: vdu => vdu.image,
    computeFlavourId: vdu => vdu.flavor,
    vcImageId: vdu => vdu.image,
    // Nova chooses where none is said: the property is then as if it were not there.
    locationConstraints: vdu => vdu.availabilityZone ?? null,
    desired_capacity: vdu => vdu.count,
};

const pointMembers: Record<string, (point: ConnectionPointAnswers) => Value | undefined> = {
    network: point => point.network,
    port: point => point.port,
    fixed_ips: point => fixedIps(point),
};

/** Which members each generation of classes fills. */
const v1Members = ["flavor", "image", "network", "fixed_ips", "port", "desired_capacity"];
const v2Members = [
    "computeFlavourId",
    "vcImageId",
    "locationConstraints",
    "desired_capacity",
    "network",
    "fixed_ips",
    "port",
];

/** The classes that are known; Python itself cannot be run here. */
export const userDataClasses: Record<string, UserDataClass> = {
    KubernetesClusterUserData: (hot, answers) => versionOne(hot, answers),
    SampleUserData: (hot, answers) => versionOne(hot, answers),
    StandardUserData: (hot, answers) => versionTwo(hot, answers, true),
    DefaultUserData: (hot, answers) => versionTwo(hot, answers, false),
};

/** The parameters that a UserData class of Tacker would compute. Unknown classes are refused by name. */
export function userData(className: string, hot: Hot, answers: NfvAnswers): UserData {
    if (Object.hasOwn(userDataClasses, className)) return userDataClasses[className](hot, answers);
    throw templateError(
        undefined,
        `the UserData class ${className} is not known: it is Python and cannot be run here`,
        `Known: ${Object.keys(userDataClasses).join(", ")}. For another one take DefaultUserData and give what differs ` +
            "as the template's parameter nfv: it is merged last.",
    );
}

function versionOne(hot: Hot, answers: NfvAnswers): UserData {
    return withAdditionalParams(
        hot,
        answers,
        fill(hot, answers, v1Members, name => name),
        false,
    );
}

/** `indexed`: each copy of a VDU has entries of its own, `<name>-<index>` from 0. */
function versionTwo(hot: Hot, answers: NfvAnswers, indexed: boolean): UserData {
    const filled = indexed ? fillIndexed(hot, answers) : fill(hot, answers, v2Members, name => name);
    return withAdditionalParams(hot, answers, filled, indexed);
}

/** Values of the template's own parameters beside `nfv`; what is given of `nfv` itself comes last. */
function withAdditionalParams(
    hot: Hot,
    answers: NfvAnswers,
    filled: Record<string, Value>,
    indexedNames: boolean,
): UserData {
    const { nfv, ...others } = answers.additionalParams ?? {};
    const parameters: ValueMap = Object.fromEntries(
        Object.entries(others).filter(([name]) => Object.hasOwn(hot.parameters, name)),
    );
    if (filled.nfv !== undefined) parameters.nfv = nfv === undefined ? filled.nfv : mergePatch(filled.nfv, nfv);
    return { parameters, indexedNames };
}

/** Entries of copies for what stands in VDUs' resources; plain entries for the rest. */
function fillIndexed(hot: Hot, answers: NfvAnswers): Record<string, Value> {
    const result: ValueMap = {};
    for (const [name, resource] of Object.entries(hot.resources)) {
        const vdu = Object.hasOwn(answers.vdus, name) ? answers.vdus[name] : undefined;
        const part: Hot = { ...hot, resources: { [name]: resource } };
        const indexes = vdu ? Array.from({ length: vdu.count ?? 1 }, (_, index) => `-${index}`) : [""];
        for (const suffix of indexes) {
            const filled = fill(part, answers, v2Members, base => base + suffix).nfv;
            for (const [kind, entries] of Object.entries((filled ?? {}) as { [kind: string]: ValueMap })) {
                result[kind] = { ...(result[kind] as ValueMap), ...entries };
            }
        }
    }
    return hot.parameters.nfv ? { nfv: result } : {};
}

/** A value for each `[nfv, VDU | CP, name, member]` that the template has. */
function fill(
    hot: Hot,
    answers: NfvAnswers,
    members: string[],
    rename: (name: string) => string,
): Record<string, Value> {
    if (!hot.parameters.nfv) return {};
    const nfv: { [kind: string]: { [name: string]: ValueMap } } = {};
    for (const { path, where } of references(hot)) {
        const [, kind, name, member] = path;
        const tables = kind === "VDU" ? vduMembers : kind === "CP" ? pointMembers : undefined;
        if (!tables || !members.includes(member) || !tables[member]) {
            // Given by additionalParams.nfv, or found missing when the template is expanded.
            continue;
        }
        const entry = kind === "VDU" ? answers.vdus[name] : answers.connectionPoints[name];
        const value = entry && (tables[member] as (entry: object) => Value | undefined)(entry);
        if (value === undefined) {
            if (hasPath(answers.additionalParams?.nfv, [kind, rename(name), member])) continue;
            const place = kind === "VDU" ? "vdus" : "connectionPoints";
            throw templateError(
                where,
                `[${path.slice(0, 4).join(", ")}] has no value`,
                `Give ${place}.${name}.${answerNames[member] ?? member}.`,
            );
        }
        nfv[kind] ??= {};
        nfv[kind][rename(name)] = { ...nfv[kind][rename(name)], [member]: value };
    }
    return { nfv };
}

function references(hot: Hot): { path: string[]; where: string | undefined }[] {
    const found: { path: string[]; where: string | undefined }[] = [];
    const walk = (value: Value): void => {
        if (value === null || typeof value !== "object") return;
        const call = asCall(value);
        if (call?.name === "get_param" && Array.isArray(call.argument) && call.argument[0] === "nfv") {
            if (call.argument.length >= 4) {
                found.push({ path: call.argument.map(String), where: placeText(call.map, "get_param") });
            }
        }
        for (const item of Object.values(value)) walk(item);
    };
    for (const resource of Object.values(hot.resources)) walk(resource.properties);
    return found;
}

function fixedIps({ fixedIps: list, subnet, fixedAddress }: ConnectionPointAnswers): Value | undefined {
    const short =
        subnet === undefined && fixedAddress === undefined ? undefined : [{ subnet, ipAddress: fixedAddress }];
    return (list ?? short)?.map(entry => ({
        ...(entry.subnet === undefined ? {} : { subnet: entry.subnet }),
        ...(entry.ipAddress === undefined ? {} : { ip_address: entry.ipAddress }),
    }));
}

/** RFC 7396. */
function mergePatch(target: Value | undefined, patch: Value): Value {
    if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
    const result: ValueMap =
        target !== null && typeof target === "object" && !Array.isArray(target) ? { ...target } : {};
    for (const [key, value] of Object.entries(patch)) {
        if (value === null) delete result[key];
        else result[key] = mergePatch(result[key], value);
    }
    return result;
}

function hasPath(value: Value | undefined, path: string[]): boolean {
    if (path.length === 0) return value !== undefined;
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, path[0])) return false;
    return hasPath((value as ValueMap)[path[0]], path.slice(1));
}
