import type { NodeSpec } from "../model";
import { sh } from "../node/script";
import type { StepFactory, StepFile } from "../steps/types";
import { apiServerFolder, auditLogFolder, auditPolicyFile, encryptionFile } from "./paths";
import { toYaml } from "./to-yaml";

/**
 * Who did what, without bodies: secrets never reach the log. Noise of the system itself is left out. The first rule that fits
 * decides: reads of secrets and of tokens are kept whoever does it, nodes and the control plane included.
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

/** Secrets at rest by secretbox; `identity` behind it reads what was written before. */
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

/** Files that the API server reads. A changed audit policy needs it started again; kubelet does that when it ends. */
export const placeApiServerFiles: StepFactory<NodeSpec> = spec => {
    if (spec.role !== "controlPlane") return undefined;
    return {
        id: "node.api-server-files",
        title: "place audit policy and encryption settings",
        files: apiServerFiles(spec),
        env: { AUDIT: spec.audit.enabled ? "yes" : "" },
        run: sh`
            install -d -m 700 ${apiServerFolder} ${auditLogFolder}
            sum=
            [ -z "$AUDIT" ] || sum=$(sha256sum < ${auditPolicyFile})
            known=$(cat ${apiServerFolder}/.audit-policy.sum 2>/dev/null || true)
            printf '%s\\n' "$sum" > ${apiServerFolder}/.audit-policy.sum
            if [ -n "$known" ] && [ "$known" != "$sum" ]; then pkill -TERM -x kube-apiserver || true; fi
        `,
        timeoutSeconds: 60,
    };
};
