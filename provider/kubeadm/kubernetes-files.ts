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

/** What kubeadm and we write below /etc/kubernetes, by its path there. Folders of ours and kubeadm's backups are gone as a whole. */
export const ownKubernetesFiles: readonly string[] = [
    ...configs.map(name => `${name}.conf`),
    ...staticPods.map(name => `manifests/${name}.yaml`),
    ...[...authorities, ...certificates].flatMap(name => [`pki/${name}.crt`, `pki/${name}.key`]),
    "pki/sa.key",
    "pki/sa.pub",
];

/** Whoever has one of these has the cluster: no copy of it stays. */
const clusterKeys = [...authorities.map(name => `${name}.key`), "sa.key"].map(name => `${pkiFolder}/${name}`);

const othersAside = `${kubernetesFolder}/pki.others`;
const manifestsAside = `${kubernetesFolder}/manifests.others`;

/**
 * Shell, around kubeadm's reset, which empties /etc/kubernetes/pki and /etc/kubernetes/manifests whatever is in them. Each may run again
 * after a run that was killed.
 *
 * - `keep_others_files`, before it: others' files of pki are copied aside; copies of the cluster's keys are deleted, wherever they are.
 *   Static pods that kubeadm did not make are moved to another folder for good: where they were, the next join would refuse the machine.
 * - `put_others_files_back`, after it.
 * - `remove_kubernetes_files` deletes what is kubeadm's and ours, and folders that are empty then.
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
