import type * as pulumi from "@pulumi/pulumi";
import type { RotateArgs } from "../rotate-args";
import type { Cluster } from "./cluster-parts";
import { makeEncryptionRotation } from "./encryption-rotation";
import { makeServiceAccountRotation } from "./service-account-rotation";

/** One after another, because each acts on all control-plane nodes. */
export function makeRotations(
    cluster: Cluster,
    rotate: RotateArgs | undefined,
    nodes: readonly pulumi.Resource[],
): pulumi.Resource[] {
    const encryption = makeEncryptionRotation(cluster, rotate, nodes);
    const first = encryption ? [encryption] : [];
    const serviceAccount = makeServiceAccountRotation(cluster, rotate, [...nodes, ...first]);
    return [...first, ...(serviceAccount ? [serviceAccount] : [])];
}
