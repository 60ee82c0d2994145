import * as pulumi from "@pulumi/pulumi";
import type { RotateArgs } from "../args/rotate-args";
import { makeAuthorityRotation } from "./authority-rotation";
import type { Cluster } from "./cluster-parts";
import { makeEncryptionRotation } from "./encryption-rotation";
import { makeServiceAccountRotation } from "./service-account-rotation";

export interface Rotations {
    all: pulumi.Resource[];
    authorities?: pulumi.Resource;
}

/** One after another, because each acts on all control-plane nodes. */
export function makeRotations(
    cluster: Cluster,
    rotate: RotateArgs | undefined,
    nodes: readonly pulumi.Resource[],
): Rotations {
    const encryption = makeEncryptionRotation(cluster, rotate, nodes);
    const first = encryption ? [encryption] : [];
    const serviceAccount = makeServiceAccountRotation(cluster, rotate, [...nodes, ...first]);
    const second = [...first, ...(serviceAccount ? [serviceAccount] : [])];
    const authorities = makeAuthorityRotation(cluster, rotate, [...nodes, ...second]);
    return authorities ? { all: [...second, authorities], authorities } : { all: second };
}

/** The cluster as its users reach it: who uses its authority or its administrator waits until all nodes take them. */
export function afterRotation(cluster: Cluster, rotation: pulumi.Resource | undefined): Cluster {
    const { identity } = cluster;
    const wait = (value: pulumi.Output<string>) =>
        rotation === undefined ? value : pulumi.all([value, rotation.urn]).apply(([known]) => known);
    const reached = {
        caCertificate: wait(identity.caCertificateAfterwards),
        adminCertificate: wait(identity.adminCertificate),
        adminKey: wait(identity.adminKey),
    };
    return { ...cluster, identity: { ...identity, ...reached } };
}
