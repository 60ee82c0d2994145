import type { NodeSpec } from "../../common/model";
import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { soakNote } from "../../kubeadm/paths";
import { lockRetries } from "../../node/lock-retries";
import { errorsFor } from "../../shell/exit-codes";
import { programFolder } from "../../shell/folders";
import { sh } from "../../shell/script";
import type { Act } from "../../steps/types";
import { bearsOldCgroups, systemVerification, timeouts, usualStart } from "../join/kubeadm-config";
import { appliedMarks } from "../join/kubeadm-files";
import { nodeNotes } from "../join/left-files";
import { cordonedAnnotation } from "../set-labels";

/*
 * What is done when a node moves to another version, each thing as an act: what is true of a node after a kill, only the node says. Each
 * act looks first whether its part is done.
 */

const programs = { PROGRAM_FOLDER: programFolder };

/** kubeadm's checks that do not stop a move, separated by commas. */
const ignored = (spec: NodeSpec) => (bearsOldCgroups(spec) ? systemVerification : "");

export const noteUpgrade = ({ kubernetesVersion }: NodeSpec): Act => ({
    id: "upgrade.note",
    title: "note which version it moves to",
    target: "self",
    run: kubeadmScript("member/upgrade/note-upgrade.sh", { LEFT_NOTES: nodeNotes.join(" ") }),
    env: { VERSION: kubernetesVersion },
    timeoutSeconds: 60,
});

export const saveEtcd = ({ name, kubernetesVersion }: NodeSpec): Act => ({
    id: "upgrade.save-etcd",
    title: "save etcd's data",
    target: "self",
    run: kubeadmScript("member/upgrade/save-etcd.sh"),
    env: { NAME: name, VERSION: kubernetesVersion },
    timeoutSeconds: 1200,
});

/** `others`: the versions that the settings were perhaps applied with. */
export const moveControlPlane = (spec: NodeSpec, others: readonly string[]): Act => {
    const startSeconds = spec.startTimeoutSeconds ?? usualStart;
    const markOf = (kubernetesVersion: string) => appliedMarks({ ...spec, kubernetesVersion }).cluster;
    return {
        id: "upgrade.control-plane",
        title: "move the control plane to the Kubernetes version",
        target: "self",
        run: kubeadmScript("member/upgrade/control-plane.sh", programs),
        env: {
            NAME: spec.name,
            ADDRESS: spec.address,
            VERSION: spec.kubernetesVersion,
            MARK: markOf(spec.kubernetesVersion),
            FORMER_MARKS: others.map(markOf).join("\n"),
            IGNORED: ignored(spec),
            START_SECONDS: String(startSeconds),
            TIMEOUTS: JSON.stringify(timeouts(spec)),
        },
        // each of its four components may take that long, and they start again where that fails
        timeoutSeconds: 540 + 9 * startSeconds,
        errors: errorsFor("QUORUM_AT_RISK", "VERSION_MISMATCH"),
        disruptive: "API server, controller manager, scheduler and etcd of this machine restart, one after another",
    };
};

export const moveKubelet = (spec: NodeSpec): Act => ({
    id: "upgrade.kubelet",
    title: "switch kubelet to the Kubernetes version",
    target: "self",
    run: kubeadmScript("member/upgrade/kubelet.sh", programs),
    env: { NAME: spec.name, ROLE: spec.role, VERSION: spec.kubernetesVersion, IGNORED: ignored(spec) },
    timeoutSeconds: 1500,
    retries: lockRetries,
    errors: errorsFor("VERSION_MISMATCH", "FOREIGN_SOFTWARE", "UNSUPPORTED_SYSTEM"),
    disruptive: "kubelet restarts",
});

/** `field`: of what the node reports about itself; it must be `wanted`. */
export const backInService = (name: string, field: "kubeletVersion" | "bootID", wanted: string): Act => ({
    ...ready(name, { FIELD: field, WANTED: wanted, UNCORDON: "yes" }),
    id: "upgrade.back-in-service",
    title: "wait for the node, and uncordon it",
});

/** In the boot `boot`. A node that something else has cordoned stays so. */
export const untilReady = (name: string, boot: string): Act => ({
    ...ready(name, { FIELD: "bootID", WANTED: boot, UNCORDON: "" }),
    id: "node.until-ready",
    title: "wait for the node",
});

const ready = (name: string, env: Record<"FIELD" | "WANTED" | "UNCORDON", string>): Omit<Act, "id" | "title"> => ({
    target: "controlPlane",
    run: kubeadmScript("member/upgrade/back-in-service.sh", {
        CORDONED_ANNOTATION: cordonedAnnotation,
        CORDONED_ANNOTATION_ESCAPED: cordonedAnnotation.replace(".", "\\."),
    }),
    env: { NAME: name, ...env },
    timeoutSeconds: 400,
});

/** `soaks`: the node is to be watched from now on. */
export const endUpgrade = ({ kubernetesVersion }: NodeSpec, soaks = false): Act => ({
    id: "upgrade.end",
    title: "forget the finished upgrade",
    target: "self",
    run: kubeadmScript("member/upgrade/end-upgrade.sh", programs),
    env: { VERSION: kubernetesVersion, SOAKS: soaks ? "yes" : "" },
    timeoutSeconds: 120,
});

/** The same of a node that joins in place of another: before it joins, because the run may be killed at any moment. */
export const noteSoak = ({ kubernetesVersion }: NodeSpec): Act => ({
    id: "upgrade.note-soak",
    title: "note that the node is to be watched",
    target: "self",
    run: kubeadmScript("member/upgrade/note-soak.sh"),
    env: { VERSION: kubernetesVersion },
    timeoutSeconds: 60,
});

export const endSoak: Act = {
    id: "upgrade.end-soak",
    title: "forget that the node is to be watched",
    target: "self",
    run: sh`
        rm -f ${soakNote}
    `,
    timeoutSeconds: 60,
};
