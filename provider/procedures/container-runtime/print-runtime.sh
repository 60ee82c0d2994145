#!/bin/sh
# print-runtime.sh: prints how far a restart of the container runtime is on this machine, its version, since when it runs, and the machine's boot. It changes nothing.
# constants: REQUEST_NOTES

. shell/lib/usual-path.sh

. member/request-note.sh

echo "note=$(cat "$REQUEST_NOTES/container-runtime" 2>/dev/null || true)"
echo "boot=$(boot_id)"
# the client says its own version first, also where nobody answers
echo "version=$(timeout 5 ctr version 2>/dev/null | sed -n '/^Server:/,$ s/^ *Version: *v\{0,1\}//p')"
# date knows few names of time zones
since=$(TZ=UTC systemctl show -p ActiveEnterTimestamp --value containerd.service)
echo "since=$([ -z "$since" ] || date -u -d "$since" +%FT%H:%MZ)"
