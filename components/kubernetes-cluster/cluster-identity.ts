import * as pulumi from "@pulumi/pulumi";
import { ClusterId, ClusterKeys } from "../../provider/dynamic";
import { caCertHash, controlPlaneKeys } from "../../provider/identity";
import type { ControlPlaneKeys, PublicIdentity } from "../../provider/model";
import { orPlaceholder } from "../../provider/unknown/or-placeholder";
import { otherSampleKeys, sampleIdentity } from "../preview/sample-identity";

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
    adminCertificate: pulumi.Output<string>;
    /** Secret. */
    adminKey: pulumi.Output<string>;
    /** The same with two different placeholders where the keys are not known at preview, because they will change. */
    placeholders: readonly [NodeIdentity, NodeIdentity];
}

export function clusterIdentity(
    name: string,
    args: { clusterName: string } & ConstructorParameters<typeof ClusterId>[1],
    options: pulumi.CustomResourceOptions,
): ClusterIdentity {
    const resource = new ClusterId(name, args, options);
    const { clusterId, fingerprintKey } = resource;
    const made = new ClusterKeys(name, { clusterId }, { parent: options.parent });
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
        adminCertificate: certificates.apply(({ adminCertificate }) => adminCertificate),
        adminKey: made.keys.apply(({ current }) => current.adminKey),
        placeholders: [placeholder("1"), placeholder("2")],
    };
}
