#!/bin/sh
# place-api-server-files.sh: restarts the API server if its audit policy changed, and waits for it.
# inputs: AUDIT (empty: none)
# constants: API_SERVER_FOLDER AUDIT_LOG_FOLDER AUDIT_POLICY_FILE MEMBER_FILE

. shell/lib/usual-path.sh

. kubeadm/lib/own-api-server.sh

. kubeadm/lib/former-kubelet.sh

. kubeadm/lib/other-process.sh

repair_kubelet
install -d -m 700 "$API_SERVER_FOLDER" "$AUDIT_LOG_FOLDER"
noted=$API_SERVER_FOLDER/.audit-policy.sum proven=$API_SERVER_FOLDER/.audit-policy.proven
sum=
[ -z "$AUDIT" ] || sum=$(sha256sum < "$AUDIT_POLICY_FILE")
known=$(cat "$noted" 2>/dev/null || true)
is_proven=
if [ -n "$known" ] && [ "$known" != "$sum" ]; then
    # no sum, so the next run waits too, also with the former policy
    echo restarting > "$noted"
    process=$(process_of kube-apiserver)
    if [ -n "$process" ]; then
        kill -TERM "$process" || true
        other_process kube-apiserver "$process"
    fi
    # before it is a member, init or join wait themselves
    if [ -s "$MEMBER_FILE" ] && ! (wait_for_own_api_server); then
        echo "the API server does not start with this audit policy (controlPlane.audit.policy): the other masters keep theirs" >&2
        if [ -n "$AUDIT" ] && [ -s "$proven" ]; then
            cat "$proven" > "$AUDIT_POLICY_FILE"
            sync -- "$AUDIT_POLICY_FILE"
            # it would wait up to five minutes before it starts again what ended often
            systemctl restart kubelet.service
            (wait_for_own_api_server)
            sha256sum < "$AUDIT_POLICY_FILE" > "$noted"
            echo "the former one is back here" >&2
        fi
        exit 1
    fi
    is_proven=yes
fi
# one that is there before init and join is proven by them
if [ -n "$AUDIT" ] && { [ -n "$is_proven" ] || [ "$known" = "$sum" ] || [ ! -s "$MEMBER_FILE" ]; }; then
    cp "$AUDIT_POLICY_FILE" "$proven".new
    sync -- "$proven".new
    mv "$proven".new "$proven"
fi
printf '%s\n' "$sum" > "$noted"
