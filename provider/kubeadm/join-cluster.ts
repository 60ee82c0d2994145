import type { NodeSpec } from "../model";
import { errorsFor, exitCodes } from "../shell/exit-codes";
import { adminConfig } from "../shell/kubectl";
import { sh, usualPath } from "../shell/script";
import type { Act, StepFactory } from "../steps/types";
import { etcdctl, etcdMemberAbsent } from "./etcdctl";
import { joinConfig, tokenPlaceholder } from "./kubeadm-config";
import { appliedMarks, kubeletFlags } from "./kubeadm-files";
import { kubernetesFiles } from "./kubernetes-files";
import type { Mode } from "./membership";
import { nodeApi } from "./node-api";
import {
    appliedFolder,
    authorityFile,
    bootstrapConfig,
    clusterConfigFile,
    initStartedFile,
    joinStartedFile,
    kubeletConfig,
    kubeletFlagsFile,
    kubernetesFolder,
    memberFile,
    pkiFolder,
} from "./paths";
import { restartKubeletWhenReady } from "./restart-kubelet";
import { joinRetries } from "./transient-errors";

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

const isMember = sh`
    [ "$(cat ${memberFile} 2>/dev/null)" = "$CLUSTER" ] && [ -s ${kubeletConfig} ]
`;

/** Shell: records the settings that this node runs with and then that it is a member. */
const noteMember = sh`
    mkdir -p ${appliedFolder}
    printf '%s\\n' "$MARK_CLUSTER" > ${appliedFolder}/cluster
    printf '%s\\n' "$MARK_KUBELET" > ${appliedFolder}/kubelet
    printf '%s\\n' "$MARK_ETCD" > ${appliedFolder}/etcd
    printf '%s\\n' "$KUBELET_FLAGS" > ${kubeletFlagsFile}
    cat ${pkiFolder}/ca.crt > ${authorityFile}
    printf '%s\\n' "$CLUSTER" > ${memberFile}
`;

const initScript =
    sh`
        ${usualPath}
        ignore=
        # what kubeadm writes first. Without it no init got behind its preflight: what that found is not ours
        if [ -e ${initStartedFile} ] && { [ -e ${adminConfig} ] || [ -e /var/lib/kubelet/config.yaml ]; }; then
            ignore=--ignore-preflight-errors=${leftOfInit}
        fi
        printf '%s\\n' "$CLUSTER" > ${initStartedFile}
        kubeadm init --config ${clusterConfigFile} --skip-token-print --skip-certificate-key-print $ignore
    ` + noteMember;

const joinScript =
    kubernetesFiles +
    sh`
        ${usualPath}
        left_halfway() {
            [ -e ${kubeletConfig} ] || [ -e ${bootstrapConfig} ] || [ -n "$(ls ${kubernetesFolder}/manifests 2>/dev/null)" ] ||
                { [ "$ROLE" = worker ] && [ -e ${pkiFolder}/ca.crt ]; }
        }
        # another lock behind the look at the machine: what is reset here was begun by us, or has our authority
        is_ours() {
            for note in ${joinStartedFile} ${initStartedFile} ${memberFile}; do
                [ "$(cat "$note" 2>/dev/null)" != "$CLUSTER" ] || return 0
            done
            key=$(openssl x509 -pubkey -noout -in ${pkiFolder}/ca.crt 2>/dev/null | openssl pkey -pubin -outform der 2>/dev/null | sha256sum)
            [ "sha256:\${key%% *}" = "$CA_HASH" ]
        }
        token=$(tail -n 1 "$SECRETS/control-plane")
        case $token in
            ??????.????????????????) ;;
            *) echo "the control plane gave no token" >&2; exit 1 ;;
        esac
        if left_halfway; then
            if ! is_ours; then
                echo "this machine has parts of a cluster that we did not make: nothing on it was changed" >&2
                exit ${exitCodes.FOREIGN_NODE}
            fi
            echo "an earlier try stopped halfway: clean up first"
            kept=$(mktemp -d)
            cp -a ${kubernetesFolder}/pulumi-nfv "$kept/"
            for file in ca.crt ca.key sa.key sa.pub front-proxy-ca.crt front-proxy-ca.key etcd/ca.crt etcd/ca.key; do
                [ ! -e "${pkiFolder}/$file" ] || { mkdir -p "$kept/pki/etcd"; cp -p "${pkiFolder}/$file" "$kept/pki/$file"; }
            done
            keep_others_files
            kubeadm reset -f >/dev/null
            put_others_files_back
            if [ "$ROLE" = controlPlane ]; then mkdir -p ${pkiFolder}/etcd; cp -a "$kept/pki/." ${pkiFolder}/; fi
            cp -a "$kept/pulumi-nfv" ${kubernetesFolder}/
            rm -rf "$kept"
        fi
        printf '%s\\n' "$CLUSTER" > ${joinStartedFile}
        # the token never is an argument of a program: only builtins touch it
        umask 077
        file="$SECRETS/join.yaml"
        printf '%s%s%s\\n' "\${JOIN_CONFIG%%${tokenPlaceholder}*}" "$token" "\${JOIN_CONFIG#*${tokenPlaceholder}}" > "$file"
    ` +
    restartKubeletWhenReady +
    sh`
        hurry=
        if [ "$ROLE" = controlPlane ]; then
            hurry_kubelet </dev/null >/dev/null 2>&1 &
            hurry=$!
        fi
        code=0
        kubeadm join --config "$file" || code=$?
        rm -f "$file"
        [ -z "$hurry" ] || kill "$hurry" 2>/dev/null || true
        if [ $code != 0 ]; then
            # it would go on by itself, and register a node that nobody expects; one with an etcd may be needed for the quorum
            [ -e ${kubernetesFolder}/manifests/etcd.yaml ] || systemctl stop kubelet.service || true
            exit $code
        fi
    ` +
    noteMember;

/**
 * Runs on a ready control-plane node before a machine joins. It removes what a former machine of this name and address
 * left: its etcd member, which kubeadm would count as a dead voter, and its node object. Then it creates the token.
 * etcd itself refuses a removal that would cost the quorum.
 */
const prepareJoinScript =
    sh`
        ${usualPath}
        export KUBECONFIG=${adminConfig}
    ` +
    etcdctl +
    etcdMemberAbsent +
    nodeApi +
    sh`
        if [ "$ROLE" = controlPlane ] && ! nobody_like_us; then
            # the pod is looked for here: a pipeline's function could not remember it
            find_etcd
            members=$(e member list)
            printf '%s\\n' "$members" | while IFS=, read -r id state name peers rest; do
                if [ "\${name# }" = "$NAME" ] || [ "\${peers# }" = "https://$ADDRESS:2380" ]; then
                    e member remove "$id" >&2 || exit ${exitCodes.QUORUM_AT_RISK}
                fi
            done
        fi
        # kubeadm refuses a name that seems to live: it takes 40 s until a machine that is gone is called NotReady
        if [ "$(code_of "$(node_api)")" != 404 ]; then
            former=$(kubectl --request-timeout=20s get node "$NAME" --ignore-not-found -o jsonpath='{.status.addresses[?(@.type=="InternalIP")].address}')
            [ "$former" != "$ADDRESS" ] || kubectl delete node "$NAME" --timeout=60s >&2
        fi
        kubeadm token create --ttl 20m --description "join of $NAME"
    `;

const prepareJoin: Act = {
    id: "cluster.prepare-join",
    title: "prepare the join",
    target: "controlPlane",
    run: prepareJoinScript,
    timeoutSeconds: 300,
    errors: errorsFor("QUORUM_AT_RISK"),
    answers: true,
};

/**
 * Makes the machine a member. Whether it runs init or join depends on what exists, not on the inputs, so the declared
 * state is the same for both and a later preview shows no difference. Version, labels and settings are not part of it:
 * they have their own steps.
 */
export function joinCluster(mode: Mode): StepFactory<NodeSpec> {
    return spec => {
        const marks = appliedMarks(spec);
        const common = {
            id: "cluster.join",
            title: "initialise or join the cluster",
            revision: 1,
            declaredState: { cluster: spec.clusterId, name: spec.name, role: spec.role, ca: spec.identity.caCertHash },
            probe: isMember,
            timeoutSeconds: 900,
        };
        const env = {
            CLUSTER: spec.clusterId,
            NAME: spec.name,
            ADDRESS: spec.address,
            ROLE: spec.role,
            MARK_CLUSTER: marks.cluster,
            MARK_KUBELET: marks.kubelet,
            MARK_ETCD: marks.etcd,
            KUBELET_FLAGS: kubeletFlags(spec),
        };
        if (mode === "init") return { ...common, env, run: initScript };
        return {
            ...common,
            env: { ...env, CA_HASH: spec.identity.caCertHash, JOIN_CONFIG: joinConfig(spec) },
            preparation: { ...prepareJoin, env: { NAME: spec.name, ADDRESS: spec.address, ROLE: spec.role } },
            run: joinScript,
            errors: errorsFor("QUORUM_AT_RISK", "FOREIGN_NODE"),
            retries: joinRetries(spec.role),
        };
    };
}
