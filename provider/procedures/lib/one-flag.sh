#!/bin/sh
# one-flag.sh: has_one_flag COMPONENT FLAG VALUE: the manifest of a static pod has the flag once, with this value.
# constants: KUBERNETES_FOLDER

has_one_flag() {
    [ "$(grep -cE -e "^ *- [\"']?--$2=" "$KUBERNETES_FOLDER/manifests/$1.yaml" 2>/dev/null)" = 1 ] &&
        grep -qE -e "^ *- [\"']?--$2=$3[\"']?\$" "$KUBERNETES_FOLDER/manifests/$1.yaml"
}
