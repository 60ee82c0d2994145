#!/bin/sh
# switch-version.sh: makes the node use the staged version of Kubernetes.
# inputs: VERSION
# constants: MEMBER_FILE PROGRAM_FOLDER VERSION_MISMATCH

. shell/lib/usual-path.sh

. member/upgrade/staged-version.sh

# a member has moved before this step (upgrade/): here its version is only proven
seen=
[ ! -s "$MEMBER_FILE" ] || seen=$(kubelet --version 2>/dev/null || true)
if [ -n "$seen" ] && [ "$seen" != "Kubernetes v$VERSION" ]; then
    echo "this member has $seen, v$VERSION is asked for: it did not move before; nothing was touched" >&2
    exit "$VERSION_MISMATCH"
fi
link_version "$VERSION"
seen=$(kubelet --version)
if [ "$seen" != "Kubernetes v$VERSION" ]; then
    echo "wanted v$VERSION, but kubelet says: $seen" >&2
    exit "$VERSION_MISMATCH"
fi
