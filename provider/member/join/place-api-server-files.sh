#!/bin/sh
# place-api-server-files.sh: restarts the API server if its audit policy changed, and waits for it. Where audit is turned on or off, the step
# of the control plane's settings restarts it.
# inputs: AUDIT (empty: none)
# constants: API_SERVER_FOLDER AUDIT_LOG_FOLDER AUDIT_POLICY_FILE MEMBER_FILE

. shell/lib/usual-path.sh

. member/lib/own-api-server.sh

. member/lib/former-kubelet.sh

. member/lib/other-process.sh

. member/join/lib/audit-policy.sh

repair_kubelet_of_master
install -d -m 700 "$API_SERVER_FOLDER" "$AUDIT_LOG_FOLDER"
noted=$API_SERVER_FOLDER/.audit-policy.sum
sum=
[ -z "$AUDIT" ] || sum=$(sha256sum < "$AUDIT_POLICY_FILE")
known=$(cat "$noted" 2>/dev/null || true)
if [ -n "$AUDIT" ] && [ -e "$noted" ] && [ "$known" != "$sum" ] && api_server_audits; then
    # no sum, so the next run waits too, also with the former policy
    echo restarting > "$noted"
    process=$(process_of kube-apiserver)
    if [ -n "$process" ]; then
        kill -TERM "$process" || true
        other_process kube-apiserver "$process"
    elif api_ready; then
        echo "the API server runs, but none of the processes has the --advertise-address of its manifest: it cannot be restarted" >&2
        exit 1
    elif [ -s "$MEMBER_FILE" ]; then
        # it may have ended often with a former policy: kubelet would wait up to five minutes before it starts it again
        systemctl restart kubelet.service
    fi
    # before it is a member, init or join wait themselves
    if [ -s "$MEMBER_FILE" ] && ! (wait_for_own_api_server); then
        echo "the API server does not start with this audit policy (controlPlane.audit.policy): the other masters keep theirs" >&2
        if [ -s "$proven" ]; then
            restore_policy
            systemctl restart kubelet.service
            (wait_for_own_api_server)
            sha256sum < "$AUDIT_POLICY_FILE" > "$noted"
            echo "the former one is back here" >&2
        fi
        exit 1
    fi
    known=$sum
fi
# one that is there before init and join is proven by them
if [ -n "$AUDIT" ] && { [ ! -s "$MEMBER_FILE" ] || { [ "$known" = "$sum" ] && api_server_audits; }; }; then keep_policy; fi
printf '%s\n' "$sum" > "$noted"
