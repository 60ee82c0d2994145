#!/bin/sh
# switch-version.sh: makes the node use the staged version of Kubernetes.
# inputs: VERSION
# constants: MEMBER_FILE PROGRAM_FOLDER VERSION_MISMATCH

. shell/lib/usual-path.sh

seen=
[ ! -s "$MEMBER_FILE" ] || seen=$(kubelet --version 2>/dev/null || true)
if [ -n "$seen" ] && [ "$seen" != "Kubernetes v$VERSION" ]; then
    echo "upgrades are not there yet: this member has $seen, v$VERSION is asked for; nothing was touched" >&2
    exit "$VERSION_MISMATCH"
fi
staged="$PROGRAM_FOLDER/kubernetes/$VERSION"
if [ -x "$staged/kubeadm" ]; then
    for program in "$staged"/*; do
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
fi
seen=$(kubelet --version)
if [ "$seen" != "Kubernetes v$VERSION" ]; then
    echo "wanted v$VERSION, but kubelet says: $seen" >&2
    exit "$VERSION_MISMATCH"
fi
