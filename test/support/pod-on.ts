/** A pod on this node that sees the claim at /data. */
export const podOn = (name: string, node: string, command: string, claimName = "shared") => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default" },
    spec: {
        restartPolicy: "Never",
        terminationGracePeriodSeconds: 1,
        nodeSelector: { "kubernetes.io/hostname": node },
        volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
        containers: [
            {
                name: "main",
                image: "pulumi-nfv.invalid/tools:1",
                command: ["sh", "-c", command],
                volumeMounts: [{ name: "data", mountPath: "/data" }],
            },
        ],
    },
});
