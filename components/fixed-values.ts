import * as pulumi from "@pulumi/pulumi";
import { apiServerPort, vipPort } from "../provider/endpoint/decide-endpoint";
import type { EndpointShape } from "../provider/endpoint/endpoint-change";
import { virtualRouterId } from "../provider/endpoint/virtual-router-id";
import type { Role } from "../provider/model";
import { type GivenNames, givenKey } from "../provider/openstack/given-names";
import { type FixedValues, fixedFlags } from "../provider/resources/fixed-inputs";
import type { KeptInputs } from "../provider/resources/kept-inputs";
import type { KubernetesClusterArgs } from "./args";
import type { CloudServersArgs } from "./infrastructure-args";
import { knownOr } from "./known-or";
import { backEndOf, cloudOf, stackNameOf } from "./openstack/cloud-args";
import type { CloudPlan } from "./openstack/plan-cloud";
import { cloudDefaults } from "./openstack/plan-servers";
import { cniOf, defaults, members, type PlainArgs } from "./topology";

/** What the cluster's identity compares later programs with, as JSON. */
export function keptInputs(
    args: KubernetesClusterArgs,
    name: string,
    cloudPlan: CloudPlan | undefined,
    names: pulumi.Input<GivenNames> = {},
): pulumi.Output<string> {
    const machines = cloudPlan ? cloudPlan.plan.servers : members(args);
    const namesOf = (role: Role) => machines.filter(each => each.role === role).map(machine => machine.name);
    const kept: KeptInputs = {
        fixed: fixedValues(args as PlainArgs, name),
        masters: namesOf("controlPlane"),
        workers: namesOf("worker"),
        endpoint: endpointShape(args as PlainArgs, name),
    };
    // By type these are plain text, but a JavaScript program may give outputs.
    return pulumi
        .all([kept, knownOr<GivenNames>(names, {})])
        .apply(([known, found]) => JSON.stringify({ ...known, ids: fixedIds(args as PlainArgs, found ?? {}) }));
}

/** The cloud's ids of fixed inputs that are given by name: another name of the same thing is no change. */
export function fixedIds(args: PlainArgs, names: GivenNames): FixedValues {
    const { network, subnet } = cloudOf(args)?.network ?? {};
    const ids = {
        "network.network": network && names[givenKey("network", network)],
        "network.subnet": subnet && names[givenKey("subnet", subnet)],
    };
    return Object.fromEntries(
        Object.entries(ids).flatMap(([name, id]) => (id ? [[`infrastructure.${backEndOf(args)}.${name}`, id]] : [])),
    );
}

/**
 * What a cluster keeps as long as it lives (see provider/resources/fixed-inputs.ts), as text. An input that is not given has its
 * default here, so that a default that depends on another input cannot change either.
 */
export function fixedValues(args: PlainArgs, defaultName: string): FixedValues {
    const clusterName = args.clusterName ?? defaultName;
    const cloud = cloudOf(args);
    return {
        clusterName,
        ...(cloud && cloudValues(args, cloud, clusterName)),
        "kubernetes.source": sourceKind(args),
        "controlPlane.encryptionAtRest.enabled": String(args.controlPlane?.encryptionAtRest?.enabled ?? true),
        "network.podCidr": args.network?.podCidr ?? defaults.podCidr,
        "network.serviceCidr": args.network?.serviceCidr ?? defaults.serviceCidr,
        "network.dnsDomain": args.network?.dnsDomain ?? defaults.dnsDomain,
        "network.cni": cniOf(args),
        ...flagValues(args),
    };
}

function flagValues({ controlPlane }: PlainArgs): FixedValues {
    const rows = Object.entries(fixedFlags).flatMap(([component, flags]) =>
        flags.map(flag => [
            `controlPlane.extraArgs.${component}.${flag}`,
            controlPlane?.extraArgs?.[component]?.[flag] ?? "",
        ]),
    );
    return Object.fromEntries(rows);
}

/** The facts that decide what a change of the endpoint means. */
export function endpointShape(args: PlainArgs, defaultName: string): EndpointShape {
    const { vip, external } = args.controlPlane?.endpoint ?? {};
    const place = args.infrastructure.hosts ? {} : { onCloud: true };
    if (external) return { kind: "external", host: external.host, port: external.port ?? apiServerPort, ...place };
    if (!vip) return { kind: "name", host: "", port: apiServerPort, ...place };
    const { address = "", port = vipPort } = vip;
    const number =
        typeof (address as unknown) === "string"
            ? virtualRouterId(args.clusterName ?? defaultName, vip)
            : vip.virtualRouterId;
    return { kind: "vip", host: address, port, ...(number !== undefined && { virtualRouterId: number }), ...place };
}

function sourceKind({ kubernetes: { source = {} } }: PlainArgs): string {
    return (["bundle", "apt", "dnf"] as const).find(kind => source[kind] !== undefined) ?? "image";
}

function cloudValues(
    args: PlainArgs,
    { region, network, keyPair }: CloudServersArgs,
    clusterName: string,
): FixedValues {
    const backEnd = backEndOf(args);
    const values = {
        region,
        "network.network": network?.network,
        "network.subnet": network?.subnet,
        "network.cidr": network?.network === undefined ? (network?.cidr ?? cloudDefaults.networkCidr) : "",
        keyPair,
    };
    return {
        ...Object.fromEntries(
            Object.entries(values).map(([name, value]) => [`infrastructure.${backEnd}.${name}`, value ?? ""]),
        ),
        ...(backEnd === "heat" && {
            "infrastructure.heat.stackName": stackNameOf(args, clusterName),
            "infrastructure.heat.template": args.infrastructure.heat?.template === undefined ? "" : "given",
        }),
    };
}
