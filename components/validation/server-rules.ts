import { parse } from "yaml";
import { didYouMean } from "../../provider/common/did-you-mean";
import type { PortArgs, ServerArgs } from "../args/infrastructure-args";
import type { Problem } from "./rule";

const policies = ["soft-anti-affinity", "anti-affinity", "soft-affinity", "affinity", "none"];
const vnicTypes = [
    "normal",
    "direct",
    "direct-physical",
    "macvtap",
    "baremetal",
    "smart-nic",
    "virtio-forwarder",
    "vdpa",
    "accelerator-direct",
    "accelerator-direct-physical",
    "remote-managed",
];
const volumeName = /^[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?$/;

/** What is wrong with settings of servers, at any place. */
export function serverProblems(place: string, given: ServerArgs | undefined): Problem[] {
    if (!given) return [];
    return [
        ...choice(`${place}.serverGroup`, given.serverGroup, policies),
        ...sizes(`${place}.bootVolume`, given.bootVolume),
        ...Object.entries(given.volumes ?? {}).flatMap(([key, volume]): Problem[] => [
            ...(volumeName.test(key) && key !== "boot"
                ? []
                : [[`${place}.volumes.${key}`, 'the name must be of a-z, 0-9 and -, and not "boot"'] as Problem]),
            ...sizes(`${place}.volumes.${key}`, volume),
        ]),
        ...ports(`${place}.port`, given.port, given.securityGroups),
        ...(given.networks ?? []).flatMap(({ port }, i) => ports(`${place}.networks.${i}.port`, port)),
        ...userData(`${place}.userData`, given.userData),
    ];
}

/** Checks for one of several words, and suggests the most similar one. */
export function choice(place: string, value: string | undefined, allowed: readonly string[]): Problem[] {
    if (value === undefined || allowed.includes(value)) return [];
    return [[place, `"${value}" is not allowed: ${allowed.join(", ")}${didYouMean(value, allowed)}`]];
}

/** Of classes by name, Kubernetes uses one where none is named. */
export function oneDefault(place: string, classes: Record<string, { isDefault?: boolean }>): Problem[] {
    const names = Object.keys(classes).filter(name => classes[name]!.isDefault);
    return names.length > 1 ? [[place, `only one can be the default: ${names.join(", ")} have isDefault`]] : [];
}

function sizes(place: string, volume: { sizeGiB: number } | undefined): Problem[] {
    if (!volume || (Number.isInteger(volume.sizeGiB) && volume.sizeGiB > 0)) return [];
    return [[`${place}.sizeGiB`, `${volume.sizeGiB} is not allowed: whole GiB, 1 or more`]];
}

function ports(place: string, port: PortArgs | undefined, securityGroups: string[] = []): Problem[] {
    const pointless = port?.portSecurity === false && securityGroups.length > 0;
    return [
        ...choice(`${place}.vnicType`, port?.vnicType, vnicTypes),
        ...(pointless
            ? [[`${place}.portSecurity`, "false excludes securityGroups: Neutron allows none there"] as Problem]
            : []),
    ];
}

/** It is merged with ours, so a script cannot be used. */
function userData(place: string, text: string | undefined): Problem[] {
    if (text === undefined) return [];
    const wrong: Problem[] = [[place, 'must be cloud-init configuration: a YAML mapping, begun by "#cloud-config"']];
    try {
        const parsed: unknown = parse(text);
        const mapping = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
        return mapping || parsed === null ? [] : wrong;
    } catch {
        return wrong;
    }
}
