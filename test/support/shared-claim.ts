/** A claim that only the PersistentVolume `shared` fits. */
export const sharedClaim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "shared", namespace: "default" },
    spec: {
        accessModes: ["ReadWriteMany"],
        storageClassName: "",
        volumeName: "shared",
        resources: { requests: { storage: "1Gi" } },
    },
};
