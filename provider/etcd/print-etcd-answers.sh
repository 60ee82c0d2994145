#!/bin/sh
# print-etcd-answers.sh: prints how other members of etcd answer this machine: lines "URL healthy", "URL runs" (without a majority) or "URL silent".
# inputs: MEMBERS (lines "PEER-URL CLIENT-URL")
# constants: ETCD_ASIDE KUBERNETES_FOLDER PKI_FOLDER

. shell/lib/usual-path.sh

. member/lib/etcd-over-http.sh

answer_of() {
    answer=silent
    for _ in 1 2; do
        case $(etcd_http "$2/health") in *'"health":"true"'*) echo healthy; return 0 ;; esac
        code=0
        etcd_http -o /dev/null "$1/version" || code=$?
        # no connection, or no answer in time
        case $code in 7 | 28) ;; *) answer=runs ;; esac
    done
    echo "$answer"
}
printf '%s\n' "$MEMBERS" | while read -r peer client; do
    [ -z "$peer" ] || echo "$peer $(answer_of "$peer" "$client" </dev/null)"
done
