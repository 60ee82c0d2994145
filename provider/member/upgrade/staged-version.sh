#!/bin/sh
# staged-version.sh: where the programs of a version are. staged_program NAME prints the path of a program of $VERSION.
# From a bundle or packages it is in the folder of that version. Otherwise it is the machine's own program, which must have that version.
# link_version VERSION makes the links in /usr/local/bin lead to the staged programs of that version; without staged ones, or with those of packages, it does
# nothing.
# inputs: VERSION
# constants: PROGRAM_FOLDER VERSION_MISMATCH

staged_program() {
    if [ -x "$PROGRAM_FOLDER/kubernetes/$VERSION/$1" ]; then echo "$PROGRAM_FOLDER/kubernetes/$VERSION/$1"; return 0; fi
    case $1 in
        kubeadm) said=$(kubeadm version -o short 2>/dev/null) || said="not there" ;;
        *) said=$("$1" --version 2>/dev/null) || said="not there" ;;
    esac
    said=${said#Kubernetes }
    if [ "$said" != "v$VERSION" ]; then
        echo "v$VERSION is wanted, and $1 of this machine is $said; nothing was changed" >&2
        exit "$VERSION_MISMATCH"
    fi
    command -v "$1"
}
link_version() {
    [ ! -d "$PROGRAM_FOLDER/kubernetes/$1/packages" ] || return 0
    for program in "$PROGRAM_FOLDER/kubernetes/$1"/*; do
        [ -x "$program" ] || continue
        name=${program##*/}
        # a file of somebody else's stays; the cluster would run, but not as we think
        if [ -e "/usr/local/bin/$name" ] && [ ! -L "/usr/local/bin/$name" ]; then
            case $name in
                kube*)
                    echo "/usr/local/bin/$name is in the way: not a link of ours" >&2
                    exit "$VERSION_MISMATCH" ;;
                *) continue ;;
            esac
        fi
        ln -sfn "$program" "/usr/local/bin/.$name.new"
        mv -T "/usr/local/bin/.$name.new" "/usr/local/bin/$name"
    done
}
