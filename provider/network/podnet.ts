import { ownImages } from "../bundle";
import { sh } from "../shell/script";
import { toYaml } from "../to-yaml";

/** Marks our routes, so that other routes on the node are never touched. */
export const routeMetric = 4244;

export interface PodnetSpec {
    podCidr: string;
    /**
     * Path of the node's kubectl, which the pods use: "/usr/local/bin/kubectl" (bundle), "/usr/bin/kubectl" (packages,
     * images).
     */
    kubectlPath: string;
    /** With the digest if a bundle has it. @default pulumi-nfv.invalid/podnet:1 */
    image?: string;
}

/** Runs on each node, in busybox sh; the image has iptables and ip. */
const program = sh`
    set -u
    account=/var/run/secrets/kubernetes.io/serviceaccount
    conflist=/host/etc/cni/net.d/10-podnet.conflist
    k() {
        /host/kubectl --server="https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT" --request-timeout="\${patience}s" \\
            --certificate-authority="$account/ca.crt" --token="$(cat "$account/token")" "$@"
    }
    # name, podCIDR and address of every node
    nodes() {
        k get nodes -o jsonpath='{range .items[*]}{.metadata.name} {.spec.podCIDR} {.status.addresses[?(@.type=="InternalIP")].address}{"\\n"}{end}'
    }
    # pods reach the world as their node; among themselves as themselves
    masquerade() {
        iptables -w 5 -t nat "$1" POSTROUTING -s "$POD_CIDR" ! -d "$POD_CIDR" -m addrtype ! --dst-type LOCAL \\
            -m comment --comment podnet -j MASQUERADE
    }
    accept() {
        iptables -w 5 "$1" FORWARD "$2" "$POD_CIDR" -m comment --comment podnet -j ACCEPT
    }
    write_conflist() {
        printf '%s\\n' "$CONFLIST" | sed "s|@SUBNET@|$1|" > "$conflist.new"
        cmp -s "$conflist.new" "$conflist" || { mv "$conflist.new" "$conflist"; echo "pod network of this node: $1"; }
    }
    trap 'exit 0' TERM INT
    known=
    # A question asked before kube-proxy has made its rules never gets an answer: short ones at the beginning.
    patience=1
    while :; do
        masquerade -C 2>/dev/null || masquerade -A
        for side in -s -d; do accept -C $side 2>/dev/null || accept -I $side; done
        if now=$(nodes) && [ -n "$now" ]; then
            if [ "$now" != "$known" ]; then
                echo "$now" | while read -r name subnet address; do
                    [ -n "$address" ] || continue
                    if [ "$name" = "$NODE" ]; then write_conflist "$subnet"
                    else ip route replace "$subnet" via "$address" metric ${routeMetric} || echo "no route to $subnet via $address"
                    fi
                done
                # routes to nodes that are gone
                ip route show | grep ' metric ${routeMetric}' | while read -r subnet _ address _; do
                    echo "$now" | grep -q " $subnet $address\\$" || ip route del "$subnet" via "$address" metric ${routeMetric}
                done
                known=$now
            fi
            wait=5
            patience=5
        else
            wait=1
            [ "$patience" -ge 5 ] || patience=$((patience + 1))
        fi
        sleep $wait &
        wait $!
    done
`;

/** The CNI configuration of a node; the program inserts the node's own subnet. */
const conflist = JSON.stringify({
    cniVersion: "0.4.0",
    name: "podnet",
    plugins: [
        {
            type: "bridge",
            bridge: "cni0",
            isGateway: true,
            ipMasq: false,
            hairpinMode: true,
            ipam: { type: "host-local", ranges: [[{ subnet: "@SUBNET@" }]], routes: [{ dst: "0.0.0.0/0" }] },
        },
        { type: "portmap", capabilities: { portMappings: true } },
    ],
});

/**
 * A pod network of plain files, without tunnels and without a routing daemon: a bridge on each node, and routes to the
 * pods of other nodes. For nodes that share one network segment. Works offline.
 */
export function podnetManifest(spec: PodnetSpec): string {
    const name = "podnet";
    const metadata = { name, namespace: "kube-system" };
    const volume = (volumeName: string, path: string, type: string) => ({ name: volumeName, hostPath: { path, type } });
    const parts = [
        { apiVersion: "v1", kind: "ServiceAccount", metadata },
        {
            apiVersion: "rbac.authorization.k8s.io/v1",
            kind: "ClusterRole",
            metadata: { name },
            rules: [{ apiGroups: [""], resources: ["nodes"], verbs: ["get", "list", "watch"] }],
        },
        {
            apiVersion: "rbac.authorization.k8s.io/v1",
            kind: "ClusterRoleBinding",
            metadata: { name },
            roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
            subjects: [{ kind: "ServiceAccount", ...metadata }],
        },
        { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "podnet.sh": program, conflist } },
        {
            apiVersion: "apps/v1",
            kind: "DaemonSet",
            metadata,
            spec: {
                selector: { matchLabels: { app: name } },
                updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "100%" } },
                template: {
                    metadata: { labels: { app: name } },
                    spec: {
                        serviceAccountName: name,
                        hostNetwork: true,
                        priorityClassName: "system-node-critical",
                        terminationGracePeriodSeconds: 1,
                        tolerations: [{ operator: "Exists" }],
                        containers: [
                            {
                                name,
                                image: spec.image ?? ownImages.podnet,
                                imagePullPolicy: "IfNotPresent",
                                command: ["sh", "/program/podnet.sh"],
                                env: [
                                    { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
                                    { name: "POD_CIDR", value: spec.podCidr },
                                    { name: "CONFLIST", valueFrom: { configMapKeyRef: { name, key: "conflist" } } },
                                ],
                                resources: { requests: { cpu: "10m", memory: "20Mi" } },
                                securityContext: { capabilities: { add: ["NET_ADMIN", "NET_RAW"] } },
                                volumeMounts: [
                                    { name: "program", mountPath: "/program" },
                                    { name: "cni", mountPath: "/host/etc/cni/net.d" },
                                    { name: "kubectl", mountPath: "/host/kubectl", readOnly: true },
                                    { name: "xtables-lock", mountPath: "/run/xtables.lock" },
                                ],
                            },
                        ],
                        volumes: [
                            { name: "program", configMap: { name } },
                            volume("cni", "/etc/cni/net.d", "DirectoryOrCreate"),
                            volume("kubectl", spec.kubectlPath, "File"),
                            volume("xtables-lock", "/run/xtables.lock", "FileOrCreate"),
                        ],
                    },
                },
            },
        },
    ];
    return toYaml(...parts);
}
