#!/bin/sh
# print-restore-state.sh: prints what a restore needs to know of this machine, as lines name=value.
# constants: ETCD_ASIDE ETCD_DATA KUBERNETES_FOLDER MEMBER_FILE PKI_FOLDER RESTORED_NOTE

. shell/lib/usual-path.sh

. member/lib/etcd-over-http.sh

work=$ETCD_DATA/pulumi-nfv-restore
peer=$(etcd_flag initial-advertise-peer-urls)
stage_of_restore() {
    if [ ! -e "$work/note" ]; then return; fi
    if [ -e "$work/exchanged" ]; then echo exchanged; return; fi
    # whatever is aside does not run
    if [ -n "$(ls "${ETCD_ASIDE%/*}" 2> /dev/null)" ]; then echo stopped; else echo prepared; fi
}
echo "member=$(cat "$MEMBER_FILE" 2> /dev/null || true)"
echo "name=$(etcd_flag name)"
echo "peer=$peer"
echo "folder=$(etcd_flag data-dir)"
said=$(etcd_http -d '{}' https://127.0.0.1:2379/v3/maintenance/status || true)
echo "revision=$(printf '%s\n' "$said" | sed -n 's/.*"revision":"\([0-9]*\)".*/\1/p')"
if etcd_is_healthy; then echo healthy=yes; fi
# it says this also without a majority
echo "etcd=$(etcd_http -o /dev/null -D - "$peer/members" | tr -d '\r' | sed -n 's/^[Xx]-[Ee]tcd-[Cc]luster-[Ii][Dd]: *//p' || true)"
echo "members=$(etcd_members | members_in | cut -d ' ' -f 2 | tr '\n' ' ' || true)"
echo "begun=$(cat "$work/note" 2> /dev/null || true)"
echo "stage=$(stage_of_restore)"
echo "plan=$(cat "$work/plan" 2> /dev/null || true)"
sed 's/^/done=/' "$RESTORED_NOTE" 2> /dev/null || true
