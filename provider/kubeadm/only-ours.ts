import { originalsNotes } from "../shell/originals-notes";
import { sh } from "../shell/script";

/**
 * Shell: `unmount_pods` unmounts what kubelet mounted for pods and plugins and kubeadm's reset left. A mount in memory
 * holds no data, so it is unmounted even if it is busy. Any other busy mount stays, with its files: a lazy unmount
 * would only hide it. Mounts of others below /var/lib/kubelet are not touched.
 */
export const unmountPods = sh`
    unmount_pods() {
        awk '$2 ~ "^/var/lib/kubelet/(pods|plugins)/" { print $3, $2 }' /proc/mounts | sort -r -k 2 |
            while read -r type mount; do
                umount "$mount" 2>/dev/null && continue
                if [ "$type" = tmpfs ] && umount -l "$mount"; then continue; fi
                echo "stays: $mount is busy"
            done
    }
`;

/**
 * Shell: `empty_folder FOLDER` deletes its content, except what is mounted there. `find -xdev` is not enough: it enters
 * a mount from the same file system, as local volumes are. Special characters in the names of mounts match any
 * character.
 */
export const emptyFolder = sh`
    empty_folder() {
        [ -d "$1" ] || return 0
        mounts=$(awk -v under="$1/" 'index($2, under) == 1 { gsub(/\\\\[0-7][0-7][0-7]/, "?", $2); gsub(/[][*]/, "?", $2); print "! -path " $2 " ! -path " $2 "/*" }' /proc/mounts)
        set -f
        find "$1" -xdev -depth -mindepth 1 $mounts -delete 2>/dev/null || true
        set +f
    }
`;

/**
 * Shell: `remove_cni_configuration` deletes the cluster's CNI configuration, but not what existed before us or belongs
 * to podman and nerdctl.
 */
export const removeCniConfiguration = sh`
    remove_cni_configuration() {
        for file in $(ls -A /etc/cni/net.d 2>/dev/null); do
            case $file in *podman*|*nerdctl*) continue ;; esac
            # nerdctl has a folder for each of its namespaces
            [ -z "$(find "/etc/cni/net.d/$file" -mindepth 1 -name '*nerdctl*' 2>/dev/null)" ] || continue
            grep -qxF -- "$file" ${originalsNotes.cni} 2>/dev/null || rm -rf "/etc/cni/net.d/$file"
        done
    }
`;

/**
 * Shell: `remove_ipvs_services` deletes kube-proxy's virtual servers: those for addresses on its own interface, and
 * those for NodePorts. Without that interface, kube-proxy never ran in this mode.
 */
export const removeIpvsServices = sh`
    remove_ipvs_services() {
        command -v ipvsadm >/dev/null || return 0
        addresses=$(ip -o address show dev kube-ipvs0 2>/dev/null | awk '{ sub("/.*", "", $4); print $4 }') || return 0
        [ -n "$addresses" ] || return 0
        ipvsadm --save --numeric | while read -r what protocol service _; do
            [ "$what" = -A ] || continue
            address=$(printf '%s\\n' "\${service%:*}" | tr -d '[]')
            port=\${service##*:}
            if printf '%s\\n' "$addresses" | grep -qxF -- "$address" || { [ "$port" -ge 30000 ] && [ "$port" -le 32767 ]; }; then
                ipvsadm --delete-service "$protocol" "$service" || true
            fi
        done
    }
`;
