const group = "snapshot.storage.k8s.io";

/** A snapshot of a claim, by the default class. */
export const snapshotOf = (claim: string, name: string) => ({
    apiVersion: `${group}/v1`,
    kind: "VolumeSnapshot",
    metadata: { name, namespace: "default" },
    spec: { source: { persistentVolumeClaimName: claim } },
});

/** What a claim begins with: the `dataSource` of its spec. */
export const fromSnapshot = (name: string) => ({ apiGroup: group, kind: "VolumeSnapshot", name });
export const fromClaim = (name: string) => ({ kind: "PersistentVolumeClaim", name });
