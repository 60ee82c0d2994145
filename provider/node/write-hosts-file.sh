#!/bin/sh
# write-hosts-file.sh: writes a block of our own into /etc/hosts and leaves the rest of the file as it is.
# inputs: LINES

rest=$(sed '/^# pulumi-nfv begin$/,/^# pulumi-nfv end$/d' /etc/hosts)
# written in place: /etc/hosts may be a mount, which cannot be renamed over
printf '%s\n# pulumi-nfv begin\n%s\n# pulumi-nfv end\n' "$rest" "$LINES" > /etc/hosts
