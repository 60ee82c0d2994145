#!/bin/sh
# place-host-key.sh: sshd shows the key that lies beside its present one from the next connection on. Open sessions go on.
# inputs: HOST_KEY (path of the key in use; FILE.nfv-new is the one that comes) PUBLIC_KEY (of that one: "ssh-ed25519 AAAA…")
# constants: ROTATION_FAILED

. shell/lib/usual-path.sh

LC_ALL=C; export LC_ALL
new=$HOST_KEY.nfv-new
trap 'rm -f -- "$new" "$HOST_KEY.pub.nfv-new"' EXIT
fail() { echo "$*" >&2; exit "$ROTATION_FAILED"; }
# -C: some releases answer with a Match only for a connection
sshd -T -C user=root,host=localhost,addr=127.0.0.1,laddr=127.0.0.1,lport=22 | grep -qixF "hostkey $HOST_KEY" ||
    fail "sshd -T does not name $HOST_KEY: HostKey in its settings is yours"
if [ ! -f "$HOST_KEY" ] || [ -L "$HOST_KEY" ]; then fail "$HOST_KEY is no file"; fi
public() { ssh-keygen -y -P '' -f "$1" | cut -d ' ' -f 1,2; }
# before the key: a full disk shows here. Also beside a key that is there already: a machine may have stopped between both
rm -f -- "$HOST_KEY.pub.nfv-new"
if [ "$(cut -d ' ' -f 1,2 -- "$HOST_KEY.pub" 2>/dev/null)" != "$PUBLIC_KEY" ]; then
    printf '%s\n' "$PUBLIC_KEY" > "$HOST_KEY.pub.nfv-new"
    chmod 644 "$HOST_KEY.pub.nfv-new"
    sync -- "$HOST_KEY.pub.nfv-new"
fi
if [ "$(public "$HOST_KEY")" != "$PUBLIC_KEY" ]; then
    [ "$(public "$new")" = "$PUBLIC_KEY" ] || fail "$new is not the key that comes"
    # mode, owner and label as they were: some systems let a group read it
    chmod --reference="$HOST_KEY" -- "$new"
    chown --reference="$HOST_KEY" -- "$new"
    chcon --reference="$HOST_KEY" -- "$new" 2>/dev/null || :
    said=$(sshd -t -h "$new" 2>&1) || fail "sshd -t refuses its settings: $said"
    sync -- "$new"
    mv -fT -- "$new" "$HOST_KEY"
fi
if [ -e "$HOST_KEY.pub.nfv-new" ]; then mv -fT -- "$HOST_KEY.pub.nfv-new" "$HOST_KEY.pub"; fi
# the renaming, too: after a power failure the former key would be back, which the next run takes no more
sync -- "${HOST_KEY%/*}"
# Also where the key is there already: a run may have been killed before this. With a socket for each connection nothing runs that has to read it again.
for unit in ssh sshd; do
    if systemctl --quiet is-active "$unit.service" 2>/dev/null; then
        said=$(systemctl reload "$unit.service" 2>&1) || fail "$unit.service does not reload: $said"
        exit 0
    fi
done
if [ -s /run/sshd.pid ]; then kill -HUP "$(cat /run/sshd.pid)"; fi
