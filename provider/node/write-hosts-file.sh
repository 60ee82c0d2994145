#!/bin/sh
# write-hosts-file.sh: writes a block of our own into /etc/hosts and leaves the rest of the file as it is.
# inputs: LINES

. shell/lib/change-file.sh

with_our_names() {
    without_block '# pulumi-nfv begin' '# pulumi-nfv end'
    printf '# pulumi-nfv begin\n%s\n# pulumi-nfv end\n' "$LINES"
}
[ -e /etc/hosts ] || { : > /etc/hosts; chmod 644 /etc/hosts; }
change_file /etc/hosts with_our_names
