#!/bin/sh
# place-api-server-files.sh: restarts the API server if its audit policy changed, and waits for it.
# inputs: AUDIT (empty: none)
# constants: API_SERVER_FOLDER AUDIT_LOG_FOLDER AUDIT_POLICY_FILE MEMBER_FILE

. shell/lib/usual-path.sh

. kubeadm/lib/own-api-server.sh

. kubeadm/lib/other-process.sh

install -d -m 700 "$API_SERVER_FOLDER" "$AUDIT_LOG_FOLDER"
sum=
[ -z "$AUDIT" ] || sum=$(sha256sum < "$AUDIT_POLICY_FILE")
known=$(cat "$API_SERVER_FOLDER"/.audit-policy.sum 2>/dev/null || true)
if [ -n "$known" ] && [ "$known" != "$sum" ]; then
    process=$(process_of kube-apiserver)
    if [ -n "$process" ]; then
        kill -TERM "$process" || true
        other_process kube-apiserver "$process"
    fi
    # before it is a member, init or join wait themselves
    if [ -s "$MEMBER_FILE" ] && ! (wait_for_own_api_server); then
        echo "the API server does not start with this audit policy (controlPlane.audit.policy): the other masters keep theirs" >&2
        exit 1
    fi
fi
printf '%s\n' "$sum" > "$API_SERVER_FOLDER"/.audit-policy.sum
