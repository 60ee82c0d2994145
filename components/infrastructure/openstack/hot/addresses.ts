import { evaluate } from "./evaluate";
import { asCall } from "./functions";
import { templateError } from "./places";
import { rewrite } from "./rewrite";
import { type Copy, type Member, type Scope, singles, whereIs } from "./scope";
import type { ConnectionAnswers, ExpandedServer, ServerOutputs, Value, ValueMap } from "./types";

export type Single = Extract<Member, { kind: "single" }>;

/** The server of a copy: by name, or its only one. */
export function serverOf(copy: Copy, group: string, wanted: string | undefined, where: string | undefined): Single {
    const servers = singles(copy).filter(({ member }) => member.type === "OS::Nova::Server");
    const found =
        wanted === undefined ? servers : servers.filter(({ path, member }) => (path || member.name) === wanted);
    if (found.length === 1) return found[0].member;
    const names = servers.map(({ path, member }) => path || member.name);
    throw templateError(
        where,
        wanted !== undefined
            ? `${group} has no server ${wanted}`
            : `${group} has ${servers.length} servers; one of them must be the node`,
        names.length === 0 ? "A node needs a resource of type OS::Nova::Server." : `Say which: ${names.join(", ")}.`,
    );
}

/** Expressions that are evaluated by the stack. */
export interface ServerExpressions {
    address: Value;
    sshAddress?: Value;
    serverId: Value;
    volumes: Record<string, Value>;
}

/** How a server is found in the finished stack. Connection points are searched in the copy, then in the top template. */
export function expressionsOf(server: Single, copy: Copy, top: Scope, answers: ConnectionAnswers): ServerExpressions {
    const within = singles(copy);
    const point = (name: string): Single => {
        const inCopy = within.find(({ path, member }) => path === name || member.name === name)?.member;
        const atTop = top.members.get(name);
        const found = inCopy ?? (atTop?.kind === "single" ? atTop : undefined);
        if (found) return found;
        const known = within
            .filter(({ member }) => addresses[member.type])
            .map(({ path, member }) => path || member.name);
        throw templateError(
            whereIs(server.resource),
            `there is no connection point ${name} with the server ${server.name}`,
            `Ports and floating IPs there: ${known.join(", ") || "none"}.`,
        );
    };
    const volumes = within.filter(({ member }) => member.type === "OS::Cinder::Volume");
    return {
        address: answers.clusterCp === undefined ? firstAddress(server) : addressOf(point(answers.clusterCp)),
        ...(answers.sshCp === undefined || answers.sshCp === answers.clusterCp
            ? {}
            : { sshAddress: addressOf(point(answers.sshCp)) }),
        serverId: { get_resource: server.name },
        volumes: Object.fromEntries(
            volumes.map(({ path, member }) => [path || member.name, { get_resource: member.name }]),
        ),
    };
}

/** Where each type of connection point has its address. */
const addresses: Record<string, (name: string) => Value> = {
    "OS::Neutron::Port": name => ({ get_attr: [name, "fixed_ips", 0, "ip_address"] }),
    "OS::Neutron::FloatingIP": name => ({ get_attr: [name, "floating_ip_address"] }),
    "OS::Nova::Server": name => ({ get_attr: [name, "first_address"] }),
};

export function addressOf(point: Single): Value {
    const address = addresses[point.type];
    if (address) return address(point.name);
    throw templateError(
        whereIs(point.resource),
        `${point.name} is of type ${point.type}: it has no address`,
        "Name a port (OS::Neutron::Port) or a floating IP (OS::Neutron::FloatingIP).",
    );
}

/** The first port's address; a server that names only networks has the address itself. */
function firstAddress(server: Single): Value {
    const port = firstPort(server);
    return port === undefined ? addresses["OS::Nova::Server"](server.name) : addresses["OS::Neutron::Port"](port);
}

function firstPort(server: Single): string | undefined {
    const networks = server.resource.properties.networks;
    const first = Array.isArray(networks) ? networks[0] : undefined;
    const port = isMap(first) ? first.port : undefined;
    const call = port === undefined ? undefined : asCall(rewrite(port, server.scope));
    return call?.name === "get_resource" ? String(call.argument) : undefined;
}

/** Networks that the port of the node's address allows besides its own address. Undefined: all of them, or not known here. */
export function letThrough(server: Single, address: Value, top: Scope): string[] | undefined {
    const call = asCall(address);
    const ports = [...top.members.values()]
        .flatMap(member => singles(member))
        .filter(({ member }) => member.type === "OS::Neutron::Port");
    const named = (name: Value | undefined) => ports.find(({ member }) => member.name === name);
    const ofAddress = call?.name === "get_attr" ? named((call.argument as Value[])[0]) : undefined;
    const port = ofAddress ?? named(firstPort(server));
    if (!port) return undefined;
    const { resource, scope } = port.member;
    const { port_security_enabled: secured = true, allowed_address_pairs: pairs = [] } = resource.properties;
    if (evaluate(secured, scope) !== true) return undefined;
    const list = asCall(pairs) ? evaluate(pairs, scope) : pairs;
    if (!Array.isArray(list)) return undefined;
    const networks = list.map(pair => {
        const address = isMap(pair) ? rewrite(pair.ip_address ?? null, scope) : null;
        // The address of another resource, which is a virtual address.
        if (asCall(address)?.name === "get_attr") return [];
        const known = isMap(pair) ? evaluate(pair.ip_address ?? null, scope) : undefined;
        return typeof known === "string" ? [known] : undefined;
    });
    return networks.includes(undefined) ? undefined : networks.flatMap(each => each ?? []);
}

/** The network that a port's address is in. */
export function cidrOf(port: Single): Value | undefined {
    return port.type === "OS::Neutron::Port" ? { get_attr: [port.name, "subnets", 0, "cidr"] } : undefined;
}

/** A server and the stack's volume that it boots from: a new server needs a new system disk. */
export function healedWith(server: Single): string[] {
    const volume = asCall(bootDevice(server)?.rewritten.volume_id ?? null);
    return [server.name, ...(volume?.name === "get_resource" ? [String(volume.argument)] : [])];
}

/** What the server boots from: `written` in the template, and as expression of the flat template; undefined: the flavor's own disk. */
function bootDevice({ resource, scope }: Single): { written?: ValueMap; rewritten: ValueMap } | undefined {
    const written = resource.properties.block_device_mapping_v2 ?? [];
    const devices = rewrite(written, scope);
    if (!Array.isArray(devices)) return undefined;
    const index = devices.findIndex(device => isMap(device) && bootIndexOf(device) === 0);
    if (index < 0) return undefined;
    const own = Array.isArray(written) ? written[index] : undefined;
    return { ...(isMap(own) && { written: own }), rewritten: devices[index] as ValueMap };
}

/** Without a boot_index Heat boots from a device with a volume, image or snapshot. */
function bootIndexOf({ boot_index: index, volume_id, image, snapshot_id }: ValueMap): number {
    const bootable = [volume_id, image, snapshot_id].some(each => each !== undefined && each !== null);
    return Number(index ?? (bootable ? 0 : Number.NaN));
}

const shapeProperties = {
    flavor: "flavor",
    image: "image",
    availability_zone: "availabilityZone",
    key_name: "keyPair",
};

/** Properties of a boot volume whose change makes another disk, and so another server. */
const bootProperties = {
    image: "bootVolume.image",
    image_id: "bootVolume.image",
    snapshot_id: "bootVolume.snapshot",
    source_volid: "bootVolume.volume",
};

/** What a server and its boot volume are made of, in the words of our inputs, as far as it is known before the stack exists. */
export function shapeOf(server: Single, top: Scope): Pick<ExpandedServer, "shape" | "shapeLater"> {
    const volume = healedWith(server)[1];
    const made = [...top.members.values()].flatMap(each => singles(each)).find(({ member }) => member.name === volume);
    const written = [
        ...writtenOf(server.resource.properties, shapeProperties, server.scope),
        ...(made
            ? writtenOf(made.member.resource.properties, bootProperties, made.member.scope)
            : writtenOf(bootDevice(server)?.written ?? {}, bootProperties, server.scope)),
    ];
    const later = written.flatMap(([word, value]) => (value === undefined ? [word] : []));
    return {
        shape: Object.fromEntries(written.filter((entry): entry is [string, string] => entry[1] !== undefined)),
        ...(later.length > 0 && { shapeLater: later }),
    };
}

/** The properties that are written, by their words; undefined: known later. */
function writtenOf(
    properties: ValueMap,
    words: Record<string, string>,
    scope: Scope,
): [word: string, value: string | undefined][] {
    return Object.entries(words).flatMap(([property, word]): [string, string | undefined][] => {
        const written = properties[property];
        if (written === undefined) return [];
        const value = evaluate(written, scope);
        // A condition may leave the property out.
        if (value === null) return [];
        return [[word, value === undefined || typeof value === "object" ? undefined : String(value)]];
    });
}

function isMap(value: Value | undefined): value is ValueMap {
    return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Adds an output for each expression, named after the server. */
export function nameOutputs(
    name: string,
    expressions: ServerExpressions,
    outputs: Record<string, Value>,
): ServerOutputs {
    const put = (key: string, value: Value): string => {
        outputs[`${name}.${key}`] = value;
        return `${name}.${key}`;
    };
    const volumes = Object.entries(expressions.volumes).map(([volume, id]) => [volume, put(`volume.${volume}`, id)]);
    return {
        address: put("address", expressions.address),
        ...(expressions.sshAddress === undefined ? {} : { sshAddress: put("sshAddress", expressions.sshAddress) }),
        serverId: put("serverId", expressions.serverId),
        ...(volumes.length === 0 ? {} : { volumes: Object.fromEntries(volumes) }),
    };
}
