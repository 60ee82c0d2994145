#!/bin/sh
# print-own-addresses.sh: prints the addresses that this machine has itself, one a line.

. shell/lib/usual-path.sh

ip -o addr show | awk '{ sub("/.*", "", $4); print $4 }'
