#!/bin/sh
# refuse-member.sh: refuse_member ends the script if the machine has left its cluster, as far as the run knows, and is a member again. It is called under
# the lease, right before the first change.
# inputs: LEFT (yes: it has left)
# constants: MEMBER_FILE NODE_BUSY

refuse_member() {
    if [ "${LEFT:-}" != yes ] || [ ! -s "$MEMBER_FILE" ]; then return 0; fi
    echo "it left, and is a member again: another run has joined it; it was not reset" >&2
    exit "$NODE_BUSY"
}
