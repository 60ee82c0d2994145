import { chosenNumbers } from "../../choose-nodes";
import { asCall } from "./functions";
import { answerPlaces, inputFor, missingHint, type NfvKind, type UserDataClass, userDataClasses } from "./nfv-names";
import { placeText, templateError } from "./places";
import type { HeatTemplateAnswers, Hot, HotResource, Value, ValueMap } from "./types";

/** Contents of Tacker's VNFD and requests, as plain inputs. */
export interface NfvAnswers {
    /** By name of the VDU, as in `[nfv, VDU, <name>, …]`; a virtual storage with an image has its own entry. */
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
    /** Numbers, from 1, that no copy has. */
    without?: readonly number[];
}

export interface ConnectionPointAnswers {
    /** Name or id. */
    network?: string;
    fixedIps?: { subnet?: string; address?: string }[];
    /** Short for one entry of `fixedIps`. */
    subnet?: string;
    /** Short for one entry of `fixedIps`. */
    fixedAddress?: string;
    /** An existing port (`linkPortId`). */
    port?: string;
}

/** Can be spread into the answers of `expand`. */
export type UserData = Required<Pick<HeatTemplateAnswers, "parameters" | "indexedVdus" | "missingHint">> & {
    /** Places of values that the template never uses. */
    unread: string[];
};

const vduMembers: Record<string, (vdu: VduAnswers) => Value | undefined> = {
    flavor: vdu => vdu.flavor,
    image: vdu => vdu.image,
    computeFlavourId: vdu => vdu.flavor,
    vcImageId: vdu => vdu.image,
    // Without a zone Nova chooses: null acts as if the property were missing.
    locationConstraints: vdu => vdu.availabilityZone ?? null,
    desired_capacity: vdu => vdu.count,
};

const pointMembers: Record<string, (point: ConnectionPointAnswers) => Value | undefined> = {
    network: point => point.network,
    port: point => point.port,
    fixed_ips: point => fixedIps(point),
};

/** The parameters that a UserData class of Tacker would compute. Unknown classes are refused. */
export function userData(className: string, hot: Hot, answers: NfvAnswers): UserData {
    if (!Object.hasOwn(userDataClasses, className)) {
        throw templateError(
            undefined,
            `the UserData class ${className} is not known: it is Python and cannot be run here`,
            `Known: ${Object.keys(userDataClasses).join(", ")}. For another one take DefaultUserData and give what differs ` +
                "as the template's parameter nfv: it is merged last.",
        );
    }
    for (const [name, point] of Object.entries(answers.connectionPoints)) checkPoint(name, point);
    const filling = new Filling(className, answers);
    const indexedVdus = userDataClasses[className].indexed
        ? Object.keys(hot.resources).filter(name => isVdu(name, hot.resources[name], answers))
        : [];
    for (const [name, resource] of Object.entries(hot.resources)) {
        const { count = 1, without } = answers.vdus[name] ?? {};
        filling.resource(name, resource, indexedVdus.includes(name) ? chosenNumbers(count, without) : undefined);
    }
    const { nfv, ...others } = answers.additionalParams ?? {};
    const parameters: ValueMap = Object.fromEntries(
        Object.entries(others).filter(([name]) => Object.hasOwn(hot.parameters, name)),
    );
    if (hot.parameters.nfv) {
        filling.checkComplete();
        parameters.nfv = nfv === undefined ? filling.nfv : mergePatch(filling.nfv, nfv);
    }
    return {
        parameters,
        indexedVdus,
        missingHint: (path, name) => missingHint(path, name, className),
        unread: filling.unread(),
    };
}

const groupTypes = ["OS::Heat::AutoScalingGroup", "OS::Heat::ResourceGroup"];

/** A VDU makes servers and has an entry: the VNFD, which lists the VDUs, is not read here. A virtual storage has an entry, too. */
function isVdu(name: string, { type }: HotResource, { vdus }: NfvAnswers): boolean {
    const makesServers = type === "OS::Nova::Server" || groupTypes.includes(type) || !type.includes("::");
    return Object.hasOwn(vdus, name) && makesServers;
}

/** Collects a value for each `[nfv, VDU | CP, name, member]` of the template, and what is missing. */
class Filling {
    readonly nfv: { [kind: string]: { [name: string]: ValueMap } } = {};
    private readonly missing: { where: string | undefined; cause: string; hint: string }[] = [];
    private readonly read = new Set<string>();
    private readonly counted = new Set<string>();
    private readonly userDataClass: UserDataClass;

    constructor(
        private readonly className: string,
        private readonly answers: NfvAnswers,
    ) {
        this.userDataClass = userDataClasses[className];
    }

    /** `numbers`: of the copies, from 1; each copy has its own entries. */
    resource(name: string, resource: HotResource, numbers: number[] | undefined): void {
        if (numbers !== undefined) this.counted.add(name);
        const indexes = numbers?.map(number => `-${number - 1}`) ?? [""];
        for (const { path, where } of references(resource)) {
            for (const suffix of indexes) this.reference(path, where, suffix);
        }
    }

    private reference(path: string[], where: string | undefined, suffix: string): void {
        const [nfv, kind, name, member, ...rest] = path;
        const tables = kind === "VDU" ? vduMembers : kind === "CP" ? pointMembers : undefined;
        // Members that no class sets come from additionalParams.nfv; if they are missing, the expansion reports it.
        if (!tables || !Object.hasOwn(tables, member)) return;
        const given: Record<string, object> = kind === "VDU" ? this.answers.vdus : this.answers.connectionPoints;
        const entry = Object.hasOwn(given, name) ? given[name] : undefined;
        const full = [kind, name + suffix, member];
        const filled = this.userDataClass.members.includes(member);
        const value = filled && entry ? (tables[member] as (entry: object) => Value | undefined)(entry) : undefined;
        if (value !== undefined) {
            this.read.add(`${kind}.${name}.${member}`);
            this.nfv[kind] ??= {};
            this.nfv[kind][name + suffix] = { ...this.nfv[kind][name + suffix], [member]: value };
        }
        // Heat would continue with an empty text if a list of addresses lacks this entry.
        const found = hasPath({ [kind]: { [name + suffix]: { [member]: value ?? null } } }, [...full, ...rest]);
        if ((value !== undefined && found) || hasPath(this.answers.additionalParams?.nfv, [...full, ...rest])) return;
        // Whether this place is used, as in a condition, is known only at the expansion.
        if (!filled) return;
        const asked = [nfv, ...full, ...rest];
        this.missing.push({
            where,
            cause: `[${asked.join(", ")}] has no value`,
            hint: missingHint(asked, name, this.className),
        });
    }

    /** Reports everything that is missing in one error. */
    checkComplete(): void {
        if (this.missing.length === 0) return;
        const lines = this.missing.map(({ where, cause }, i) => (i === 0 || !where ? cause : `${where}: ${cause}`));
        const hints = new Set(this.missing.map(({ hint }) => hint));
        throw templateError(this.missing[0].where, [...new Set(lines)].join("\n"), [...hints].join("\n"));
    }

    unread(): string[] {
        const places = (kind: NfvKind, given: Record<string, object>, members: Record<string, unknown>) =>
            Object.entries(given).flatMap(([name, entry]) => {
                const asked = Object.keys(members)
                    .filter(member => this.read.has(`${kind}.${name}.${member}`))
                    .flatMap(member =>
                        member === "fixed_ips" ? addressInputs : [inputFor(["nfv", kind, name, member])!],
                    );
                if (this.counted.has(name)) asked.push("count");
                return Object.entries(entry)
                    .filter(([input, value]) => value !== undefined && input !== "without" && !asked.includes(input))
                    .map(([input]) => `${answerPlaces[kind]}.${name}.${input}`);
            });
        return [
            ...places("VDU", this.answers.vdus, vduMembers),
            ...places("CP", this.answers.connectionPoints, pointMembers),
        ];
    }
}

function references(resource: HotResource): { path: string[]; where: string | undefined }[] {
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
    walk(resource.properties);
    return found;
}

/** Inputs that become `fixed_ips`. */
const addressInputs = ["fixedIps", "subnet", "fixedAddress"];

function checkPoint(name: string, { fixedIps: list, subnet, fixedAddress }: ConnectionPointAnswers): void {
    if (list === undefined || (subnet === undefined && fixedAddress === undefined)) return;
    throw templateError(
        undefined,
        `${answerPlaces.CP}.${name}: set only one of: fixedIps, or subnet and fixedAddress`,
        "subnet and fixedAddress are the short form of fixedIps with one entry.",
    );
}

function fixedIps({ fixedIps: list, subnet, fixedAddress }: ConnectionPointAnswers): Value | undefined {
    const short = subnet === undefined && fixedAddress === undefined ? undefined : [{ subnet, address: fixedAddress }];
    return (list ?? short)?.map(entry => ({
        ...(entry.subnet === undefined ? {} : { subnet: entry.subnet }),
        ...(entry.address === undefined ? {} : { ip_address: entry.address }),
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
