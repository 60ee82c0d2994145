#!/bin/sh
# move-node-endpoint.sh: moves a node to the new endpoint.
# inputs: URL NAME ADDRESS
# constants: APPLIED_FOLDER KUBECONFIGS KUBELET_CONFIG MOVED_FILE RESTART_FILE

. shell/lib/usual-path.sh

. procedures/endpoint/lib/answers-at.sh

. member/lib/other-process.sh

. member/lib/say-why.sh

config="$KUBELET_CONFIG"
answers_at "$URL"
mkdir -p "$APPLIED_FOLDER"
for file in $KUBECONFIGS; do
    [ -s "$file" ] || continue
    server=$(sed -n 's/^ *server: *//p' "$file" | head -n 1)
    case $server in "$URL" | "https://$ADDRESS:6443") continue ;; esac
    cp -p "$file" "$file.new"
    sed "s|^\( *server: \).*|\1$URL|" "$file" > "$file.new"
    sync -- "$file.new"
    # noted before: from here on, whatever starts the program gives it the new endpoint
    case $file in
        "$KUBELET_CONFIG") rm -f "$MOVED_FILE" ;;
        */controller-manager.conf) echo controller-manager >> "$RESTART_FILE" ;;
        */scheduler.conf) echo scheduler >> "$RESTART_FILE" ;;
    esac
    sync -- "$APPLIED_FOLDER"
    mv "$file.new" "$file"
done
for name in $(sort -u "$RESTART_FILE" 2>/dev/null || true); do
    # kubelet starts them again
    process=$(process_of "kube-$name")
    [ -z "$process" ] || kill -TERM "$process" || true
done
rm -f "$RESTART_FILE"
[ "$(sed -n 's/^ *server: *//p' "$KUBELET_CONFIG" | head -n 1)" = "$URL" ] || exit 0
# also where a run ended between the file and the start
[ "$(cat "$MOVED_FILE" 2>/dev/null || true)" != "$URL" ] || exit 0
systemctl stop kubelet.service
# leases of the former kubelet are older than this
sleep 1
since=$(date -u +%Y-%m-%dT%H:%M:%S)
systemctl start kubelet.service
k() { kubectl --kubeconfig "$config" --request-timeout=5s "$@" 2>/dev/null || true; }
is_back() {
    # shellcheck disable=SC2153 # an input
    renewed=$(k -n kube-node-lease get lease "$NAME" -o 'jsonpath={.spec.renewTime}')
    [ "$(printf '%s\n%s\n' "$since" "$renewed" | LC_ALL=C sort | tail -n 1)" = "$renewed" ] || return 1
    [ "$(k get node "$NAME" -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}')" = True ]
}
tries=0
until is_back; do
    tries=$((tries + 1))
    if [ $tries -ge 120 ]; then
        echo "kubelet did not come back through $URL:" >&2
        say_why
        exit 1
    fi
    sleep 1
done
printf '%s\n' "$URL" > "$MOVED_FILE"
