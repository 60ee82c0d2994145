#!/bin/sh
# print-machine-status.sh: prints a machine's facts as lines name=value.
# constants: ADMIN_CONFIG AUTHORITY_FILE FORMERS_FILE INIT_STARTED_FILE JOIN_STARTED_FILE KUBERNETES_FOLDER MEMBER_FILE ORIGINALS_FOLDER PKI_FOLDER PREPARED_FILE ROTATED_FILE

. shell/lib/usual-path.sh

. kubeadm/lib/api-ready.sh

. kubeadm/lib/member-since.sh

yes_if() { if "$@" >/dev/null 2>&1; then echo yes; else echo no; fi; }
ready() { [ -s "$ADMIN_CONFIG" ] && api_ready; }
prepared() { [ -d "$ORIGINALS_FOLDER" ] || [ -e "$PREPARED_FILE" ]; }
echo "isPrepared=$(yes_if prepared)"
echo "memberOf=$(cat "$MEMBER_FILE" 2>/dev/null || true)"
echo "memberSince=$(member_since)"
echo "initStarted=$(cat "$INIT_STARTED_FILE" 2>/dev/null || true)"
echo "joinStarted=$(cat "$JOIN_STARTED_FILE" 2>/dev/null || true)"
for file in "$AUTHORITY_FILE" "$PKI_FOLDER"/ca.crt; do
    if [ -s "$file" ]; then echo "authorityOf=$file $(base64 < "$file" | tr -d '\n')"; fi
done
api=$(yes_if ready)
echo "apiReady=$api"
# etcd's port for metrics answers also without a majority
without_leader() { curl -s --noproxy '*' -m 3 http://127.0.0.1:2381/metrics 2>/dev/null | grep -q '^etcd_server_has_leader 0$'; }
if [ "$api" = no ] && [ -e "$KUBERNETES_FOLDER"/manifests/etcd.yaml ] && without_leader; then echo "etcd=without-leader"; fi
if [ -s "$ROTATED_FILE" ]; then sed 's/^/rotated=/' "$ROTATED_FILE"; fi
if [ -s "$FORMERS_FILE" ]; then sed 's/^/former=/' "$FORMERS_FILE"; fi
# without them nobody ends its pods
states=$(timeout 3 systemctl is-active kubelet.service containerd.service 2>/dev/null || true)
if [ -s "$MEMBER_FILE" ] && printf '%s\n' "$states" | grep -qxE 'inactive|failed|activating'; then echo "services=stopped"; fi
