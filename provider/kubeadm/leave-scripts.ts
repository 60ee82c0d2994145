import { routeMetric } from "../network/podnet";
import { exitCodes } from "../shell/exit-codes";
import { asAdministrator } from "../shell/kubectl";
import { sh, usualPath } from "../shell/script";
import { cniOfOthers } from "./cni-of-others";
import { etcdctl } from "./etcdctl";
import { kubernetesFiles } from "./kubernetes-files";
import { emptyFolder, removeCniConfiguration, removeIpvsServices, unmountPods } from "./only-ours";
import {
    appliedFolder,
    authorityFile,
    etcdDataNote,
    initStartedFile,
    joinStartedFile,
    kubernetesFolder,
    memberFile,
    pkiFolder,
} from "./paths";
import { cordonedAnnotation } from "./set-labels";

/**
 * Cordons and drains $NAME. PodDisruptionBudgets are respected until the timeout; then $POLICY decides: fail, evict
 * (wait as long again) or delete. If draining fails, the operation stops and the node stays a member, so its cordon is
 * removed unless it was someone else's. The cordon is marked as ours before it is set: if the run is interrupted and
 * the node is wanted again, `setLabels` uncordons it.
 *
 * kubectl waits until kubelet confirms that a pod has ended. If the machine is $GONE and its kubelet no longer reports
 * (Ready is Unknown), no confirmation will come, so kubectl waits only for evictions that are refused.
 */
export const drainScript =
    asAdministrator +
    sh`
        kubectl get node "$NAME" --ignore-not-found -o name | grep -q . || exit 0
        seen=$(kubectl get node "$NAME" -o 'jsonpath={.spec.unschedulable}|{.metadata.annotations.${cordonedAnnotation.replace(".", "\\.")}}')
        ours=\${seen#*|}
        if [ "\${seen%%|*}" != true ]; then
            kubectl annotate --overwrite node "$NAME" ${cordonedAnnotation}=leaving >/dev/null
            ours=yes
        fi
        unconfirmed=
        look_for_kubelet() {
            [ "$GONE" = yes ] || return 0
            ready=$(kubectl get node "$NAME" -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}')
            if [ "$ready" = Unknown ]; then unconfirmed=--skip-wait-for-delete-timeout=1; fi
        }
        drain() {
            kubectl drain "$NAME" --ignore-daemonsets --delete-emptydir-data --force --timeout="$SECONDS_TO_WAIT"s $unconfirmed "$@" 2>&1
        }
        look_for_kubelet
        if out=$(drain); then printf '%s\\n' "$out"; exit 0; fi
        if [ -z "$unconfirmed" ]; then
            # a node controller notices only after 40 s that a kubelet has stopped
            look_for_kubelet
            if [ -n "$unconfirmed" ] && out=$(drain); then exit 0; fi
        fi
        case $POLICY in
            evict) if out=$(drain); then exit 0; fi ;;
            delete) if out=$(drain --disable-eviction); then exit 0; fi ;;
        esac
        if [ -n "$ours" ] && kubectl uncordon "$NAME" >/dev/null; then
            kubectl annotate node "$NAME" ${cordonedAnnotation}- >/dev/null || true
        fi
        {
            echo "pods are still on $NAME after $SECONDS_TO_WAIT s:"
            kubectl get pods -A --field-selector "spec.nodeName=$NAME" --no-headers \\
                -o custom-columns=NS:.metadata.namespace,NAME:.metadata.name,OWNER:.metadata.ownerReferences[0].kind |
                awk '$3 != "DaemonSet" && $3 != "Node" { if (++n <= 5) print "    " $1 "/" $2 } END { if (n > 5) print "    and " n - 5 " more" }'
            kubectl get poddisruptionbudgets -A --no-headers \\
                -o custom-columns=NS:.metadata.namespace,NAME:.metadata.name,ALLOWED:.status.disruptionsAllowed |
                awk '$3 == 0 { if (!n++) print "PodDisruptionBudgets that allow no disruption now:"; if (n <= 3) print "    " $1 "/" $2 }'
            printf '%s\\n' "$out" | tail -n 3
        } >&2
        exit ${exitCodes.DRAIN_FAILED}
    `;

/** Prints two lines of JSON: the members, and the health of each endpoint. Bad health is not a failure here. */
export const membersScript =
    asAdministrator +
    etcdctl +
    sh`
        e member list -w json | tr -d '\\n'
        echo
        { e endpoint health --cluster -w json 2>/dev/null || true; } | tr -d '\\n'
        echo
    `;

/** Removes the member with the id $MEMBER. A member that etcd no longer lists was removed by an earlier attempt. */
export const removeMemberScript =
    asAdministrator +
    etcdctl +
    sh`
        if e member remove "$MEMBER"; then exit 0; fi
        members=$(e member list)
        # an empty list is no proof
        if [ -z "$members" ] || printf '%s\\n' "$members" | grep -q "^$MEMBER,"; then exit 1; fi
        echo "etcd does not list $MEMBER any more"
    `;

/**
 * Runs on the machine before the first irreversible change. From then on the machine does not count as a member, but as
 * one that an earlier attempt left incomplete. If the leave stops after this and is no longer wanted, the next join
 * resets the machine first.
 */
export const noteLeavingScript = sh`
    read -r cluster < ${memberFile} 2>/dev/null || exit 0
    printf '%s\\n' "$cluster" > ${joinStartedFile}
    rm -f ${memberFile} ${initStartedFile}
    sync -f ${joinStartedFile}
`;

export const deleteNodeScript =
    asAdministrator +
    sh`
        kubectl delete node "$NAME" --ignore-not-found --wait=false
    `;

/**
 * Removes Kubernetes from a machine: kubeadm's reset without its etcd part (which is done or unnecessary), then what it
 * leaves: network interfaces, rules of kube-proxy and the pod network, files. kubelet stays installed, and files of
 * others below /etc/kubernetes stay. /var/lib/etcd is emptied only if kubeadm made an etcd there for us: etcd's
 * packages keep the data of a user's own etcd below it. A machine that has $LEFT and is a member again is not reset.
 */
export const resetNodeScript =
    unmountPods +
    emptyFolder +
    removeCniConfiguration +
    cniOfOthers +
    removeIpvsServices +
    kubernetesFiles +
    sh`
    ${usualPath}
    if [ "\${LEFT:-}" = yes ] && [ -e ${memberFile} ]; then
        echo "it left, and is a member again: another run has joined it; it was not reset" >&2
        exit ${exitCodes.NODE_BUSY}
    fi
    systemctl stop kubelet.service 2>/dev/null || true
    etcd=
    # noted, for kubeadm takes the signs away and the run may be killed behind it
    if [ -e ${etcdDataNote} ] || [ -e ${kubernetesFolder}/manifests/etcd.yaml ] || [ -e ${pkiFolder}/etcd/server.crt ]; then
        etcd=yes
        touch ${etcdDataNote} 2>/dev/null || true
    fi
    keep_others_files
    if command -v kubeadm >/dev/null; then
        kubeadm reset -f --skip-phases=remove-etcd-member >/dev/null 2>&1 || kubeadm reset -f --skip-phases=remove-etcd-member
    fi
    put_others_files_back
    remove_kubernetes_files
    unmount_pods
    remove_cni_configuration
    others=$(others_networks)
    remove_cni_state "$others"
    rm -rf /var/log/kubernetes /var/log/pods /var/log/containers
    # these may be mounts themselves: empty them
    empty_folder /var/lib/kubelet
    [ -z "$etcd" ] || empty_folder /var/lib/etcd
    remove_ipvs_services
    for link in cni0 flannel.1 kube-ipvs0; do ip link delete "$link" 2>/dev/null || true; done
    ip route show | awk '/ metric ${routeMetric}( |$)/ { print $1 }' |
        while read -r route; do ip route delete "$route" metric ${routeMetric} || true; done
    for tables in iptables ip6tables; do
        command -v $tables-save >/dev/null || continue
        rules=$($tables-save 2>/dev/null || true)
        printf '%s\\n' "$rules" | grep -Eq 'KUBE-|CNI-|podnet|FLANNEL' || continue
        printf '%s\\n' "$rules" | without_cluster_rules "$others" | $tables-restore
    done
    if command -v nft >/dev/null; then nft delete table ip kube-proxy 2>/dev/null || true; fi
    rm -rf ${memberFile} ${initStartedFile} ${joinStartedFile} ${authorityFile} ${etcdDataNote} ${appliedFolder}
`;
