import * as pulumi from "@pulumi/pulumi";
import { ClusterId, ClusterKeys } from "../../provider/adapters/dynamic";
import { orPlaceholder } from "../../provider/adapters/or-placeholder";
import type { ControlPlaneKeys, PublicIdentity } from "../../provider/common/model";
import { caCertHash, controlPlaneKeys, type Exchanged } from "../../provider/identity";
import type { RotateArgs } from "../args/rotate-args";
import { otherSampleKeys, sampleIdentity } from "../preview/sample-identity";
import { type RecordedRotation, recordedRotation, trustedBy, wordForKeys } from "./recorded-rotation";

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
    /** PEM: the authority that serves, and after a rotation also the former one until it has ended on the nodes. */
    caCertificate: pulumi.Output<string>;
    /** The same without a former one that ends in this run: for whom asks the cluster after that. */
    caCertificateAfterwards: pulumi.Output<string>;
    /** What a rotation of the authorities needs; undefined before the first one. */
    exchanged: pulumi.Output<Exchanged | undefined>;
    /** The word of authorities that the nodes may not have yet; "": they have those that ClusterKeys has. */
    unendedAuthorities: pulumi.Output<string>;
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
function wordsForUp(
    rotate: RotateArgs,
    recorded: pulumi.Output<RecordedRotation>,
    fingerprintKey: pulumi.Output<string>,
) {
    if (pulumi.runtime.isDryRun()) return {};
    const { authorities, ...others } = rotate;
    const word = authorities !== undefined && {
        authorities: recorded.apply(each => wordForKeys(authorities, each)),
    };
    return {
        endedAuthorities: recorded.apply(({ name, ended }) => (ended ? name : undefined)),
        ...(Object.keys(rotate).length > 0 && { rotate: { ...others, ...word }, fingerprintKey }),
    };
}

export function clusterIdentity(
    name: string,
    args: { clusterName: string } & ConstructorParameters<typeof ClusterId>[1],
    options: pulumi.CustomResourceOptions,
    rotate: RotateArgs = {},
): ClusterIdentity {
    const resource = new ClusterId(name, args, options);
    const { clusterId, fingerprintKey } = resource;
    const recorded = recordedRotation(name, args.clusterName, options.parent, rotate);
    const made = new ClusterKeys(
        name,
        { clusterId, ...wordsForUp(rotate, recorded, fingerprintKey) },
        { parent: options.parent },
    );
    const certificates = made.certificates.apply(({ current }) => current);
    const set = pulumi.all([made.certificates, made.keys]);
    const keys = pulumi.secret(
        set.apply(([{ current: publicHalves }, secret]) =>
            controlPlaneKeys({ certificates: publicHalves, keys: secret }),
        ),
    );
    // The first authority is the mark of the cluster: machines keep it in their notes.
    const hash = certificates.apply(({ caCertificate, exchanged }) =>
        caCertHash(exchanged?.first.caCertificate ?? caCertificate),
    );
    const trustedWhere = (hasEnded: (recorded: RecordedRotation) => boolean) =>
        pulumi.all([certificates, recorded]).apply(([known, seen]) => trustedBy(known, seen, hasEnded));
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
        caCertificate: trustedWhere(({ ended }) => ended),
        caCertificateAfterwards: trustedWhere(({ ends }) => ends),
        exchanged: certificates.apply(({ exchanged }) => exchanged),
        unendedAuthorities: recorded.apply(({ unended }) => unended),
        rotated: made.certificates.apply(({ rotated = {} }) => rotated),
        adminCertificate: certificates.apply(({ adminCertificate }) => adminCertificate),
        adminKey: made.keys.apply(({ adminKey }) => adminKey),
        placeholders: [placeholder("1"), placeholder("2")],
    };
}
