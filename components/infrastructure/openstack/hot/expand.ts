import {
    addressOf,
    cidrOf,
    expressionsOf,
    healedWith,
    letThrough,
    nameOutputs,
    type Single,
    serverOf,
    shapeOf,
} from "./addresses";
import { buildScope } from "./build-scope";
import { emit, type ServerChange, serverChange } from "./emit";
import { templateError } from "./places";
import { checkVirtualPort } from "./port-users";
import { type Copy, memberOf, type Scope, whereIs } from "./scope";
import type { ExpandedNode, ExpandedServer, ExpandedStack, HeatTemplateAnswers, TemplateFiles, Value } from "./types";

/**
 * Turns a template in one of Tacker's styles into one flat template: explicit resources `<group>_<n>_<resource>` for each node,
 * and outputs with addresses, servers and volumes, all of them text. The node that is removed is the last of its group, or the one that is named.
 */
export function expand(files: TemplateFiles, answers: HeatTemplateAnswers): ExpandedStack {
    const counts = {
        ...Object.fromEntries(Object.entries(answers.copies ?? {}).map(([name, count]) => [name, { count }])),
        ...Object.fromEntries(
            Object.entries(answers.groups).map(([name, { count, without }]) => [name, { count, without }]),
        ),
    };
    checkGroups(files, answers);
    const world = { answers, nested: files.nested, files: files.files, conditions: new Map<string, Value>() };
    const scope = buildScope(files.hot, world, counts);
    const changes = new Map<string, ServerChange>();
    const outputs: Record<string, Value> = {};
    const nodes = Object.keys(files.hot.resources)
        .filter(name => Object.hasOwn(answers.groups, name))
        .flatMap(name => nodesOf(name, scope, answers, changes, outputs));
    const servers = Object.entries(answers.servers ?? {}).map(([name, server]): ExpandedServer => {
        const copy = singleOf(scope, server.server, files);
        changes.set(copy.name, serverChange(copy, name, answers));
        return serverWithOutputs(name, copy, copy, server, scope, changes, outputs);
    });
    const vip = answers.vip && vipOutputs(scope, answers.vip, files, outputs);
    const flat = emit(scope, changes, files.hot.outputs, outputs, answers);
    return { ...flat, nodes, ...(vip ? { vip } : {}), servers };
}

function checkGroups({ hot }: TemplateFiles, answers: HeatTemplateAnswers): void {
    const pools = new Map<string, string>();
    for (const [name, group] of Object.entries(answers.groups)) {
        if (!Object.hasOwn(hot.resources, name)) {
            throw templateError(
                hot.file,
                `there is no group or VDU ${name} in this template`,
                `Resources: ${Object.keys(hot.resources).join(", ")}.`,
            );
        }
        const pool = group.role === "controlPlane" ? "the masters" : `pool ${group.pool ?? "(unnamed)"}`;
        const other = pools.get(pool);
        if (other !== undefined) {
            throw templateError(
                whereIs(hot.resources[name]),
                `${other} and ${name} both are ${pool}`,
                "Nodes are counted within their pool: give each group a pool of its own.",
            );
        }
        pools.set(pool, name);
    }
}

function nodesOf(
    name: string,
    scope: Scope,
    answers: HeatTemplateAnswers,
    changes: Map<string, ServerChange>,
    outputs: Record<string, Value>,
): ExpandedNode[] {
    const group = answers.groups[name];
    const where = whereIs(scope.hot.resources[name]);
    const member = memberOf(scope, name);
    if (member.kind === "dropped") throw templateError(where, `${name}: ${member.why}`);
    const copies: Copy[] = member.kind === "group" ? member.copies : member.kind === "absent" ? [] : [member];
    const numbers = member.kind === "group" ? member.numbers : [1];
    return copies.map((copy, i) => {
        const server = serverOf(copy, name, group.server, where);
        if (server.resource.condition !== undefined) {
            throw templateError(
                whereIs(server.resource, "condition"),
                `the server of a node has a condition, so whether node ${numbers[i]} of ${name} exists is not known`,
                "Put the condition on the group.",
            );
        }
        const node = answers.naming(group.role, group.pool, numbers[i]);
        changes.set(server.name, serverChange(server, node, answers));
        const expanded = serverWithOutputs(node, server, copy, group, scope, changes, outputs);
        return { ...expanded, role: group.role, ...(group.pool === undefined ? {} : { pool: group.pool }) };
    });
}

function serverWithOutputs(
    name: string,
    server: Single,
    copy: Copy,
    connection: { clusterCp?: string; sshCp?: string },
    scope: Scope,
    changes: Map<string, ServerChange>,
    outputs: Record<string, Value>,
): ExpandedServer {
    const { userDataParameter, generationParameter } = changes.get(server.name)!;
    const attached = copy === server ? attachedVolumes(server, scope) : {};
    const expressions = expressionsOf(server, copy, scope, connection);
    return {
        name,
        resource: server.name,
        healed: healedWith(server),
        ...shapeOf(server, scope),
        letThrough: letThrough(server, expressions.address, scope),
        generationParameter,
        ...(userDataParameter === undefined ? {} : { userDataParameter }),
        outputs: nameOutputs(name, { ...expressions, volumes: { ...attached, ...expressions.volumes } }, outputs),
    };
}

/** Volumes of a server that is directly in the top template: those attached to it. */
function attachedVolumes(server: Single, scope: Scope): Record<string, Value> {
    const found: Record<string, Value> = {};
    const text = (value: unknown) => JSON.stringify(value ?? null);
    for (const [name, member] of scope.members) {
        if (member.kind !== "single" || member.type !== "OS::Cinder::Volume") continue;
        const reference = text({ get_resource: name });
        const booted = text(server.resource.properties.block_device_mapping_v2).includes(reference);
        const attachment = [...scope.members.values()].some(
            other =>
                other.kind === "single" &&
                other.type === "OS::Cinder::VolumeAttachment" &&
                text(other.resource.properties).includes(reference) &&
                text(other.resource.properties).includes(text({ get_resource: server.name })),
        );
        if (booted || attachment) found[name] = { get_resource: member.name };
    }
    return found;
}

function vipOutputs(
    scope: Scope,
    vip: NonNullable<HeatTemplateAnswers["vip"]>,
    files: TemplateFiles,
    outputs: Record<string, Value>,
): ExpandedStack["vip"] {
    const port = singleOf(scope, vip.port, files);
    checkVirtualPort(port, scope);
    if (port.type !== "OS::Neutron::Port") {
        throw templateError(
            whereIs(port.resource),
            `${port.name} is of type ${port.type}: it cannot hold the API's virtual address`,
            "clusterConnectionPoint names the port of that address, clusterFloatingIp its floating IP.",
        );
    }
    const cidr = cidrOf(port);
    outputs["vip.address"] = addressOf(port);
    if (cidr !== undefined) outputs["vip.cidr"] = cidr;
    if (vip.floatingIp !== undefined) {
        outputs["vip.floatingAddress"] = addressOf(singleOf(scope, vip.floatingIp, files));
    }
    return {
        address: "vip.address",
        ...(cidr === undefined ? {} : { cidr: "vip.cidr" }),
        ...(vip.floatingIp === undefined ? {} : { floatingAddress: "vip.floatingAddress" }),
    };
}

function singleOf(scope: Scope, name: string, { hot }: TemplateFiles): Single {
    const member = scope.members.get(name);
    if (member?.kind === "single") return member;
    throw templateError(
        member ? whereIs(hot.resources[name]) : hot.file,
        member ? `${name} is no single resource` : `there is no resource ${name} in this template`,
        `Resources: ${Object.keys(hot.resources).join(", ")}.`,
    );
}
