import { originalsNotes } from "../shell/originals";
import { sh } from "../shell/script";

/**
 * Shell: `unmount_pods` takes away what kubelet mounted for pods and plugins and kubeadm's reset left. In memory there is nothing to
 * lose, so such a mount goes although it is busy. Any other that is busy stays, and what is on it stays, too: a lazy unmount would hide
 * it. Mounts of others below /var/lib/kubelet are not touched.
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
 * Shell: `empty_folder` FOLDER deletes what is in it, but nothing that is mounted there: `find -xdev` goes on into a mount that comes from
 * the same file system, as those of local volumes do. Special signs in the names of mounts stand for any sign.
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

/** Shell: `remove_cni_configuration` takes away what came with the cluster: not what was there before us, nor of podman and nerdctl. */
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
 * Shell: `remove_ipvs_services` deletes the virtual servers of kube-proxy: those of the addresses on its own interface, and on the
 * ports that Services have on nodes. Without that interface kube-proxy was never in this mode.
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
