#!/bin/sh
# refuse-member.sh: refuse_member ends the script if another run has joined the machine since this run looked: it has left, as far as the run knows, and is
# a member again; or it is a member by another join than then. It is called under the lease, right before the first change.
# inputs: LEFT (yes: it has left) MEMBER_SINCE (what member-since.sh printed; empty: not asked)
# constants: MEMBER_FILE NODE_BUSY

. kubeadm/lib/member-since.sh

refuse_member() {
    if [ "${LEFT:-}" = yes ] && [ -s "$MEMBER_FILE" ]; then
        echo "it left, and is a member again: another run has joined it; it was not reset" >&2
        exit "$NODE_BUSY"
    fi
    if [ -n "${MEMBER_SINCE:-}" ] && [ "$(member_since)" != "$MEMBER_SINCE" ]; then
        echo "another run has joined it meanwhile; it was not reset" >&2
        exit "$NODE_BUSY"
    fi
}
