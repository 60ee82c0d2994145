import type { KubeObject } from "../vim";
import { checked, columns, either, fixed, flag, int64, object, oneOf, type Schema, stays, text, time } from "./schema";

/** The kinds of snapshots, as upstream's external-snapshotter 8.7 has them: fields, rules and columns, without its explanations. */

export const snapshotGroup = "snapshot.storage.k8s.io";

interface Kind {
    kind: string;
    singular: string;
    plural: string;
    shortNames: string[];
    scope: "Cluster" | "Namespaced";
    /** Where upstream's change of this API was approved. Kubernetes refuses a definition of its own group without it. */
    approved: number;
    columns: object[];
    schema: Schema;
    hasStatus: boolean;
}

const policy = oneOf("Delete", "Retain");
const metadata = { apiVersion: text, kind: text, metadata: { type: "object" } };
const error = object({ message: text, time });
const quantity: Schema = {
    type: "string",
    pattern:
        "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
    "x-kubernetes-int-or-string": true,
};

const snapshots: Kind = {
    ...{ kind: "VolumeSnapshot", singular: "volumesnapshot", plural: "volumesnapshots", shortNames: ["vs"] },
    scope: "Namespaced",
    approved: 814,
    columns: columns(
        "ReadyToUse boolean .status.readyToUse",
        "SourcePVC string .spec.source.persistentVolumeClaimName",
        "SourceSnapshotContent string .spec.source.volumeSnapshotContentName",
        "RestoreSize string .status.restoreSize",
        "SnapshotClass string .spec.volumeSnapshotClassName",
        "SnapshotContent string .status.boundVolumeSnapshotContentName",
        "CreationTime date .status.creationTime",
        "Age date .metadata.creationTimestamp",
    ),
    schema: object(
        {
            ...metadata,
            spec: object(
                {
                    source: checked(
                        object({
                            persistentVolumeClaimName: fixed("persistentVolumeClaimName"),
                            volumeSnapshotContentName: fixed("volumeSnapshotContentName"),
                        }),
                        stays("persistentVolumeClaimName"),
                        stays("volumeSnapshotContentName"),
                        either("volumeSnapshotContentName", "persistentVolumeClaimName"),
                    ),
                    volumeSnapshotClassName: checked(text, [
                        "size(self) > 0",
                        "volumeSnapshotClassName must not be the empty string when set",
                    ]),
                },
                ["source"],
            ),
            status: object({
                ...{ boundVolumeSnapshotContentName: text, creationTime: time, error, readyToUse: flag },
                ...{ restoreSize: quantity, volumeGroupSnapshotName: text },
            }),
        },
        ["spec"],
    ),
    hasStatus: true,
};

const contents: Kind = {
    ...{ kind: "VolumeSnapshotContent", singular: "volumesnapshotcontent", plural: "volumesnapshotcontents" },
    shortNames: ["vsc", "vscs"],
    scope: "Cluster",
    approved: 955,
    columns: columns(
        "ReadyToUse boolean .status.readyToUse",
        "RestoreSize integer .status.restoreSize",
        "DeletionPolicy string .spec.deletionPolicy",
        "Driver string .spec.driver",
        "VolumeSnapshotClass string .spec.volumeSnapshotClassName",
        "VolumeSnapshot string .spec.volumeSnapshotRef.name",
        "VolumeSnapshotNamespace string .spec.volumeSnapshotRef.namespace",
        "Age date .metadata.creationTimestamp",
    ),
    schema: object(
        {
            ...metadata,
            spec: checked(
                object(
                    {
                        deletionPolicy: policy,
                        driver: text,
                        source: checked(
                            object({ snapshotHandle: fixed("snapshotHandle"), volumeHandle: fixed("volumeHandle") }),
                            stays("volumeHandle"),
                            stays("snapshotHandle"),
                            either("volumeHandle", "snapshotHandle"),
                        ),
                        sourceVolumeMode: fixed("sourceVolumeMode"),
                        volumeSnapshotClassName: text,
                        volumeSnapshotRef: {
                            ...checked(
                                object({
                                    ...{ apiVersion: text, fieldPath: text, kind: text, name: text },
                                    ...{ namespace: text, resourceVersion: text, uid: text },
                                }),
                                // "namespace" is a word of CEL
                                [
                                    "has(self.name) && has(self.__namespace__)",
                                    "both spec.volumeSnapshotRef.name and spec.volumeSnapshotRef.namespace must be set",
                                ],
                            ),
                            "x-kubernetes-map-type": "atomic",
                        },
                    },
                    ["deletionPolicy", "driver", "source", "volumeSnapshotRef"],
                ),
                stays("sourceVolumeMode"),
            ),
            status: object({
                ...{ creationTime: int64, error, readyToUse: flag, restoreSize: { ...int64, minimum: 0 } },
                ...{ snapshotHandle: text, volumeGroupSnapshotHandle: text },
            }),
        },
        ["spec"],
    ),
    hasStatus: true,
};

const classes: Kind = {
    ...{ kind: "VolumeSnapshotClass", singular: "volumesnapshotclass", plural: "volumesnapshotclasses" },
    shortNames: ["vsclass", "vsclasses"],
    scope: "Cluster",
    approved: 814,
    columns: columns(
        "Driver string .driver",
        "DeletionPolicy string .deletionPolicy",
        "Age date .metadata.creationTimestamp",
    ),
    schema: object(
        {
            ...metadata,
            deletionPolicy: policy,
            driver: text,
            parameters: { type: "object", additionalProperties: text },
        },
        ["deletionPolicy", "driver"],
    ),
    hasStatus: false,
};

/** CustomResourceDefinitions of snapshots, their contents and their classes. */
export function snapshotDefinitions(): KubeObject[] {
    return [snapshots, contents, classes].map(({ plural, singular, kind, shortNames, scope, ...each }) => ({
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: {
            name: `${plural}.${snapshotGroup}`,
            annotations: {
                "api-approved.kubernetes.io": `https://github.com/kubernetes-csi/external-snapshotter/pull/${each.approved}`,
            },
        },
        spec: {
            group: snapshotGroup,
            names: { kind, listKind: `${kind}List`, plural, singular, shortNames },
            scope,
            versions: [
                {
                    name: "v1",
                    served: true,
                    storage: true,
                    schema: { openAPIV3Schema: each.schema },
                    additionalPrinterColumns: each.columns,
                    subresources: each.hasStatus ? { status: {} } : {},
                },
            ],
        },
    }));
}
