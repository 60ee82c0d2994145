/**
 * Where secrets are, by type. `inputs`: paths that are marked before they reach the engine. `outputs`: top-level outputs that
 * the engine must encrypt in the state; it re-marks by itself only outputs that were secret inputs of the same name.
 */
export const secretProperties: Record<string, { inputs: string[]; outputs: string[] }> = {
    BundleImages: { inputs: ["registry.password"], outputs: ["registry"] },
    ClusterIdentity: {
        inputs: [],
        outputs: [
            "caKey",
            "etcdCaKey",
            "frontProxyCaKey",
            "serviceAccountKey",
            "encryptionKey",
            "adminKey",
            "fingerprintKey",
        ],
    },
    Host: { inputs: ["connection", "fingerprintKey"], outputs: ["connection", "fingerprintKey"] },
    Node: {
        inputs: ["connection", "controlPlane", "fingerprintKey", "spec.keys"],
        outputs: ["connection", "controlPlane", "fingerprintKey"],
    },
    ClusterNetwork: {
        inputs: ["controlPlane", "fingerprintKey"],
        outputs: ["controlPlane", "fingerprintKey"],
    },
    OperationEnd: {
        inputs: ["controlPlane", "fingerprintKey"],
        outputs: ["controlPlane", "fingerprintKey"],
    },
    Vim: {
        inputs: ["auth"],
        outputs: ["auth", "bearerToken", "kubeconfig", "vimConnectionInfo"],
    },
};
