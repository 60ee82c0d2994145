import { sh } from "../shell/script";
import { configFolder, kubernetesFolder, pkiFolder } from "./paths";

const authorities = ["ca", "etcd/ca", "front-proxy-ca"];
const certificates = [
    "apiserver",
    "apiserver-kubelet-client",
    "apiserver-etcd-client",
    "front-proxy-client",
    "etcd/server",
    "etcd/peer",
    "etcd/healthcheck-client",
];
const configs = ["admin", "super-admin", "kubelet", "bootstrap-kubelet", "controller-manager", "scheduler"];
const staticPods = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"];

/**
 * Paths, relative to /etc/kubernetes, of what kubeadm and we write there. Our folders and kubeadm's backups are deleted
 * as a whole.
 */
export const ownKubernetesFiles: readonly string[] = [
    ...configs.map(name => `${name}.conf`),
    ...staticPods.map(name => `manifests/${name}.yaml`),
    ...[...authorities, ...certificates].flatMap(name => [`pki/${name}.crt`, `pki/${name}.key`]),
    "pki/sa.key",
    "pki/sa.pub",
];

/** Each of these keys gives access to the whole cluster, so no copy of them stays. */
const clusterKeys = [...authorities.map(name => `${name}.key`), "sa.key"].map(name => `${pkiFolder}/${name}`);

const othersAside = `${kubernetesFolder}/pki.others`;
const manifestsAside = `${kubernetesFolder}/manifests.others`;

/**
 * Shell functions around kubeadm's reset, which deletes everything in /etc/kubernetes/pki and
 * /etc/kubernetes/manifests. Each may run again after an interrupted run.
 *
 * - `keep_others_files`, before the reset: copies files of pki that are not ours aside, and deletes copies of the
 *   cluster's keys. Moves static pods that kubeadm did not create to another folder for good: in place they would make
 *   the next join fail.
 * - `put_others_files_back`, after the reset.
 * - `remove_kubernetes_files` deletes kubeadm's files and ours, and folders that are then empty.
 */
export const kubernetesFiles = sh`
    is_own_file() { printf '%s\\n' ${ownKubernetesFiles.join(" ")} | grep -qxF -- "$1"; }
    files_below() { find "$1" ! -type d 2>/dev/null || true; }
    put_others_files_back() {
        [ -d ${othersAside} ] || return 0
        mkdir -p ${pkiFolder}
        cp -a ${othersAside}/. ${pkiFolder}/
        sync -f ${pkiFolder}
        rm -rf ${othersAside}
    }
    keep_others_files() {
        put_others_files_back
        for key in ${clusterKeys.join(" ")}; do
            [ -s "$key" ] || continue
            files_below ${kubernetesFolder} | while read -r file; do
                if [ "$file" != "$key" ] && [ ! -L "$file" ] && cmp -s "$key" "$file"; then rm -f -- "$file"; fi
            done
        done
        for file in ${kubernetesFolder}/manifests/* ${kubernetesFolder}/manifests/.[!.]*; do
            [ -e "$file" ] || [ -L "$file" ] || continue
            ! is_own_file "manifests/\${file##*/}" || continue
            mkdir -p ${manifestsAside}
            mv --backup=numbered -- "$file" ${manifestsAside}/
            echo "stays: ${manifestsAside}/\${file##*/}: a static pod that kubeadm did not make"
        done
        [ -d ${pkiFolder} ] || return 0
        rm -rf ${othersAside}.new
        files_below ${pkiFolder} | while read -r file; do
            file=\${file#${pkiFolder}/}
            ! is_own_file "pki/$file" || continue
            mkdir -p ${othersAside}.new
            (cd ${pkiFolder} && cp -a --parents -- "$file" ${othersAside}.new/)
        done
        if [ -d ${othersAside}.new ]; then
            chmod --reference=${pkiFolder} ${othersAside}.new
            sync -f ${othersAside}.new
            mv -T ${othersAside}.new ${othersAside}
        fi
    }
    remove_kubernetes_files() {
        for file in ${ownKubernetesFiles.join(" ")}; do
            file=${kubernetesFolder}/$file
            # with what a transfer of ours had begun to write
            rm -f "$file" "\${file%/*}/.nfv-\${file##*/}.new" "\${file%/*}/.\${file##*/}".????????????????.part
            case $file in *.conf) rm -f "$file.new" ;; esac
        done
        rm -rf ${configFolder} ${kubernetesFolder}/tmp/kubeadm-*
        rmdir ${pkiFolder}/etcd ${pkiFolder} ${kubernetesFolder}/manifests ${kubernetesFolder}/tmp ${kubernetesFolder} 2>/dev/null || true
    }
`;
