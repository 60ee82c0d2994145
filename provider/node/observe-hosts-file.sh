#!/bin/sh
# observe-hosts-file.sh: looks whether our block of /etc/hosts is as we wrote it.
# inputs: LINES

. shell/lib/observed.sh

seen=$(sed -n '/^# pulumi-nfv begin$/,/^# pulumi-nfv end$/p' /etc/hosts | sed '1d;$d')
[ "$seen" = "$LINES" ] || differs "our lines in /etc/hosts have changed"
