import { adminConfig } from "../kubeadm/paths";
import { sh, usualPath } from "../node/script";

/** Scripts that run on a living master with its admin.conf. Values come by environment. */
const onMaster = `${usualPath}\nexport KUBECONFIG=${adminConfig}\n`;

/** Applies the YAML text in $MANIFEST. Again and again the same: server-side, so that what is not in it any more goes. */
export const applyManifestScript =
    onMaster +
    sh`
        [ -n "$MANIFEST" ] || exit 0
        file=$(mktemp)
        trap 'rm -f "$file"' EXIT
        printf '%s\\n' "$MANIFEST" > "$file"
        tries=0
        # right after init the API may still refuse for a moment
        until kubectl apply --server-side --force-conflicts --field-manager=pulumi-nfv -f "$file"; do
            tries=$((tries + 1))
            [ $tries -lt 10 ] || exit 1
            sleep 2
        done
    `;

/** Deletes what the YAML text in $MANIFEST names. */
export const deleteManifestScript =
    onMaster +
    sh`
        [ -n "$MANIFEST" ] || exit 0
        printf '%s\\n' "$MANIFEST" | kubectl delete --ignore-not-found --wait=false -f -
    `;

/** Waits until all nodes in $NODES (names, one a line) are Ready, for at most $SECONDS_TO_WAIT; says of the others why they are not. */
export const waitForNodesScript =
    onMaster +
    sh`
        end=$(($(date +%s) + SECONDS_TO_WAIT))
        while :; do
            ready=$(kubectl --request-timeout=10s get nodes \\
                -o jsonpath='{range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}' || true)
            missing=
            for node in $NODES; do
                printf '%s\\n' "$ready" | grep -qxF "$node True" || missing="$missing $node"
            done
            [ -n "$missing" ] || exit 0
            [ "$(date +%s)" -lt "$end" ] || break
            sleep 1
        done
        for node in $missing; do
            reason=$(kubectl --request-timeout=10s get node "$node" \\
                -o jsonpath='{.status.conditions[?(@.type=="Ready")].message}' 2>/dev/null || echo "is no member")
            echo "$node is not Ready: $reason" >&2
        done
        exit 1
    `;

/**
 * Lets CoreDNS stand on several nodes, once there are some: kubeadm starts both replicas on the first master, with which DNS would
 * go. Restarts it only if its pods do share a node. Waits until it is available.
 */
export const spreadCoreDnsScript =
    onMaster +
    sh`
        k() { kubectl -n kube-system --request-timeout=20s "$@"; }
        patch='{"spec":{"template":{"spec":{"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"kubernetes.io/hostname","whenUnsatisfiable":"ScheduleAnyway","labelSelector":{"matchLabels":{"k8s-app":"kube-dns"}},"matchLabelKeys":["pod-template-hash"]}]}}}}'
        k get deployment coredns >/dev/null 2>&1 || exit 0
        placed() {
            k get pods -l k8s-app=kube-dns --field-selector=status.phase=Running -o jsonpath='{range .items[*]}{.spec.nodeName}{"\\n"}{end}'
        }
        nodes=$(k get nodes -o name | wc -l)
        set_already=$(k get deployment coredns -o jsonpath='{.spec.template.spec.topologySpreadConstraints}')
        if [ "$nodes" -gt 1 ]; then
            if [ -z "$set_already" ]; then
                # a changed template starts the pods anew, spread
                k patch deployment coredns --type merge --patch "$patch" >/dev/null
            elif [ "$(placed | wc -l)" -gt 1 ] && [ "$(placed | sort -u | wc -l)" -le 1 ]; then
                k rollout restart deployment coredns >/dev/null
            fi
        fi
        kubectl -n kube-system rollout status deployment coredns --timeout="$SECONDS_TO_WAIT"s
    `;
