#!/bin/sh
# remove-cni-configuration.sh: remove_cni_configuration deletes the cluster's CNI configuration, and notes the plugins that it used.
# What existed before us or belongs to podman and nerdctl stays. `podman network create shop` writes shop.conflist, so names do not tell.
# constants: CLUSTER_PLUGINS_FILE ORIGINAL_CNI_FILE

remove_cni_configuration() {
    mkdir -p "${CLUSTER_PLUGINS_FILE%/*}"
    touch "$CLUSTER_PLUGINS_FILE"
    # shellcheck disable=SC2045 # names without spaces, also hidden ones
    for file in $(ls -A /etc/cni/net.d 2>/dev/null); do
        case $file in *podman*|*nerdctl*) continue ;; esac
        # nerdctl has a folder for each of its namespaces
        [ -z "$(find "/etc/cni/net.d/$file" -mindepth 1 -name '*nerdctl*' 2>/dev/null)" ] || continue
        if grep -rqE 'cni-podman|podman_labels|nerdctl(ID|Labels|/)' "/etc/cni/net.d/$file" 2>/dev/null; then continue; fi
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
