import type { NodeSpec } from "../model";
import type { StepFactory, StepFile } from "../steps/types";
import { toYaml } from "../to-yaml";
import { kubeadmScript } from "./kubeadm-script";
import { auditPolicyFile, encryptionFile } from "./paths";

/**
 * Logs who did what, without request bodies, so secrets never reach the log. Kubernetes' own routine requests are left
 * out. The first rule that matches decides: reads of secrets and tokens are always logged, also by nodes and the
 * control plane.
 */
const defaultAuditPolicy = toYaml({
    apiVersion: "audit.k8s.io/v1",
    kind: "Policy",
    omitStages: ["RequestReceived"],
    rules: [
        { level: "None", nonResourceURLs: ["/healthz*", "/livez*", "/readyz*", "/version", "/metrics"] },
        { level: "Metadata", resources: [{ group: "", resources: ["secrets", "serviceaccounts/token"] }] },
        { level: "None", verbs: ["get", "list", "watch"], userGroups: ["system:nodes"] },
        {
            level: "None",
            verbs: ["get", "list", "watch", "update", "patch"],
            resources: [{ group: "coordination.k8s.io", resources: ["leases"] }],
        },
        {
            level: "None",
            resources: [
                { group: "", resources: ["events"] },
                { group: "events.k8s.io", resources: ["events"] },
            ],
        },
        {
            level: "None",
            users: ["system:kube-controller-manager", "system:kube-scheduler", "system:kube-proxy", "system:apiserver"],
            verbs: ["get", "list", "watch"],
        },
        { level: "Metadata" },
    ],
});

/** Encrypts secrets at rest with secretbox. `identity` after it reads what was written unencrypted before. */
export function encryptionConfig(key: string): string {
    return toYaml({
        apiVersion: "apiserver.config.k8s.io/v1",
        kind: "EncryptionConfiguration",
        resources: [
            {
                resources: ["secrets"],
                providers: [{ secretbox: { keys: [{ name: "key1", secret: key }] } }, { identity: {} }],
            },
        ],
    });
}

function apiServerFiles(spec: NodeSpec): StepFile[] {
    return [
        ...(spec.audit.enabled
            ? [{ path: auditPolicyFile, content: spec.audit.policy || defaultAuditPolicy, mode: 0o600 }]
            : []),
        ...(spec.encryptionAtRest.enabled && spec.keys
            ? [{ path: encryptionFile, content: encryptionConfig(spec.keys.encryptionKey), mode: 0o600, secret: true }]
            : []),
    ];
}

/**
 * Files that the API server reads. A changed audit policy needs a restart: the step stops the API server, and kubelet
 * starts it again. With an invalid policy it would not come back, so the step waits for it before the other
 * control-plane nodes follow. The checksum is noted last, so that the next `up` waits, too.
 */
export const placeApiServerFiles: StepFactory<NodeSpec> = spec => {
    if (spec.role !== "controlPlane") return undefined;
    return {
        id: "node.api-server-files",
        title: "place audit policy and encryption settings",
        revision: 1,
        disruptive: "with another audit policy the API server of this machine restarts",
        files: apiServerFiles(spec),
        env: { AUDIT: spec.audit.enabled ? "yes" : "", ADDRESS: spec.address },
        run: kubeadmScript("kubeadm/place-api-server-files.sh"),
        observe: { script: kubeadmScript("kubeadm/observe-api-server-files.sh") },
        // a repair of kubelet waits twice; then 90 s for the end of the former process, and it waits twice
        timeoutSeconds: 1200,
    };
};
