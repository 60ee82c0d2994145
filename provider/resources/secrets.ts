/**
 * Where secrets are, by type. `inputs`: paths that are marked as secret before they reach the engine. `outputs`:
 * top-level outputs that the engine must encrypt in the state; by itself it does so only for outputs that were secret
 * inputs of the same name. `packed`: see packed.ts.
 */
export const secretProperties: Record<string, { packed?: true; inputs: string[]; outputs: string[] }> = {
    BundleImages: { inputs: ["registry.password"], outputs: ["registry"] },
    CloudLeftovers: { inputs: [], outputs: [] },
    CloudCheck: { inputs: [], outputs: [] },
    CloudProvider: {
        packed: true,
        inputs: ["controlPlane", "fingerprintKey", "spec.access.applicationCredentialSecret"],
        outputs: ["secrets"],
    },
    ClusterId: { inputs: [], outputs: ["fingerprintKey"] },
    ClusterKeys: { inputs: [], outputs: ["keys"] },
    CnfNamespace: { inputs: ["access"], outputs: ["access"] },
    CnfObjects: { inputs: ["access"], outputs: ["access"] },
    Host: { packed: true, inputs: ["connection", "fingerprintKey"], outputs: ["secrets"] },
    Masters: { inputs: ["peers"], outputs: ["peers"] },
    Membership: { inputs: [], outputs: [] },
    Node: { packed: true, inputs: ["connection", "controlPlane", "fingerprintKey", "spec.keys"], outputs: ["secrets"] },
    ClusterNetwork: { packed: true, inputs: ["controlPlane", "fingerprintKey"], outputs: ["secrets"] },
    OperationEnd: { packed: true, inputs: ["controlPlane", "workers", "fingerprintKey"], outputs: ["secrets"] },
    OperationStart: { packed: true, inputs: ["ssh", "seed"], outputs: ["secrets"] },
    OwnerMark: { inputs: ["claim"], outputs: ["claim"] },
    ProjectGuard: { inputs: [], outputs: [] },
    ServerKeys: { inputs: [], outputs: ["seed", "privateKey"] },
    VimRegistration: {
        inputs: ["auth"],
        outputs: ["auth", "bearerToken", "kubeconfig", "vimConnectionInfo"],
    },
};
