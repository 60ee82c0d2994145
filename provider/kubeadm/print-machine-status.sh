#!/bin/sh
# print-machine-status.sh: prints a machine's facts as lines name=value.
# constants: ADMIN_CONFIG AUTHORITY_FILE FORMERS_FILE INIT_STARTED_FILE JOIN_STARTED_FILE MEMBER_FILE ORIGINALS_FOLDER PKI_FOLDER PREPARED_FILE

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
echo "apiReady=$(yes_if ready)"
if [ -s "$FORMERS_FILE" ]; then sed 's/^/former=/' "$FORMERS_FILE"; fi
