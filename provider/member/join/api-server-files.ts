import type { NodeSpec } from "../../common/model";
import { toYaml } from "../../common/to-yaml";
import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import type { Mode } from "../../kubeadm/membership";
import { auditPolicyFile, encryptionFile } from "../../kubeadm/paths";
import { step } from "../../steps/step";
import type { Act, KnownStep, StepBody, StepFile } from "../../steps/types";

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
export function encryptionConfig(key: string, name = "key1"): string {
    return toYaml({
        apiVersion: "apiserver.config.k8s.io/v1",
        kind: "EncryptionConfiguration",
        resources: [
            {
                resources: ["secrets"],
                providers: [{ secretbox: { keys: [{ name, secret: key }] } }, { identity: {} }],
            },
        ],
    });
}

function auditFiles(spec: NodeSpec): StepFile[] {
    if (!spec.audit.enabled) return [];
    return [{ path: auditPolicyFile, content: spec.audit.policy || defaultAuditPolicy, mode: 0o600 }];
}

const secretFile = { path: encryptionFile, mode: 0o600, secret: true };

/** How a machine gets files that other members have: a member has its own ones. */
export type Membership = Mode | "member";

const printSettings: Act = {
    id: "node.print-encryption-settings",
    title: "get the encryption settings",
    target: "controlPlane",
    run: kubeadmScript("member/join/print-encryption-settings.sh"),
    timeoutSeconds: 60,
    answers: true,
};

/**
 * The settings of a cluster whose key was never rotated are a file as any other. After that, those on the control-plane nodes are the truth, because they may
 * have several keys and only a rotation changes them. The fingerprint stays the same.
 */
function encryption(
    { encryptionAtRest, keys }: NodeSpec,
    membership: Membership,
): { files: StepFile[]; declared?: StepFile[] } & Pick<StepBody, "secrets" | "preparation"> {
    if (!encryptionAtRest.enabled || keys === undefined) return { files: [] };
    const { encryptionKey, encryptionKeyName: name, firstEncryption: sealed } = keys;
    if (name === undefined) return { files: [{ ...secretFile, content: encryptionConfig(encryptionKey) }] };
    return {
        files: [],
        declared: [{ ...secretFile, content: "", ...(sealed !== undefined && { sealed }) }],
        secrets: { encryption: encryptionConfig(encryptionKey, name) },
        ...(membership === "join" && { preparation: printSettings }),
    };
}

const place = kubeadmScript("member/join/place-api-server-files.sh");
const observe = kubeadmScript("member/join/observe-api-server-files.sh");
const keep = kubeadmScript("member/join/keep-encryption-keys.sh");
const observeKept = kubeadmScript("member/join/observe-encryption-keys.sh");

export const apiServerFilesStep = {
    id: "node.api-server-files",
    title: "place audit policy and encryption settings",
    only: "controlPlane",
    disruptive: "with another audit policy the API server of this machine restarts",
    api: "restarts",
} as const;

/**
 * Files that the API server reads. A changed audit policy needs a restart: the step stops the API server, and kubelet
 * starts it again. With an invalid policy it would not come back, so the step waits for it before the other
 * control-plane nodes follow. The checksum is noted last, so that the next `up` waits, too.
 */
export const placeApiServerFilesBy = (membership: Membership): KnownStep<NodeSpec> =>
    step<NodeSpec>(apiServerFilesStep)(spec => {
        if (spec.role !== "controlPlane") return undefined;
        const audit = auditFiles(spec);
        const { files, declared, ...kept } = encryption(spec, membership);
        const isKept = declared !== undefined;
        return {
            revision: 1,
            files: [...audit, ...files],
            ...kept,
            ...(isKept && { declaredFiles: [...audit, ...declared] }),
            env: { AUDIT: spec.audit.enabled ? "yes" : "", ADDRESS: spec.address },
            run: isKept ? `${keep}\n${place}` : place,
            observe: { script: isKept ? `${observeKept}\n${observe}` : observe },
            // a repair of kubelet waits twice; then 90 s for the end of the former process, and it waits twice
            timeoutSeconds: 1200,
        };
    });
