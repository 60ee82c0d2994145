#!/bin/sh
# rotate-encryption-key.sh: one stage of a rotation on this control-plane node. "read": the new key is known, others still encrypt. "write": it encrypts, the
# others are known. "alone": it is the only one. Each ends when the API server uses it, and does nothing where this node is at that stage or further.
# inputs: ADDRESS KEY_NAME STAGE
# inputs: WAITS ("": it ends when the keys are in their file)
# secrets: key
# constants: ADMIN_CONFIG API_SERVER_MANIFEST ROTATION_FAILED

. shell/lib/usual-path.sh

. member/lib/own-api-server.sh

. member/lib/other-process.sh

. procedures/encryption-key/lib/encryption-keys.sh

. procedures/lib/started-since.sh

. member/lib/note-rotated.sh

refuse() { echo "$1" >&2; exit "$ROTATION_FAILED"; }
new_key() { printf '%s %s\n' "$KEY_NAME" "$(cat "$SECRETS/key")"; }
has_new() { value_of name | grep -qxF -e "$KEY_NAME"; }
wanted() {
    case $STAGE in
        read) encryption_keys; if ! has_new; then new_key; fi ;;
        write) new_key; encryption_keys | grep -v "^$KEY_NAME " || true ;;
        alone) new_key ;;
        *) refuse "there is no stage $STAGE" ;;
    esac
}
settings_are_ours || refuse "the API server here does not use $ENCRYPTION_FILE as pulumi-nfv writes it"
# none may encrypt with a key that another one cannot read yet
[ "$STAGE" = read ] || has_new || refuse "this machine does not know the new key"
if [ "$STAGE" = alone ]; then note_rotated encryption; fi
after=$(wanted)
if [ "$after" != "$(encryption_keys)" ]; then printf '%s\n' "$after" | write_encryption_keys; fi
[ -n "$WAITS" ] || exit 0

# when it came to its place: a copy may be dated back
changed=$(stat -c %.Z "$ENCRYPTION_FILE")
# RESULT: success or failure; the API server looks at the file once a minute. Since Kubernetes 1.35.5 the certificate of api_curl may not read metrics.
reloaded_with() {
    kubectl --kubeconfig "$ADMIN_CONFIG" --server "https://$ADDRESS:6443" --request-timeout=30s get --raw /metrics 2>/dev/null | awk -v since="$changed" -v status="status=\"$1\"" '
        index($1, "apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds{") == 1 && index($1, status) && $2 + 0 > since + 0 { found = 1 }
        END { exit !found }'
}
uses_it() {
    if has_read kube-apiserver "$ENCRYPTION_FILE"; then api_ready; else reloaded_with success; fi
}
reloads() { grep -qF -e '--encryption-provider-config-automatic-reload=true' "$API_SERVER_MANIFEST"; }
waited=0
while ! uses_it; do
    if reloads && reloaded_with failure; then refuse "the API server does not accept the changed settings, and goes on with the former ones"; fi
    if ! reloads || [ $waited -ge 180 ]; then
        echo "the API server restarts with the changed keys"
        process=$(process_of kube-apiserver)
        [ -z "$process" ] || kill -TERM "$process" || true
        other_process kube-apiserver "$process"
        wait_for_own_api_server
        now=$(process_of kube-apiserver)
        if [ -z "$now" ] || [ "$now" = "$process" ]; then refuse "the API server did not restart, and may not know the changed keys yet: restart it, then run pulumi up again"; fi
        # the load balancers send requests here again before the next one
        sleep 5
        break
    fi
    waited=$((waited + 5))
    sleep 5
done
echo "the API server uses the keys: $(value_of name | tr '\n' ' ')"
