#!/bin/sh
# remove-cni-configuration.sh: remove_cni_configuration deletes the cluster's CNI configuration, and notes the plugins that it used.
# What existed before us or belongs to podman and nerdctl stays.
# constants: CLUSTER_PLUGINS_FILE ORIGINAL_CNI_FILE

. kubeadm/lib/of-podman.sh

remove_cni_configuration() {
    mkdir -p "${CLUSTER_PLUGINS_FILE%/*}"
    touch "$CLUSTER_PLUGINS_FILE"
    # shellcheck disable=SC2045 # names without spaces, also hidden ones
    for file in $(ls -A /etc/cni/net.d 2>/dev/null); do
        if is_of_podman "$file"; then continue; fi
        if [ -e "$ORIGINAL_CNI_FILE" ]; then
            if grep -qxF -- "$file" "$ORIGINAL_CNI_FILE"; then continue; fi
        elif ! grep -rqE '"name" *: *"podnet"|"type" *: *"flannel"' "/etc/cni/net.d/$file"; then
            echo "stays: /etc/cni/net.d/$file: our notes of what was there before us are lost"
            continue
        fi
        { grep -rohE '"type" *: *"[^"/]+"' "/etc/cni/net.d/$file" 2>/dev/null || true; } | sed 's/.*"\([^"]*\)"$/\1/' >> "$CLUSTER_PLUGINS_FILE"
        rm -rf "/etc/cni/net.d/$file"
    done
}
