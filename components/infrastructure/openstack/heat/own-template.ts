import * as pulumi from "@pulumi/pulumi";
import type { NodeInStack, StartNode } from "../../../../provider/cloud/cloud-start-inputs";
import { covers, parseCidr } from "../../../../provider/common/cidr";
import type { Role } from "../../../../provider/common/model";
import type { CloudRequirements } from "../../../../provider/openstack/requirements";
import type { KubernetesClusterArgs } from "../../../args/args";
import { cniOf, defaults } from "../../../common/plain-args";
import { keyedHashes } from "../../../preview/keyed-hashes";
import { type ExpandedNode, type ExpandedStack, expandTemplate, fixedParts, leadsTo, readTemplate } from "../hot";
import { templateError } from "../hot/places";
import type { TemplateFiles } from "../hot/types";
import { stackNameOf } from "../plan/cloud-args";
import { controlPlaneKey } from "../plan/server-groups";
import { serverName, serverNumbers } from "../plan/server-names";
import type { ServerPlan, ServerPlanEntry, StorageServerPlan } from "../plan/server-plan";
import { storageGroups, storageNeed } from "../plan/storage-needs";
import { withPlace } from "./own-place";

/** The user's template, read and flattened. */
export interface OwnTemplate {
    /** The unchanged files. */
    files: TemplateFiles;
    stack: ExpandedStack;
    /** Values of parameters that were not known when it was read. */
    parameters: Record<string, pulumi.Input<string>>;
    /** The plan, with the servers that the template makes. The other resources of the template are not in it. */
    plan: ServerPlan;
}

/** Undefined if our own template is used. */
export function ownTemplate(args: KubernetesClusterArgs, plan: ServerPlan): OwnTemplate | undefined {
    const template = args.infrastructure.heat?.template;
    if (!template) return undefined;
    const given = Object.entries(template.parameters ?? {});
    const known = given.filter((entry): entry is [string, string] => isPlain(entry[1]));
    const later = given.filter(([, value]) => !isPlain(value));
    const { clusterName } = plan;
    const keyOf = (role: Role, pool: string | undefined) => (role === "controlPlane" ? controlPlaneKey : pool!);
    const numbersOf = (key: string, remove: readonly string[] = []) => serverNumbers(remove, clusterName, key);
    const files = readTemplate(template.file);
    const stack = expandTemplate(files, template.tacker, {
        clusterName,
        naming: (role, pool, number) => serverName(clusterName, keyOf(role, pool), number),
        counts: {
            controlPlane: args.controlPlane?.count,
            pools: Object.fromEntries(Object.entries(args.pools ?? {}).map(([pool, { count }]) => [pool, count])),
        },
        without: {
            controlPlane: numbersOf(controlPlaneKey, args.controlPlane?.remove),
            pools: Object.fromEntries(
                Object.entries(args.pools ?? {}).map(([pool, { remove }]) => [pool, numbersOf(pool, remove)]),
            ),
        },
        parameters: Object.fromEntries(known),
        deferredParameters: later.map(([name]) => name),
        keyName: plan.keyPair.name,
        userData: true,
    });
    refuseMastersPort(args, stack);
    refuseChains(stack);
    const { storage } = plan;
    const joined = storage ? withPlace(stack, args.infrastructure.heat?.ssh?.jump !== undefined) : stack;
    return {
        files,
        stack: joined,
        parameters: Object.fromEntries(later),
        plan: { ...planOf(plan, stack), ...(storage && { storage: storageIn(joined, storage) }) },
    };
}

/** With one control-plane node, Tacker names that node's port here. With several, a node's own port is no common address. */
function refuseMastersPort({ infrastructure, controlPlane }: KubernetesClusterArgs, { nodes }: ExpandedStack): void {
    const { clusterConnectionPoint: port, masterNode } = infrastructure.heat?.template?.tacker ?? {};
    const masters = nodes.filter(({ role }) => role === "controlPlane").length;
    if (port === undefined || port !== masterNode?.nicConnectionPoint) return;
    if (masters < 2 || controlPlane?.endpoint?.external) return;
    throw templateError(
        undefined,
        `infrastructure.heat.template.tacker.clusterConnectionPoint: ${port} is the port of the masters themselves: each of the ${masters} has ` +
            "one, and the API would have no address that they share",
        "Name a port of the template that no server uses, for the API's virtual address. Or give controlPlane.endpoint.external, or one master.",
    );
}

/** A lost server is made again, and Heat then also replaces each server of which a fixed property refers to it. */
function refuseChains(stack: ExpandedStack): void {
    const leads = leadsTo(stack);
    for (const { name, resource, healed } of stack.nodes) {
        for (const other of stack.nodes) {
            const through = leads.get(other.name)!.find(each => healed.includes(each));
            if (other.resource === resource || through === undefined) continue;
            throw templateError(
                undefined,
                `infrastructure.heat.template: the server ${other.resource} refers to ${through}, which belongs to the node ${name}: when ${name} is ` +
                    `lost and made again, Heat would replace ${other.resource} with it`,
                "To keep servers apart, name a group (OS::Nova::ServerGroup) in scheduler_hints. Give each server a boot volume of its own.",
            );
        }
    }
}

function isPlain(value: unknown): boolean {
    return ["string", "number", "boolean"].includes(typeof value);
}

/** It is made from the image of the nodes, unless it has one of its own. */
function storageIn({ nodes, place }: ExpandedStack, storage: StorageServerPlan): StorageServerPlan {
    const images = new Set(nodes.map(({ shape }) => shape["image"] ?? shape["bootVolume.image"]));
    const [common] = images;
    if (storage.image === "" && (images.size > 1 || common === undefined)) {
        throw templateError(
            undefined,
            "storage.server.image is required: the nodes of infrastructure.heat.template have no image in common that is known before they are made",
            "Give the name or id of an image from which the nodes, or servers like them, are made.",
        );
    }
    return {
        ...storage,
        image: storage.image === "" ? common! : storage.image,
        floatingIp: place?.externalNetwork !== undefined,
    };
}

function planOf({ vip, jumpServer: _, ...plan }: ServerPlan, stack: ExpandedStack): ServerPlan {
    return {
        ...plan,
        securityGroup: { ...plan.securityGroup, rules: [] },
        serverGroups: [],
        ...(stack.vip && vip && { vip: { ...vip, floatingIp: stack.vip.floatingAddress !== undefined } }),
        servers: stack.nodes.map(entryOf),
    };
}

function entryOf({ name, role, pool, shape, outputs }: ExpandedNode): ServerPlanEntry {
    return {
        key: name,
        name,
        role,
        ...(pool !== undefined && { pool }),
        image: shape["image"] ?? "",
        flavor: shape["flavor"] ?? "",
        ...(shape["availabilityZone"] !== undefined && { availabilityZone: shape["availabilityZone"] }),
        volumes: [],
        ports: [],
        floatingIp: outputs.sshAddress !== undefined,
        metadata: {},
    };
}

/** What can be checked in the cloud before the stack is made; Heat itself validates the rest. */
export function templateRequirements({ plan, stack }: OwnTemplate, args: KubernetesClusterArgs): CloudRequirements {
    const path = "infrastructure.heat.template";
    const { storage } = plan;
    const reference = (name: string) => ({ name, path });
    return {
        backEnd: "heat",
        ownTemplate: true,
        clusterName: plan.clusterName,
        owner: plan.metadata,
        servers: [
            ...stack.nodes
                .filter(({ shape }) => shape["flavor"] !== undefined)
                .map(({ name, role, shape }) => ({
                    name,
                    role,
                    flavor: reference(shape["flavor"]!),
                    ...(shape["image"] !== undefined && { image: reference(shape["image"]) }),
                    ...(shape["availabilityZone"] !== undefined && { zone: reference(shape["availabilityZone"]) }),
                    networks: [],
                })),
            ...(storage ? [storageNeed(storage, { networks: [] })] : []),
        ],
        ...(storage && { securityGroups: storageGroups(storage) }),
        stack: { name: stackNameOf(args, plan.clusterName), path: "infrastructure.heat.stackName" },
        keyPairsMade: [plan.keyPair.name],
        podCidr: { name: args.network?.podCidr ?? defaults.podCidr, path: "network.podCidr" },
        serviceCidr: { name: args.network?.serviceCidr ?? defaults.serviceCidr, path: "network.serviceCidr" },
    };
}

/** Settings that are valid but probably not intended. */
export function templateWarnings({ stack }: OwnTemplate, args: KubernetesClusterArgs): string[] {
    const unread = (stack.unread ?? []).map(
        place => `${place} has no effect: the template asks for no such value, or its UserData class does not fill it.`,
    );
    return [...unread, ...closedPorts(stack, args)];
}

/** Closed ports would otherwise show only when pods do not reach each other: the nodes are Ready nevertheless. */
function closedPorts(stack: ExpandedStack, args: KubernetesClusterArgs): string[] {
    const podCidr = args.network?.podCidr ?? defaults.podCidr;
    const pods = parseCidr(podCidr);
    const closed = stack.nodes.filter(
        ({ letThrough }) =>
            letThrough &&
            !letThrough.some(text => {
                const network = parseCidr(text);
                return network && pods && covers(network, pods);
            }),
    );
    if (cniOf(args) !== "bridge" || stack.nodes.length < 2 || closed.length === 0) return [];
    const names = closed.map(({ name }) => name).join(", ");
    return [
        `infrastructure.heat.template: the ports of ${names} drop what pods send to other nodes. network.cni "bridge" routes it over the ` +
            `nodes' network: add { ip_address: ${podCidr} } to their allowed_address_pairs, and a rule for it to their security groups. ` +
            'Or take network.cni "flannel".',
    ];
}

/** Missing values are written, too, because only keys that both sides have are compared. `fixedParts` compares what is known later. */
function wholeShape({ shape, shapeLater = [] }: ExpandedNode): StartNode["shape"] {
    const words = [
        ...["flavor", "image", "availabilityZone", "keyPair"],
        ...["bootVolume.image", "bootVolume.snapshot", "bootVolume.volume"],
    ].filter(word => !shapeLater.includes(word));
    return { ...Object.fromEntries(words.map(word => [word, "none"])), ...shape };
}

/** The template's nodes in OperationStart's form. */
export function templateNodes({ stack }: OwnTemplate): Record<string, StartNode> {
    return Object.fromEntries(
        stack.nodes.map(node => {
            const { name, role, pool, resource, healed, outputs } = node;
            const inStack: NodeInStack = {
                server: resource,
                healed,
                address: outputs.address,
                ...(outputs.sshAddress !== undefined && { sshAddress: outputs.sshAddress }),
            };
            const shape = wholeShape(node);
            return [name, { role, ...(pool !== undefined && { pool }), shape, stack: inStack }];
        }),
    );
}

/** What the nodes' servers are made of, as keyed hashes: values of parameters may be secret, or known only when the stack is made. */
export function templateParts({ stack, parameters }: OwnTemplate, key: pulumi.Output<string>) {
    const later = Object.entries(parameters).map(([name, value]) => [name, pulumi.output(value).apply(String)]);
    return keyedHashes(fixedParts(stack, Object.fromEntries(later)), key);
}
