#!/bin/sh
# say-why.sh: say_why writes to stderr why nothing starts on this machine: the distinct errors of kubelet and containerd, newest first, shortened. The client that
# waits in vain only knows that nobody listens.

newest_errors() {
    journalctl -u kubelet.service -u containerd.service --since=-15min -n 2000 -r -o cat --no-pager 2>/dev/null | sed -n \
        -e '/^[EF][0-9]\{4\} /s/^[^]]*\] *//p' \
        -e '/ level=\(error\|fatal\|panic\) /s/^.* msg=//p' \
        -e '/^\(Error\|panic\|fatal error\):/p' -e '/^\(failed to\|containerd:\) /p'
}
# several layers repeat an error of each pod: its innermost text stays, without ids and growing pauses
innermost() {
    sed -e 's/.*desc = //' -e 's/^"[^"]*" err="//' -e 's/^".*" error="//' -e 's/\([^\\]\)" [A-Za-z]*=.*$/\1/' -e 's/\\*"/"/g' \
        -e 's/[0-9a-f]\{32,\}/.../g' -e 's/[0-9a-f]\{8\}\(-[0-9a-f]\{4\}\)\{3\}-[0-9a-f]\{12\}/.../g' -e 's/back-off [0-9msh.]* /back-off /' \
        -e 's/^["[:space:]]*//' -e 's/["[:space:]]*$//'
}
# Requests to the API, and a node that it does not know, only follow from an API server that does not run. A kubelet without settings was started before
# kubeadm wrote them. A registry may have /api/ further on in its addresses.
without_effects() { grep -Ev -e 'https://[^/ "]*/apis?/' -e 'nodes? "[^"]*" not found' -e '/var/lib/kubelet/config\.yaml.*no such file'; }
# the cause is the end of a chain of errors, and what failed its begin
shortened() { awk '{ n = length($0); print (n > 300 ? substr($0, 1, 100) " ... " substr($0, n - 194) : $0) }'; }
say_why() {
    why=$(newest_errors | innermost | without_effects | shortened | awk 'NF && !seen[$0]++' | head -n 6)
    if [ -n "$why" ]; then
        printf 'what kubelet and containerd say here, newest first:\n%s\n' "$why" >&2
    elif [ -z "$(ss -Hltn 'sport = :10248' 2>/dev/null)" ]; then
        echo "kubelet does not answer on this machine. Its last words:" >&2
        journalctl -u kubelet.service -n 8 --no-pager -o cat 2>/dev/null | cut -c 1-400 >&2 || true
    fi
}
