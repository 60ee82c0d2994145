import * as pulumi from "@pulumi/pulumi";
import { type Args, ServiceAccountRotation } from "../../provider/adapters/dynamic";
import type { ServiceAccountRotationInputs } from "../../provider/procedures/service-account-key/service-account-rotation";
import { defaultGraceHours, type RotateArgs } from "../args/rotate-args";
import type { Cluster } from "./cluster-parts";

const onMaster =
    "its API server restarts to accept tokens of the new service-account key, and once more to sign with it; tokens of the former key stay valid meanwhile";

/** Tokens get another key when all nodes are there: after `nodes`, so that one that is dead is healed before. */
export function makeServiceAccountRotation(
    cluster: Cluster,
    rotate: RotateArgs | undefined,
    after: readonly pulumi.Resource[],
): ServiceAccountRotation | undefined {
    const word = rotate?.serviceAccountKey;
    if (word === undefined) return undefined;
    const masters = cluster.nodes.filter(({ role }) => role === "controlPlane");
    const key = cluster.identity.keys.apply(
        ({ serviceAccountKey: secret, serviceAccountPublicKey, serviceAccountKeyName: name }) => ({
            ...{ secret, public: serviceAccountPublicKey },
            ...(name !== undefined && { name }),
        }),
    );
    const inputs = {
        clusterId: cluster.identity.clusterId,
        word,
        graceHours: rotate?.serviceAccountGraceHours ?? defaultGraceHours,
        madeFor: cluster.identity.rotated.apply(({ serviceAccountKey = "" }) => serviceAccountKey),
        key: pulumi.secret(key),
        peers: pulumi.jsonStringify(cluster.controlPlane),
        nodes: Object.fromEntries(masters.map(({ name }) => [name, onMaster])),
        ...cluster.unchecked,
    };
    return new ServiceAccountRotation(cluster.name, inputs as unknown as Args<ServiceAccountRotationInputs>, {
        ...cluster.goesWithCluster,
        dependsOn: [...after],
    });
}
