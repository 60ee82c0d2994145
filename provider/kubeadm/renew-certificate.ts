import { formersFile } from "../endpoint/side-by-side";
import { adminConfig } from "../shell/kubectl";
import { sh } from "../shell/script";
import { clusterConfigFile, kubernetesFolder, pkiFolder } from "./paths";

/**
 * How long a rewritten certificate may take until it is served, in seconds: the API server checks its files at least
 * once a minute.
 */
const servedSeconds = 150;

/**
 * Shell: `renew_api_server_certificate CONFIG` recreates the API server's certificate with this kubeadm configuration
 * and waits until it is served with all NAMES (one a line); wants ADDRESS and KUBECONFIG. It writes the files in place,
 * key first: the API server watches these files, and would notice replaced ones only a minute later.
 */
export const renewCertificate = sh`
    serves_name() {
        kubectl --kubeconfig ${adminConfig} --server "https://$ADDRESS:6443" --tls-server-name "$1" --request-timeout=5s \\
            get --raw /readyz >/dev/null 2>&1
    }
    renew_api_server_certificate() {
        # in memory, and the authority's key stays where it is
        made=$(mktemp -d -p /run)
        ln -s ${pkiFolder}/ca.crt ${pkiFolder}/ca.key "$made/"
        sed "s|^kind: ClusterConfiguration$|&\\ncertificatesDir: $made|" "$1" > "$made/config.yaml"
        kubeadm init phase certs apiserver --config "$made/config.yaml"
        touch ${pkiFolder}/apiserver.key ${pkiFolder}/apiserver.crt
        chmod 600 ${pkiFolder}/apiserver.key
        cat "$made/apiserver.key" > ${pkiFolder}/apiserver.key
        cat "$made/apiserver.crt" > ${pkiFolder}/apiserver.crt
        rm -rf "$made"
        # with a certificate of the user's own there is nothing to wait for
        grep -qF -e '--tls-cert-file=${pkiFolder}/apiserver.crt' ${kubernetesFolder}/manifests/kube-apiserver.yaml || return 0
        served_by=$(($(date +%s) + ${servedSeconds}))
        for name in $NAMES; do
            until serves_name "$name"; do
                if [ "$(date +%s)" -ge "$served_by" ]; then
                    echo "the API server of this machine does not show its new certificate, with the name $name, after ${servedSeconds} s" >&2
                    return 1
                fi
                sleep 1
            done
        done
    }
`;

/**
 * Shell: `config_in_use` prints the path of the configuration for kubeadm's phases. While nodes move to another
 * endpoint it is a temporary copy: the cluster's own configuration changes only when all control-plane nodes serve the
 * new endpoint (see ./move-endpoint.ts), and certificates have the names of both. Wants ADDRESS and KUBECONFIG.
 */
export const configInUse = sh`
    place_in_use() {
        kubectl --server "https://$ADDRESS:6443" --request-timeout=10s -n kube-system get configmap kubeadm-config \\
            -o 'jsonpath={.data.ClusterConfiguration}' | sed -n 's/^controlPlaneEndpoint: *//p'
    }
    config_in_use() {
        if [ ! -s ${formersFile} ]; then echo ${clusterConfigFile}; return 0; fi
        tries=0
        until place=$(place_in_use) && [ -n "$place" ]; do
            tries=$((tries + 1))
            if [ $tries -ge 15 ]; then
                echo "the cluster does not say what its endpoint is (configmap kubeadm-config)" >&2
                return 1
            fi
            sleep 2
        done
        names=$(sed -n 's/^{"host":"\\([^"]*\\)".*/    - "\\1"/p' ${formersFile})
        copy=$(mktemp -d -p /run)/cluster.yaml
        while IFS= read -r line; do
            case $line in
                'controlPlaneEndpoint: '*) printf 'controlPlaneEndpoint: %s\\n' "$place" ;;
                '  certSANs:') printf '%s\\n%s\\n' "$line" "$names" ;;
                *) printf '%s\\n' "$line" ;;
            esac
        done < ${clusterConfigFile} > "$copy"
        echo "$copy"
    }
`;
