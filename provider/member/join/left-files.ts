import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { configFolder, etcdAside, kubernetesFolder, upgradeFolder } from "../../kubeadm/paths";
import { kubeletStep } from "../../machine/health";
import { notesFolder, notesPath } from "../../steps/observation-notes";
import type { StepBody } from "../../steps/types";

/** Files that kubeadm writes for our steps. Only their checksums as it left them say whether somebody changed them. */
export const etcdManifest = `${kubernetesFolder}/manifests/etcd.yaml`;
export const controlPlaneManifests = [
    etcdManifest,
    ...["kube-apiserver", "kube-controller-manager", "kube-scheduler"].map(
        name => `${kubernetesFolder}/manifests/${name}.yaml`,
    ),
];
export const kubeletFiles = ["/var/lib/kubelet/config.yaml", "/var/lib/kubelet/kubeadm-flags.env"];

const leftFile = { LEFT_FILE: `${notesFolder}/left` };
const leftFlags = { LEFT_FLAGS: `${notesFolder}/kubeadm-flags.env` };

/** What a machine notes of the steps of its Node. */
export const nodeNotes = [notesPath("node"), leftFile.LEFT_FILE, leftFlags.LEFT_FLAGS];

/** Steps that have kubeadm write these files; a move to another version ends with one of them. */
const writingSteps = [
    "cluster.join",
    "node.kubernetes-version",
    "node.api-server-files",
    "node.certificates",
    "node.control-plane-settings",
    kubeletStep,
];

const leftSteps = { LEFT_STEPS: writingSteps.join(" ") };

/** Notes their checksums, once such a step was done. POSIX sh, for `noteObservations`. */
export const noteLeft = kubeadmScript("member/join/note-left.sh", {
    ...leftFile,
    ...leftFlags,
    LEFT_FILES: [...controlPlaneManifests, ...kubeletFiles].join(" "),
    ...leftSteps,
});

/** Exist while an upgrade or a restore of ours has put files aside. */
const underWay = [upgradeFolder, etcdAside, `${configFolder}/restore-aside`];

/** How a step is observed, and done again, that has kubeadm write these files. */
export function leavesFiles(files: readonly string[]): Required<Pick<StepBody, "observe" | "again">> {
    const LEFT = files.join(" ");
    return {
        observe: {
            script: kubeadmScript("member/join/observe-left.sh", {
                ...leftFile,
                ...leftSteps,
                UNDER_WAY: underWay.join(" "),
            }),
            env: { LEFT },
        },
        again: kubeadmScript("member/join/forget-applied.sh", {
            ...leftFile,
            ...leftFlags,
            LEFT,
            ETCD_MANIFEST: etcdManifest,
        }),
    };
}
