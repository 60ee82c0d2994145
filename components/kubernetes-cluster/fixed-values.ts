import * as pulumi from "@pulumi/pulumi";
import { orPlaceholder } from "../../provider/adapters/or-placeholder";
import { cloudParts, type NamedParts } from "../../provider/cloud-provider/cloud-parts";
import type { KeptInputs } from "../../provider/cluster/kept-inputs";
import type { Role } from "../../provider/common/model";
import { type FixedValues, fixedFlags } from "../../provider/contract/fixed-inputs";
import { apiServerPort, vipPort } from "../../provider/endpoint/decide-endpoint";
import type { EndpointShape } from "../../provider/endpoint/endpoint-change";
import { virtualRouterId } from "../../provider/endpoint/virtual-router-id";
import type { GivenNames } from "../../provider/openstack/given-names";
import type { KubernetesClusterArgs } from "../args/args";
import type { CloudProviderArgs } from "../args/cloud-provider-args";
import { cniOf, defaults } from "../common/plain-args";
import type { Infrastructure } from "../infrastructure/infrastructure";
import { cloudOf } from "../infrastructure/openstack/plan/cloud-args";
import { fixedCloudValues, fixedIds } from "../infrastructure/openstack/plan/fixed-cloud-values";

/** What the cluster's identity compares later programs with, as JSON. */
export function keptInputs(
    args: KubernetesClusterArgs,
    name: string,
    { nodes, givenNames = {} }: Pick<Infrastructure, "nodes" | "givenNames">,
): pulumi.Output<string> {
    const namesOf = (role: Role) => nodes.filter(node => node.role === role).map(node => node.name);
    const kept: KeptInputs = {
        fixed: fixedValues(args, name),
        masters: namesOf("controlPlane"),
        endpoint: endpointShape(args, name),
        cloudParts: namedParts(args.cloudProvider ?? {}),
    };
    // By type these are plain text, but a JavaScript program may give outputs.
    return pulumi
        .all([kept, orPlaceholder<GivenNames>(givenNames, {})])
        .apply(([known, found]) => JSON.stringify({ ...known, ids: fixedIds(args, found ?? {}) }));
}

function namedParts(given: CloudProviderArgs): NamedParts {
    return Object.fromEntries(cloudParts.flatMap(part => (given[part] ? [[part, given[part].enabled ?? true]] : [])));
}

/**
 * What a cluster keeps as long as it lives (see provider/contract/fixed-inputs.ts), as text. An input that is not given has its
 * default here, so that a default that depends on another input cannot change either.
 */
export function fixedValues(args: KubernetesClusterArgs, defaultName: string): FixedValues {
    const clusterName = args.clusterName ?? defaultName;
    return {
        clusterName,
        ...fixedCloudValues(args, clusterName),
        "kubernetes.source": sourceKind(args),
        "kubernetes.containerRuntime.from": args.kubernetes.containerRuntime?.from ?? "distribution",
        "controlPlane.encryptionAtRest.enabled": String(args.controlPlane?.encryptionAtRest?.enabled ?? true),
        "network.podCidr": args.network?.podCidr ?? defaults.podCidr,
        "network.serviceCidr": args.network?.serviceCidr ?? defaults.serviceCidr,
        "network.dnsDomain": args.network?.dnsDomain ?? defaults.dnsDomain,
        "network.cni": cniOf(args),
        ...flagValues(args),
    };
}

function flagValues({ controlPlane }: KubernetesClusterArgs): FixedValues {
    const rows = Object.entries(fixedFlags).flatMap(([component, flags]) =>
        flags.map(flag => [
            `controlPlane.extraArgs.${component}.${flag}`,
            controlPlane?.extraArgs?.[component]?.[flag] ?? "",
        ]),
    );
    return Object.fromEntries(rows);
}

/** The facts that decide what a change of the endpoint means. */
export function endpointShape(args: KubernetesClusterArgs, defaultName: string): EndpointShape {
    const { vip, external } = args.controlPlane?.endpoint ?? {};
    const place = cloudOf(args) ? { onCloud: true } : {};
    if (external) return { kind: "external", host: external.host, port: external.port ?? apiServerPort, ...place };
    if (!vip) return { kind: "name", host: "", port: apiServerPort, ...place };
    const { address = "", port = vipPort } = vip;
    const number =
        typeof (address as unknown) === "string"
            ? virtualRouterId(args.clusterName ?? defaultName, vip)
            : vip.virtualRouterId;
    return { kind: "vip", host: address, port, ...(number !== undefined && { virtualRouterId: number }), ...place };
}

function sourceKind({ kubernetes: { source = {} } }: KubernetesClusterArgs): string {
    return (["bundle", "apt", "dnf"] as const).find(kind => source[kind] !== undefined) ?? "image";
}
