import { usualNetwork } from "../../../../provider/common/cidr";
import type { CloudRequirements } from "../../../../provider/openstack/requirements";
import type { KubernetesClusterArgs } from "../../../args/args";
import type { StorageServerArgs } from "../../../args/storage-args";
import { cloudOf } from "./cloud-args";
import { cloudRequirements } from "./cloud-requirements";
import { cloudDefaults, hasFloatingIp, jumpOf, networkOf, ownerMark, type Program } from "./plan-servers";
import { storageRules } from "./security-rules";
import type { ServerPlan } from "./server-plan";
import { storageServer } from "./storage-server";

/** A StorageServer as a cluster without nodes: what makes servers in a cloud reads the arguments of clusters. */
export function withoutNodes({ infrastructure, server, volumes, snapshots }: StorageServerArgs): KubernetesClusterArgs {
    // A jump server has the servers' image, too.
    const image = infrastructure?.nova.image ?? server.image;
    return {
        // Kubernetes makes nothing there, so volumes and load balancers of a cluster with this name are not its own.
        infrastructure: { nova: { ...infrastructure?.nova, ...(image !== undefined && { image }), leftovers: "list" } },
        kubernetes: { version: "" },
        controlPlane: { count: 0 },
        storage: { server, volumes, ...(snapshots && { snapshots }) },
    };
}

/** All that a storage server of its own needs from the cloud. Pure. */
export function planStorage(args: StorageServerArgs, name: string, program: Program): ServerPlan {
    const wish = withoutNodes(args);
    const cloud = cloudOf(wish) ?? {};
    const metadata = ownerMark(name, program);
    const jumpServer = jumpOf(cloud, name, metadata);
    const sshCidrs = jumpServer ? [] : (cloud.access?.sshCidrs ?? cloudDefaults.sshCidrs);
    const clients = Object.values(args.exports).flatMap(({ clients: given = [] }) =>
        (given as string[]).map(usualNetwork),
    );
    return {
        clusterName: name,
        metadata,
        network: networkOf(cloud.network ?? {}, name),
        ...(cloud.externalNetwork !== undefined && { externalNetwork: cloud.externalNetwork }),
        securityGroup: { name, rules: storageRules(sshCidrs, clients, args.nfs3 ?? false) },
        serverGroups: [],
        keyPair: { name: cloud.keyPair ?? name, made: cloud.keyPair === undefined },
        ...(jumpServer && { jumpServer }),
        storage: storageServer(wish, {
            ...{ clusterName: name, metadata, floatingIp: hasFloatingIp(cloud, false), portSecurity: true, inputs: "" },
        })!,
        servers: [],
        deleteProtection: cloud.deleteProtection ?? false,
    };
}

/** What this requires of a cloud. No network of pods can be in its way. Pure. */
export function storageRequirements(plan: ServerPlan, args: StorageServerArgs): CloudRequirements {
    const { podCidr: _, serviceCidr: __, ...needs } = cloudRequirements(plan, "nova", withoutNodes(args));
    return needs;
}
