import type { TackerNodeArgs, TackerTemplateArgs } from "../../../../../../components/args/infrastructure-args";
import type { Hot, TemplateFiles, Value, ValueMap } from "../../../../../../components/infrastructure/openstack/hot";

/** What a template wants to know, answered from the template alone, as if its servers were a cluster: the first group of servers becomes the control plane, each other one a pool. */
export interface Derived {
    tacker: TackerTemplateArgs;
    parameters: ValueMap;
    counts: { controlPlane: number; pools: Record<string, number> };
}

type HotResource = Hot["resources"][string];

const most = 3;

export function derivedSettings(files: TemplateFiles): Derived {
    const asked = askedOf(files);
    const groups = Object.entries(files.hot.resources).filter(([, { type }]) => makesServers(type));
    const isGroup = groups.some(([, { type }]) => type.endsWith("Group"));
    const v2 = asked.some(({ member }) => ["computeFlavourId", "vcImageId"].includes(member));
    const node = ([name, resource]: [string, HotResource]): TackerNodeArgs => {
        const port = firstPort(resource, files);
        return { aspect: name, vdu: capacityOf(resource), nicConnectionPoint: port, sshConnectionPoint: port };
    };
    const [first, ...others] = groups.map(each => ({ name: each[0], count: countOf(each[1]), args: node(each) }));
    const given = Object.entries(files.hot.parameters).filter(([, { default: value }]) => value === undefined);
    return {
        tacker: {
            userDataClass: v2 ? (isGroup ? "DefaultUserData" : "StandardUserData") : "SampleUserData",
            masterNode: first!.args,
            workerNodes: Object.fromEntries(others.map(({ name, args }) => [name, args])),
            vdus: byName(asked, "VDU", vduInputs),
            connectionPoints: byName(asked, "CP", pointInputs),
        },
        counts: {
            controlPlane: first!.count,
            pools: Object.fromEntries(others.map(({ name, count }) => [name, count])),
        },
        parameters: { ...Object.fromEntries(given.map(([name]) => [name, "given"])), nfv: furtherValues(asked) },
    };
}

interface Asked {
    kind: string;
    name: string;
    member: string;
    rest: string[];
}

function askedOf({ hot, nested }: TemplateFiles): Asked[] {
    const found: Asked[] = [];
    const walk = (value: Value): void => {
        if (value === null || typeof value !== "object") return;
        const path = Array.isArray(value) ? undefined : value["get_param"];
        if (Array.isArray(path) && path[0] === "nfv") {
            const [, kind, name, member, ...rest] = path.map(String);
            found.push({ kind: kind!, name: name!, member: member!, rest });
        }
        for (const item of Object.values(value)) walk(item);
    };
    for (const each of [hot, ...Object.values(nested)]) {
        for (const { properties } of Object.values(each.resources)) walk(properties);
    }
    return found;
}

const makesServers = (type: string) =>
    /\.yaml$/.test(type) || ["OS::Nova::Server", "OS::Heat::AutoScalingGroup"].includes(type);

function countOf({ type, properties }: HotResource): number {
    if (type === "OS::Nova::Server") return 1;
    const bound = (name: string, other: number) =>
        typeof properties[name] === "number" ? (properties[name] as number) : other;
    return Math.min(bound("max_size", most), Math.max(bound("min_size", 1), 2));
}

/** Name of the first port that the template makes for the server which a resource is, has as its members, or nests. */
function firstPort({ type, properties }: HotResource, files: TemplateFiles): string {
    const { resource: member } = properties as { resource?: { type: string; properties: ValueMap } };
    const [at, own] = member ? [member.type, member.properties] : [type, properties];
    const nested = Object.values(files.nested[at]?.resources ?? {}).find(each => each.type === "OS::Nova::Server");
    const { networks } = (nested?.properties ?? own) as { networks: { port?: { get_resource?: string } }[] };
    const port = networks.find(each => each.port?.get_resource)?.port?.get_resource;
    if (port === undefined) throw new Error(`${at}: its server has no port of its own`);
    return port;
}

/** The VDU that gives a group its number of members. */
function capacityOf({ properties }: HotResource): string | undefined {
    const { desired_capacity: capacity } = properties as { desired_capacity?: { get_param?: string[] } };
    return capacity?.get_param?.[2];
}

type Inputs = (member: string, rest: string[], before: ValueMap) => ValueMap;

const vduInputs: Inputs = (member, rest) => {
    const input = { flavor: "flavor", computeFlavourId: "flavor", image: "image", vcImageId: "image" }[member];
    if (input) return rest.length > 0 ? {} : { [input]: input };
    return member === "locationConstraints" ? { availabilityZone: "zone" } : {};
};

const pointInputs: Inputs = (member, [index, field], before) => {
    if (member === "fixed_ips") {
        const list = (before["fixedIps"] as ValueMap[] | undefined) ?? [];
        const known = index === undefined ? [{ subnet: "subnet" }] : list;
        if (index !== undefined) {
            while (known.length <= Number(index)) known.push({});
            Object.assign(known[Number(index)]!, field === "subnet" ? { subnet: "subnet" } : { address: "10.0.0.9" });
        }
        return { fixedIps: known };
    }
    return member === "network" || member === "port" ? { [member]: member } : {};
};

function byName(asked: Asked[], kind: string, inputs: Inputs): Record<string, ValueMap> {
    const found: Record<string, ValueMap> = {};
    for (const { name, member, rest } of asked.filter(each => each.kind === kind)) {
        found[name] = { ...found[name], ...inputs(member, rest, found[name] ?? {}) };
    }
    return Object.fromEntries(Object.entries(found).filter(([, entry]) => Object.keys(entry).length > 0));
}

/** Values that no class of Tacker fills: whoever uses the package gives them, for each copy of a VDU. */
function furtherValues(asked: Asked[]): ValueMap {
    const filled = [
        ...["flavor", "image", "computeFlavourId", "vcImageId", "locationConstraints", "desired_capacity"],
        ...["network", "port", "fixed_ips"],
    ];
    const result: ValueMap = {};
    for (const { kind, name, member, rest } of asked) {
        const isFilled = ["VDU", "CP"].includes(kind) && filled.includes(member);
        if (isFilled && (rest.length === 0 || member === "fixed_ips")) continue;
        for (const suffix of ["", ...Array.from({ length: most }, (_, i) => `-${i}`)]) {
            put(result, [kind, name + suffix, member, ...rest]);
        }
    }
    return result;
}

/** Puts a text at the path; numbers in it are positions in lists. */
function put(into: ValueMap | Value[], [key, ...rest]: string[]): void {
    const at = into as ValueMap;
    if (rest.length === 0) at[key!] = "given";
    else {
        at[key!] ??= /^\d+$/.test(rest[0]!) ? [] : {};
        put(at[key!] as ValueMap, rest);
    }
}
