#!/bin/sh
# remove-cni-configuration.sh: remove_cni_configuration deletes the cluster's CNI configuration.
# What existed before us or belongs to podman and nerdctl stays.
# constants: ORIGINAL_CNI_FILE

remove_cni_configuration() {
    # shellcheck disable=SC2045 # names without spaces, also hidden ones
    for file in $(ls -A /etc/cni/net.d 2>/dev/null); do
        case $file in *podman*|*nerdctl*) continue ;; esac
        # nerdctl has a folder for each of its namespaces
        [ -z "$(find "/etc/cni/net.d/$file" -mindepth 1 -name '*nerdctl*' 2>/dev/null)" ] || continue
        grep -qxF -- "$file" "$ORIGINAL_CNI_FILE" 2>/dev/null || rm -rf "/etc/cni/net.d/$file"
    done
}
