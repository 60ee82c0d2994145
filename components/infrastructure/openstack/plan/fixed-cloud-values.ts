import type { FixedValues } from "../../../../provider/contract/fixed-inputs";
import { type GivenNames, givenKey } from "../../../../provider/openstack/given-names";
import type { KubernetesClusterArgs } from "../../../args/args";
import { backEndOf, cloudOf, stackNameOf } from "./cloud-args";
import { cloudDefaults } from "./plan-servers";

/** The cloud's ids of fixed inputs that are given by name: another name of the same thing is no change. */
export function fixedIds(args: KubernetesClusterArgs, names: GivenNames): FixedValues {
    const { network, subnet } = cloudOf(args)?.network ?? {};
    const ids = {
        "network.network": network && names[givenKey("network", network)],
        "network.subnet": subnet && names[givenKey("subnet", subnet)],
    };
    return Object.fromEntries(
        Object.entries(ids).flatMap(([name, id]) => (id ? [[`infrastructure.${backEndOf(args)}.${name}`, id]] : [])),
    );
}

/** What a cluster on a cloud keeps as long as it lives; nothing for existing machines. */
export function fixedCloudValues(args: KubernetesClusterArgs, clusterName: string): FixedValues {
    const cloud = cloudOf(args);
    if (cloud === undefined) return {};
    const { region, network, keyPair } = cloud;
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
