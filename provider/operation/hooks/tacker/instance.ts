import type { HookFacts, HookNode } from "../contract";
import { type JsonObject, merged } from "./merge";
import type { TackerSettings } from "./settings";
import { idOf } from "./uuid";
import { aspectIdOf, vnfcInfo, vnfcResourceInfo } from "./vnfc";
import type { TackerPackage } from "./vnfd";

/** The package of the cluster, and the one that it changes to. */
export interface Packages {
    current: Pick<TackerPackage, "flavourId" | "descriptor">;
    next?: Pick<TackerPackage, "flavourId" | "descriptor">;
}

/** Id of the VNF instance. Tacker names a stack after the instance, and scripts find the stack by that name. */
export function instanceIdOf({ cluster }: HookFacts, { stack }: TackerSettings): string {
    const [, id] = /^vnf-(.+)$/.exec(stack?.name ?? "") ?? [];
    return id ?? idOf(cluster.id, "instance");
}

/** Id of a package's descriptor. Every instance has one, so a package without one gets an id made from the cluster. */
export function vnfdIdOf({ cluster }: HookFacts, settings: TackerSettings, { current }: Packages): string {
    return settings.vnfdId ?? current.descriptor.vnfdId ?? idOf(cluster.id, "vnfd");
}

/** The VNF instance as Tacker has it at this event. @see ETSI GS NFV-SOL 003, type VnfInstance (API version 2) */
export function vnfInstance(facts: HookFacts, settings: TackerSettings, packages: Packages): JsonObject {
    const { current, next } = packages;
    const id = instanceIdOf(facts, settings);
    // The operation itself changes the id, so only its end has the new one.
    const changed = /^(change_current_package|modify_information)_end$/.test(facts.etsiEvent) ? next : undefined;
    const { descriptor } = changed ?? current;
    const info = instantiatedInfo(facts, settings, settings.flavourId ?? current.flavourId);
    const instance = {
        id,
        vnfInstanceName: facts.cluster.name,
        vnfdId: changed?.descriptor.vnfdId ?? vnfdIdOf(facts, settings, packages),
        vnfProvider: descriptor.provider ?? "",
        vnfProductName: descriptor.productName ?? facts.cluster.name,
        vnfSoftwareVersion: descriptor.softwareVersion ?? "",
        vnfdVersion: descriptor.vnfdVersion ?? "",
        vimConnectionInfo: facts.etsiEvent === "terminate_end" ? {} : (settings.vimConnectionInfo ?? {}),
        instantiationState: info === undefined || info["vnfState"] === "STOPPED" ? "NOT_INSTANTIATED" : "INSTANTIATED",
        ...(info !== undefined && { instantiatedVnfInfo: info }),
        metadata: {},
        extensions: {},
        vnfConfigurableProperties: {},
        _links: { self: { href: `/vnflcm/v2/vnf_instances/${id}` } },
    };
    return merged(instance, settings.instance);
}

function instantiatedInfo(facts: HookFacts, settings: TackerSettings, flavourId: string): JsonObject | undefined {
    const { etsiEvent, operation, nodes, cluster } = facts;
    if (etsiEvent === "instantiate_start" || etsiEvent === "instantiate_rollback_end") return undefined;
    if (etsiEvent === "terminate_end") return { flavourId, vnfState: "STOPPED" };
    const present = newestFirst(etsiEvent.endsWith("_end") ? nodes.after : nodes.before, facts);
    return {
        flavourId,
        vnfState: "STARTED",
        // Tacker adjusts the levels after the script of scale_end.
        scaleStatus: scaleStatus(operation.kind === "scale" ? nodes.before : present, settings),
        extCpInfo: [],
        vnfcResourceInfo: present.map(node => vnfcResourceInfo(cluster.id, node, settings)),
        vnfVirtualLinkResourceInfo: [],
        virtualStorageResourceInfo: [],
        vnfcInfo: present.map(node => vnfcInfo(cluster.id, node, settings)),
        metadata: settings.stack === undefined ? {} : { stack_id: settings.stack.id },
    };
}

/** Scripts take the first entries of a VDU as those that scaling out made: Tacker lists the newest ones first. */
function newestFirst(present: HookNode[], { nodes }: HookFacts): HookNode[] {
    const isNew = ({ name }: HookNode) => nodes.added.includes(name) || nodes.replaced.includes(name);
    const reversed = [...present].reverse();
    return [...reversed.filter(isNew), ...reversed.filter(node => !isNew(node))];
}

/** Our groups have no levels: the level is the number of nodes. */
function scaleStatus(nodes: HookNode[], settings: TackerSettings): JsonObject[] {
    const levels = new Map<string, number>();
    for (const node of nodes) {
        const aspect = aspectIdOf(node, settings);
        levels.set(aspect, (levels.get(aspect) ?? 0) + 1);
    }
    return [...levels].sort().map(([aspectId, scaleLevel]) => ({ aspectId, scaleLevel }));
}
