import type { NodeSpec } from "../../common/model";
import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import { peerUrlOf } from "../../kubeadm/lost-majority";
import type { Mode } from "../../kubeadm/membership";
import { kubeletConfig, memberFile } from "../../kubeadm/paths";
import { errorsFor } from "../../shell/exit-codes";
import { sh } from "../../shell/script";
import { step } from "../../steps/step";
import type { Act, KnownStep } from "../../steps/types";
import { rotatedKinds } from "./first-keys";
import { joinConfig, tokenPlaceholder, usualStart } from "./kubeadm-config";
import { appliedMarks, kubeletFlags } from "./kubeadm-files";
import { joinRetries } from "./transient-errors";

export const joinStep = {
    id: "cluster.join",
    title: "initialise or join the cluster",
    notCompared: "whether the node is in its cluster is seen by the look how it is",
};

/**
 * Files of an interrupted init that kubeadm's preflight would refuse. init itself overwrites all of them without harm.
 */
const leftOfInit = [
    "DirAvailable--etc-kubernetes-manifests",
    "DirAvailable--var-lib-etcd",
    "FileAvailable--etc-kubernetes-kubelet.conf",
    "FileAvailable--etc-kubernetes-manifests-etcd.yaml",
    "FileAvailable--etc-kubernetes-manifests-kube-apiserver.yaml",
    "FileAvailable--etc-kubernetes-manifests-kube-controller-manager.yaml",
    "FileAvailable--etc-kubernetes-manifests-kube-scheduler.yaml",
    "Port-10250",
    "Port-10257",
    "Port-10259",
    "Port-2379",
    "Port-2380",
    "Port-6443",
].join(",");

/** An init begins an empty cluster. */
const noSeed = "-";

export interface HowToJoin {
    seed?: string;
    proven?: boolean;
}

const isMember = sh`
    [ "$(cat ${memberFile} 2>/dev/null)" = "$CLUSTER" ] && [ -s ${kubeletConfig} ]
`;

/**
 * Runs on a ready control-plane node before a machine joins. It removes what a former machine of this name and address
 * left: its etcd member, which kubeadm would count as a dead voter, and its node object. Then it creates the token.
 * etcd itself refuses a removal that would cost the quorum.
 */
const prepareJoinScript = kubeadmScript("member/join/prepare-join.sh");

const prepareJoin: Act = {
    id: "cluster.prepare-join",
    title: "prepare the join",
    target: "controlPlane",
    run: prepareJoinScript,
    timeoutSeconds: 300,
    errors: errorsFor("QUORUM_AT_RISK", "VERSION_MISMATCH"),
    answers: true,
};

/**
 * Makes the machine a member. Whether it runs init or join depends on what exists, not on the inputs, so the declared
 * state is the same for both and a later preview shows no difference. Version, labels and settings are not part of it:
 * they have their own steps. `seed`: word of a restore, with whose snapshot an init begins. `proven`: the machine has
 * proven that it is the member of this name that works.
 */
export function joinCluster(mode: Mode, { seed = noSeed, proven = false }: HowToJoin = {}): KnownStep<NodeSpec> {
    return step<NodeSpec>(joinStep)(spec => {
        const marks = appliedMarks(spec);
        const common = {
            revision: 1,
            declaredState: { cluster: spec.clusterId, name: spec.name, role: spec.role, ca: spec.identity.caCertHash },
            probe: isMember,
            // kubeadm waits for a request, then for the components
            timeoutSeconds: 420 + 2 * (spec.startTimeoutSeconds ?? usualStart),
        };
        const who = { NAME: spec.name, ADDRESS: spec.address, ROLE: spec.role };
        const env = {
            CLUSTER: spec.clusterId,
            MARK_CLUSTER: marks.cluster,
            MARK_KUBELET: marks.kubelet,
            MARK_ETCD: marks.etcd,
            KUBELET_FLAGS: kubeletFlags(spec),
        };
        if (mode === "init")
            return {
                ...common,
                env: {
                    ...{ ...env, NAME: spec.name, PEER: peerUrlOf(spec.address), SEED: seed },
                    ROTATED: spec.keys ? rotatedKinds(spec.keys).join(" ") : "",
                },
                run: kubeadmScript("member/join/init-cluster.sh", { LEFT_OF_INIT: leftOfInit }),
                errors: errorsFor("RESTORE_FAILED"),
            };
        return {
            ...common,
            env: { ...env, ...who, CA_HASH: spec.identity.caCertHash, JOIN_CONFIG: joinConfig(spec) },
            preparation: {
                ...prepareJoin,
                env: {
                    ...{ ...who, PEER: peerUrlOf(spec.address), VERSION: spec.kubernetesVersion },
                    PROVEN: proven ? "yes" : "",
                },
            },
            run: kubeadmScript("member/join/join-cluster.sh", { TOKEN_PLACEHOLDER: tokenPlaceholder }),
            errors: errorsFor("QUORUM_AT_RISK", "FOREIGN_NODE"),
            retries: joinRetries(spec.role),
        };
    });
}
