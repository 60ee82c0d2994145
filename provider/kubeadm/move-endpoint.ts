import { formersFile } from "../endpoint/side-by-side";
import { adminConfig, asAdministrator } from "../shell/kubectl";
import { sh, usualPath } from "../shell/script";
import { applyKubeProxyChanges } from "./apply-changes";
import { appliedFolder, bootstrapConfig, clusterConfigFile, kubeletConfig, kubernetesFolder } from "./paths";

/** All kubeconfigs that kubeadm made on a node. */
const kubeconfigs = [
    kubeletConfig,
    bootstrapConfig,
    ...["admin", "super-admin", "controller-manager", "scheduler"].map(name => `${kubernetesFolder}/${name}.conf`),
].join(" ");

/** The command that prints a node's endpoints; fake nodes in tests recognise it. */
export const endpointArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-endpoint"];

/** The endpoints that a node uses, and the former ones that it still serves or knows. */
export interface EndpointLook {
    /** API servers in its kubeconfigs. */
    servers: string[];
    /** Former endpoints as recorded on the node: one JSON object each. */
    formers: string[];
}

/** Prints an EndpointLook as lines "name=value". Changes nothing. */
export const lookScript = sh`
    for file in ${kubeconfigs}; do
        [ ! -s "$file" ] || sed -n 's/^ *server: */server=/p' "$file"
    done
    if [ -s ${formersFile} ]; then sed 's/^/former=/' ${formersFile}; fi
`;

export function parseLook(text: string): EndpointLook {
    const all = (name: string) =>
        text
            .split("\n")
            .filter(line => line.startsWith(`${name}=`))
            .map(line => line.slice(name.length + 1).trim());
    return { servers: [...new Set(all("server"))], formers: all("former") };
}

/** A control-plane node's own API server, which its kubelet and controllers use whatever the endpoint is. */
const local = '"https://$ADDRESS:6443"';

/**
 * Shell: `answers_at URL` waits until the API answers there with a certificate for that name; wants CONFIG, a
 * kubeconfig.
 */
const answersAt = sh`
    answers_at() {
        tries=0
        until said=$(kubectl --kubeconfig "$CONFIG" --server "$1" --request-timeout=5s get --raw /readyz 2>&1); do
            tries=$((tries + 1))
            if [ $tries -ge 20 ]; then
                printf 'the API does not answer at %s: %s\\n' "$1" "$said" >&2
                return 1
            fi
            sleep 2
        done
    }
`;

/**
 * Runs on each control-plane node before the first node moves: proves that its API server's certificate has the new
 * name and that the API answers through the new endpoint. Wants ADDRESS, HOST, URL.
 */
export const proveScript =
    `${usualPath}\nCONFIG=${adminConfig}\n` +
    answersAt +
    sh`
        kubectl --kubeconfig "$CONFIG" --server ${local} --tls-server-name "$HOST" --request-timeout=10s get --raw /readyz >/dev/null
        answers_at "$URL"
    `;

/**
 * Runs on one control-plane node when all of them serve the new endpoint: writes it where joining nodes, kubeadm's
 * later runs and kube-proxy read it. Wants URL.
 */
export const tellClusterScript =
    `${asAdministrator}config=${clusterConfigFile}\n` +
    applyKubeProxyChanges +
    sh`
        kubeadm init phase upload-config kubeadm --config "$config"
        tries=0
        until kubectl -n kube-public get configmap cluster-info -o yaml | sed "s|^\\( *server: \\).*|\\1$URL|" | kubectl replace -f - >/dev/null; do
            tries=$((tries + 1))
            # its signatures may be written at the same moment
            [ $tries -lt 5 ] || exit 1
            sleep 1
        done
        apply_kube_proxy
    `;

/**
 * Records the endpoint with which kubelet was last started and proven to work. Missing while kubelet may use another
 * one.
 */
const movedFile = `${appliedFolder}/endpoint`;

/** Controllers whose file has changed and that must still be restarted, one per line. */
const restartFile = `${appliedFolder}/restart-controllers`;

/**
 * Runs on a node: writes the new endpoint into its kubeconfigs and restarts kubelet if it uses the endpoint. Ends when
 * the new kubelet has renewed the node's lease and the node is Ready: both go through the new endpoint. Wants URL,
 * NAME, ADDRESS.
 */
export const moveNodeScript =
    `${usualPath}\nCONFIG=${kubeletConfig}\n` +
    answersAt +
    sh`
        answers_at "$URL"
        mkdir -p ${appliedFolder}
        for file in ${kubeconfigs}; do
            [ -s "$file" ] || continue
            server=$(sed -n 's/^ *server: *//p' "$file" | head -n 1)
            case $server in "$URL" | ${local}) continue ;; esac
            cp -p "$file" "$file.new"
            sed "s|^\\( *server: \\).*|\\1$URL|" "$file" > "$file.new"
            sync -- "$file.new"
            # noted before: from here on, whatever starts the program gives it the new endpoint
            case $file in
                ${kubeletConfig}) rm -f ${movedFile} ;;
                */controller-manager.conf) echo controller-manager >> ${restartFile} ;;
                */scheduler.conf) echo scheduler >> ${restartFile} ;;
            esac
            sync -- ${appliedFolder}
            mv "$file.new" "$file"
        done
        for name in $(sort -u ${restartFile} 2>/dev/null || true); do
            # kubelet starts them again; not by -x: the kernel keeps 15 characters of a name
            pkill -TERM -f "^kube-$name( |$)" || true
        done
        rm -f ${restartFile}
        [ "$(sed -n 's/^ *server: *//p' ${kubeletConfig} | head -n 1)" = "$URL" ] || exit 0
        # also where a run ended between the file and the start
        [ "$(cat ${movedFile} 2>/dev/null || true)" != "$URL" ] || exit 0
        systemctl stop kubelet.service
        # leases of the former kubelet are older than this
        sleep 1
        since=$(date -u +%Y-%m-%dT%H:%M:%S)
        systemctl start kubelet.service
        k() { kubectl --kubeconfig "$CONFIG" --request-timeout=5s "$@" 2>/dev/null || true; }
        is_back() {
            renewed=$(k -n kube-node-lease get lease "$NAME" -o 'jsonpath={.spec.renewTime}')
            [ "$(printf '%s\\n%s\\n' "$since" "$renewed" | LC_ALL=C sort | tail -n 1)" = "$renewed" ] || return 1
            [ "$(k get node "$NAME" -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}')" = True ]
        }
        tries=0
        until is_back; do
            tries=$((tries + 1))
            if [ $tries -ge 120 ]; then
                echo "kubelet did not come back through $URL:" >&2
                journalctl -u kubelet.service -n 10 --no-pager -o cat >&2 || true
                exit 1
            fi
            sleep 1
        done
        printf '%s\\n' "$URL" > ${movedFile}
    `;

/** Runs on a control-plane node: tests whether the cluster's own configuration names PLACE as its endpoint. */
export const endpointReachedScript =
    asAdministrator +
    sh`
        said=$(kubectl --request-timeout=20s -n kube-system get configmap kubeadm-config -o 'jsonpath={.data.ClusterConfiguration}' |
            sed -n "s/^controlPlaneEndpoint: *//p" | tr -d "\\"'")
        [ "$said" = "$PLACE" ] || { echo "the cluster says that its endpoint is $said, $PLACE is wanted" >&2; exit 1; }
    `;
