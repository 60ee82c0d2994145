import { asAdministrator } from "../shell/kubectl";
import { sh } from "../shell/script";

/**
 * Applies the YAML text in $MANIFEST. This script and the following ones run on a ready control-plane node with its
 * admin.conf; values come in the environment. Server-side apply, so that fields that are no longer in the text are
 * removed.
 */
export const applyManifestScript =
    asAdministrator +
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
    asAdministrator +
    sh`
        [ -n "$MANIFEST" ] || exit 0
        printf '%s\\n' "$MANIFEST" | kubectl delete --ignore-not-found --wait=false -f -
    `;

/**
 * Waits, at most $SECONDS_TO_WAIT, until all nodes in $NODES (names, one a line) are Ready; prints why the others are
 * not.
 */
export const waitForNodesScript =
    asAdministrator +
    sh`
        end=$(($(date +%s) + SECONDS_TO_WAIT))
        # hears of it at once; who is no node yet makes it fail
        if kubectl wait --for=condition=Ready --timeout="$SECONDS_TO_WAIT"s $(printf 'node/%s ' $NODES) >/dev/null 2>&1; then exit 0; fi
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
        ready='{.status.conditions[?(@.type=="Ready")]'
        for node in $missing; do
            if ! reason=$(kubectl --request-timeout=10s get node "$node" -o jsonpath="$ready.reason}: $ready.message}" 2>/dev/null); then
                echo "$node is no member of the cluster" >&2
                continue
            fi
            echo "$node is not Ready: $reason" >&2
            kubectl --request-timeout=10s -n kube-system get pods --field-selector "spec.nodeName=$node" --no-headers 2>/dev/null |
                awk '{ split($2, n, "/") } $3 != "Running" || n[1] != n[2] { print "    pod kube-system/" $1 ": " $3 ", ready " $2 }' >&2 || true
            echo "    look at: journalctl -u kubelet on $node; kubectl describe node $node; the pod network's pods there" >&2
        done
        exit 1
    `;

/**
 * Spreads CoreDNS over several nodes once there are some: kubeadm starts both replicas on the first control-plane node,
 * so its loss would stop DNS. If all pods share a node and another node could take them, all but one are deleted, once:
 * the template prefers different nodes, and the remaining pod answers meanwhile. If they end up together again, that is
 * accepted. Waits until CoreDNS is available.
 */
export const spreadCoreDnsScript =
    asAdministrator +
    sh`
        k() { kubectl -n kube-system --request-timeout=20s "$@"; }
        k get deployment coredns >/dev/null 2>&1 || exit 0
        # Prints how many nodes could take a replica: Ready, not cordoned, without a taint that CoreDNS does not bear; a node that is ready
        # just now may not have lost its taint yet.
        takers() {
            k get nodes -o jsonpath='{range .items[*]}{.spec.unschedulable}|{.status.conditions[?(@.type=="Ready")].status}|{range .spec.taints[*]}{.key}:{.effect},{end}{"\\n"}{end}' |
                awk -F '|' '$1 == "true" || $2 != "True" { next }
                    { gsub(/(node-role.kubernetes.io\\/control-plane|node.kubernetes.io\\/not-ready):[A-Za-z]*,|[^,]*:PreferNoSchedule,/, "", $3) }
                    $3 == "" { n++ } END { if (NR == 0) exit 1; print n + 0 }'
        }
        # One replica has to do where the others have no node of their own, or stand on one that is dead: it may be about to leave.
        one_has_to_do() {
            replicas=$(k get deployment coredns -o jsonpath='{.status.availableReplicas}')
            [ "\${replicas:-0}" -ge 1 ] || return 1
            n=$(takers) || return 1
            [ "$n" -gt "$replicas" ] || return 0
            k get nodes -o jsonpath='{range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}' | grep -qvx True
        }
        available() {
            end=$(($(date +%s) + SECONDS_TO_WAIT))
            until kubectl -n kube-system rollout status deployment coredns --timeout=10s; do
                if one_has_to_do; then return; fi
                if [ "$(date +%s)" -lt "$end" ]; then sleep 2; continue; fi
                # What a person would ask next. A loop means that the nodes' resolv.conf names a loopback address.
                k get pods -l k8s-app=kube-dns -o wide >&2
                k logs -l k8s-app=kube-dns --tail=5 --prefix >&2
                exit 1
            done
        }
        available
        n=$(takers)
        [ "$n" -gt 1 ] || exit 0
        pods=$(k get pods -l k8s-app=kube-dns --field-selector=status.phase=Running \\
            -o jsonpath='{range .items[*]}{.metadata.deletionTimestamp}|{.spec.nodeName}|{.metadata.name}{"\\n"}{end}' | grep '^|' || true)
        [ "$(printf '%s\\n' "$pods" | grep -c .)" -gt 1 ] || exit 0
        [ "$(printf '%s\\n' "$pods" | cut -d '|' -f 2 | sort -u | wc -l)" -eq 1 ] || exit 0
        k delete pod $(printf '%s\\n' "$pods" | sed 1d | cut -d '|' -f 3)
        available
    `;

const apart = JSON.stringify({
    spec: {
        template: {
            spec: {
                affinity: {
                    podAntiAffinity: {
                        requiredDuringSchedulingIgnoredDuringExecution: [
                            {
                                topologyKey: "kubernetes.io/hostname",
                                labelSelector: { matchLabels: { "k8s-app": "kube-dns" } },
                            },
                        ],
                    },
                },
            },
        },
    },
});

/** Never puts two replicas of CoreDNS on one node: the second waits for a second node. */
export const keepCoreDnsApartScript =
    asAdministrator +
    sh`
        kubectl -n kube-system get deployment coredns >/dev/null 2>&1 || exit 0
        kubectl -n kube-system patch deployment coredns --type strategic -p '${apart}'
    `;

/**
 * Prints which objects of the YAML text in $MANIFEST do not exist, one per line. Fails if that cannot be determined.
 */
export const missingObjectsScript =
    asAdministrator +
    sh`
        [ -n "$MANIFEST" ] || exit 0
        if said=$(printf '%s\\n' "$MANIFEST" | kubectl --request-timeout=20s get -f - -o name 2>&1 >/dev/null); then exit 0; fi
        missing=$(printf '%s\\n' "$said" | grep -E '\\(NotFound\\)|no matches for kind' || true)
        [ -n "$missing" ] || { printf '%s\\n' "$said" >&2; exit 1; }
        printf '%s\\n' "$missing"
    `;
