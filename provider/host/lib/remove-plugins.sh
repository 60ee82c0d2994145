#!/bin/sh
# remove-plugins.sh: remove_plugins deletes the network plugins that came with us: those of the bundle, our links, and those that the cluster's CNI
# configuration named, because pods of the pod network copy them there. What existed before us, what a package owns and what others added stays.
# constants: CLUSTER_PLUGINS_FILE ORIGINAL_PLUGINS_FILE STAGED_PLUGINS_FILE
# shellcheck disable=SC2045 # names without spaces

of_a_package() {
    if command -v dpkg-query >/dev/null; then dpkg-query -S "$1" >/dev/null 2>&1
    elif command -v rpm >/dev/null; then rpm -q --quiet -f "$1"
    else return 1
    fi
}
remove_plugins() {
    [ -e "$ORIGINAL_PLUGINS_FILE" ] || return 0
    for plugin in $(ls /opt/cni/bin 2>/dev/null); do
        path=/opt/cni/bin/$plugin
        if grep -qxF -- "$plugin" "$ORIGINAL_PLUGINS_FILE" || of_a_package "$path"; then continue; fi
        case $(readlink "$path" || true) in /usr/lib/cni/* | /usr/libexec/cni/*) rm -f "$path"; continue ;; esac
        if cat "$CLUSTER_PLUGINS_FILE" "$STAGED_PLUGINS_FILE" 2>/dev/null | grep -qxF -- "$plugin"; then
            rm -f "$path"
        else
            echo "stays: $path: it came later, from neither the bundle nor the cluster's network"
        fi
    done
}
