import type * as pulumi from "@pulumi/pulumi";
import { orPlaceholder } from "../../provider/adapters/or-placeholder";
import type { KeptInputs } from "../../provider/cluster/kept-inputs";
import type { StorageServerArgs } from "../args/storage-args";
import type { Infrastructure, Provisioned } from "../infrastructure/infrastructure";
import { fixedCloudValues, fixedIds } from "../infrastructure/openstack/plan/fixed-cloud-values";
import { withoutNodes } from "../infrastructure/openstack/plan/plan-storage";
import { keyedHashes } from "../preview/keyed-hashes";

/** The cloud of a StorageServer. Undefined: its machine exists already. */
export function storageCloud(
    name: string,
    args: StorageServerArgs,
    parent: pulumi.Resource,
): Infrastructure | undefined {
    if (args.infrastructure?.nova === undefined) return undefined;
    // Loaded at the first use: existing machines need no code of a cloud.
    const { novaStorage } =
        require("../infrastructure/openstack/nova/nova") as typeof import("../infrastructure/openstack/nova/nova");
    return novaStorage(name, args, parent);
}

/** What a StorageServer in a cloud keeps as long as it lives, as JSON. */
export function keptOfStorage(args: StorageServerArgs, { givenNames = {} }: Infrastructure): pulumi.Output<string> {
    const cluster = withoutNodes(args);
    const kept: KeptInputs = { fixed: fixedCloudValues(cluster, ""), masters: [] };
    return orPlaceholder(givenNames, {}).apply(found =>
        JSON.stringify({ ...kept, ids: fixedIds(cluster, found ?? {}) }),
    );
}

interface Identity {
    clusterId: pulumi.Output<string>;
    fingerprintKey: pulumi.Output<string>;
    kept: pulumi.Output<string>;
}

/** Makes its server and volumes. */
export function provisionStorage(cloud: Infrastructure, args: StorageServerArgs, identity: Identity): Provisioned {
    const { serverName: _, ...others } = args;
    const settings = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, { value }]));
    return cloud.provision({
        ...identity,
        compared: { kubernetesVersion: "", endpoint: "", settings: keyedHashes(settings, identity.fingerprintKey) },
    });
}
