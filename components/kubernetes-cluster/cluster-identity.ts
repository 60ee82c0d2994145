import * as pulumi from "@pulumi/pulumi";
import { ClusterId, ClusterKeys } from "../../provider/dynamic";
import { caCertHash, controlPlaneKeys } from "../../provider/identity";
import type { ControlPlaneKeys, PublicIdentity } from "../../provider/model";
import { orPlaceholder } from "../../provider/unknown/or-placeholder";
import { otherSampleKeys, sampleIdentity } from "../preview/sample-identity";
import type { RotateArgs } from "../rotate-args";

/** What each node gets of the cluster's identity. */
export interface NodeIdentity {
    identity: { [Field in keyof PublicIdentity]: pulumi.Output<string> };
    /** Control-plane nodes only. Secret. */
    keys: pulumi.Output<ControlPlaneKeys>;
}

/** Id and keys of a cluster, as its other resources use them. */
export interface ClusterIdentity extends NodeIdentity {
    /** All other resources of the cluster wait for it. */
    resource: ClusterId;
    clusterId: pulumi.Output<string>;
    /** Secret. */
    fingerprintKey: pulumi.Output<string>;
    caCertificate: pulumi.Output<string>;
    /** The words of the rotations for which there are keys. */
    rotated: pulumi.Output<RotateArgs>;
    adminCertificate: pulumi.Output<string>;
    /** Secret. */
    adminKey: pulumi.Output<string>;
    /** The same with two different placeholders where the keys are not known at preview, because they will change. */
    placeholders: readonly [NodeIdentity, NodeIdentity];
}

/**
 * A preview keeps the recorded keys: Pulumi knows no output of a resource that will change, and nearly everything depends on these. What a rotation does is
 * shown by its own resource.
 */
function wordsForUp(rotate: RotateArgs, fingerprintKey: pulumi.Output<string>) {
    return Object.keys(rotate).length === 0 || pulumi.runtime.isDryRun() ? {} : { rotate, fingerprintKey };
}

export function clusterIdentity(
    name: string,
    args: { clusterName: string } & ConstructorParameters<typeof ClusterId>[1],
    options: pulumi.CustomResourceOptions,
    rotate: RotateArgs = {},
): ClusterIdentity {
    const resource = new ClusterId(name, args, options);
    const { clusterId, fingerprintKey } = resource;
    const made = new ClusterKeys(
        name,
        { clusterId, ...wordsForUp(rotate, fingerprintKey) },
        { parent: options.parent },
    );
    const certificates = made.certificates.apply(({ current }) => current);
    const set = pulumi.all([made.certificates, made.keys]);
    const keys = pulumi.secret(
        set.apply(([{ current: publicHalves }, { current }]) =>
            controlPlaneKeys({ certificates: publicHalves, keys: current }),
        ),
    );
    const hash = certificates.apply(({ caCertificate }) => caCertHash(caCertificate));
    const fingerprint = certificates.apply(each => each.fingerprint);
    const placeholder = (digit: string): NodeIdentity => {
        const sample = sampleIdentity(args.clusterName, digit);
        return {
            identity: {
                clusterId,
                caCertHash: orPlaceholder(hash, sample.caCertHash),
                fingerprint: orPlaceholder(fingerprint, sample.fingerprint),
            },
            keys: orPlaceholder(keys, otherSampleKeys(digit)),
        };
    };
    return {
        resource,
        clusterId,
        fingerprintKey,
        identity: { clusterId, caCertHash: hash, fingerprint },
        keys,
        caCertificate: certificates.apply(({ caCertificate }) => caCertificate),
        rotated: made.certificates.apply(({ rotated = {} }) => rotated),
        adminCertificate: certificates.apply(({ adminCertificate }) => adminCertificate),
        adminKey: made.keys.apply(({ current }) => current.adminKey),
        placeholders: [placeholder("1"), placeholder("2")],
    };
}
