import type * as pulumi from "@pulumi/pulumi";
import type { StorageServerArgs } from "../../../args/storage-args";
import { stillAsks } from "../../heal-wish";
import type { Infrastructure } from "../../infrastructure";
import { inCloud, onCloud } from "../cloud";
import { claimKeyPair } from "../key-pair-names";
import { withoutNodes } from "../plan/plan-storage";
import type { ServerPlan } from "../plan/server-plan";
import { planStorageCloud } from "../plan-cloud";
import { shapeHashes } from "../resources/unchecked-changes";
import type { ServerMaker } from "../server-maker";
import { novaServers } from "./nova-servers";
import { serverHeals } from "./server-heals";

/** Servers of an OpenStack cloud, made one by one. */
const maker: ServerMaker = {
    start: ({ plan }, { fingerprintKey }) => ({ spec: {}, inputs: { shapes: shapeHashes(plan, fingerprintKey) } }),
    make: (request, { context, start, args, clusterId, turnOf }) =>
        novaServers(
            request,
            context(),
            serverHeals(start, (node, heals) => stillAsks(args, named(request.plan, node), heals), clusterId),
            turnOf,
        ),
};

const named = ({ servers }: ServerPlan, node: string) => servers.find(({ name }) => name === node)!;

export const nova = onCloud(maker);

/** A storage server of its own. `args` has `infrastructure.nova`. */
export function novaStorage(name: string, args: StorageServerArgs, parent: pulumi.Resource): Infrastructure {
    const plan = planStorageCloud(name, args);
    claimKeyPair(plan, "StorageServer", name);
    return inCloud({ name, args: withoutNodes(args), parent }, plan, maker);
}
