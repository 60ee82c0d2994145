import * as pulumi from "@pulumi/pulumi";
import { type Args, EncryptionRotation } from "../../provider/adapters/dynamic";
import type { EncryptionRotationInputs } from "../../provider/procedures/encryption-key/encryption-rotation";
import type { RotateArgs } from "../args/rotate-args";
import type { Cluster } from "./cluster-parts";

const onMaster =
    "its API server gets to know the new encryption key, encrypts with it, and forgets the former one when all Secrets have the new one; nothing restarts";

/** All Secrets get another key when all nodes are there: after `nodes`, so that one that is dead is healed before. */
export function makeEncryptionRotation(
    cluster: Cluster,
    rotate: RotateArgs | undefined,
    nodes: readonly pulumi.Resource[],
): EncryptionRotation | undefined {
    const word = rotate?.encryptionKey;
    if (word === undefined) return undefined;
    const masters = cluster.nodes.filter(({ role }) => role === "controlPlane");
    const key = cluster.identity.keys.apply(({ encryptionKey: secret, encryptionKeyName: name }) => ({
        secret,
        ...(name !== undefined && { name }),
    }));
    const inputs = {
        clusterId: cluster.identity.clusterId,
        word,
        madeFor: cluster.identity.rotated.apply(({ encryptionKey = "" }) => encryptionKey),
        key: pulumi.secret(key),
        peers: pulumi.jsonStringify(cluster.controlPlane),
        nodes: Object.fromEntries(masters.map(({ name }) => [name, onMaster])),
        ...cluster.unchecked,
    };
    return new EncryptionRotation(cluster.name, inputs as unknown as Args<EncryptionRotationInputs>, {
        ...cluster.goesWithCluster,
        dependsOn: [...nodes],
    });
}
