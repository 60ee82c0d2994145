#!/bin/sh
# rotate-service-account-key.sh: one stage of a rotation on this control-plane node. "known": tokens of the new key are accepted, too. "sign": the new key signs.
# "alone": no other one is accepted. Each ends when API server and controller manager use it, and does nothing where this node is at that stage or further.
# inputs: ADDRESS KEY_NAME STAGE FORMER_KEY (the only other one that stays when the new one gets known; empty: all stay)
# secrets: key public
# constants: ROTATION_FAILED

. shell/lib/usual-path.sh

. member/lib/own-api-server.sh

. member/lib/other-process.sh

. procedures/service-account-key/lib/service-account-keys.sh

. procedures/lib/started-since.sh

. member/lib/note-rotated.sh

refuse() { echo "$1" >&2; exit "$ROTATION_FAILED"; }
knows_new() { key_names "$SA_PUB" | grep -qxF -e "$KEY_NAME"; }
# the new one first: a snapshot of etcd goes by it
with_new() {
    # what signs here is accepted
    if [ "$(signing_key)" != "$FORMER_KEY" ]; then FORMER_KEY=; fi
    cat "$SECRETS/public"
    n=1
    while [ $n -le "$(key_count "$SA_PUB")" ]; do
        name=$(public_key "$SA_PUB" $n | name_of_public_key)
        if [ "$name" != "$KEY_NAME" ] && [ "${FORMER_KEY:-$name}" = "$name" ]; then public_key "$SA_PUB" $n; fi
        n=$((n + 1))
    done
}
keys_are_ours || refuse "API server or controller manager here use other files of keys than $SA_PUB and $SA_KEY"
[ "$STAGE" = known ] || knows_new || refuse "this machine does not accept tokens of the new key yet"
[ "$STAGE" != alone ] || [ "$(signing_key)" = "$KEY_NAME" ] || refuse "this machine signs with another key than the new one"
if [ "$STAGE" = alone ]; then note_rotated service-account; fi
case $STAGE in
    known) if ! knows_new; then with_new | replace_file "$SA_PUB" 644; fi ;;
    sign) if [ "$(signing_key)" != "$KEY_NAME" ]; then replace_file "$SA_KEY" 600 < "$SECRETS/key"; fi ;;
    alone) if [ "$(key_names "$SA_PUB")" != "$KEY_NAME" ]; then replace_file "$SA_PUB" 644 < "$SECRETS/public"; fi ;;
    *) refuse "there is no stage $STAGE" ;;
esac

# COMPONENT FILES. The keys are read once, at the start
restart() {
    if has_read "$1" "$2"; then return 0; fi
    process=$(process_of "$1")
    echo "$1 restarts with the changed key"
    # what starts in the same second as the file came cannot be told from what was there before
    sleep 2
    [ -z "$process" ] || kill -TERM "$process" || true
    other_process "$1" "$process"
    waited=0
    until has_read "$1" "$2"; do
        if [ $waited -ge 180 ]; then refuse "$1 did not restart, and may not know the changed key yet: restart it, then run pulumi up again"; fi
        waited=$((waited + 1))
        sleep 1
    done
}
restart kube-apiserver "$SA_PUB $SA_KEY"
wait_for_own_api_server
restart kube-controller-manager "$SA_KEY"
# the load balancers send requests here again before the next one
sleep 5
echo "signs with $(signing_key), accepts: $(key_names "$SA_PUB" | tr '\n' ' ')"
