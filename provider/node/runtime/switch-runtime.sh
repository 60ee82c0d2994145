#!/bin/sh
# switch-runtime.sh: runs the staged containerd and runc of a bundle.
# inputs: FOLDER (they are there) PROGRAMS (names, separated by spaces)
# constants: FOREIGN_SOFTWARE PROGRAM_FOLDER

. shell/lib/usual-path.sh

. node/runtime/containerd-answers.sh

for name in $PROGRAMS; do
    ln -sfn "$FOLDER/$name" "/usr/local/bin/$name".new
    mv -T "/usr/local/bin/$name".new "/usr/local/bin/$name"
done
# containerd finds it before ours
front=/usr/local/sbin/runc
if [ -x "$front" ]; then
    theirs=$(timeout 10 "$front" --version 2>&1) || true
    ours=$("$FOLDER/runc" --version)
    case $theirs in *"$ours"*) ;; *)
        echo "$front stands before the bundle's runc and does not call /usr/local/bin/runc: $front --version says \"${theirs%%
*}\", the bundle's \"${ours%%
*}\". Take it away. The bundle's containerd was not started yet" >&2
        exit "$FOREIGN_SOFTWARE"
        ;;
    esac
fi
systemctl daemon-reload
systemctl enable -q --no-reload containerd.service
wanted=$(readlink -f "$FOLDER/containerd")
running() { readlink "/proc/$(systemctl show -p MainPID --value containerd.service)/exe" || true; }
# a run that was killed may have restarted it already
[ "$(running)" = "$wanted" ] || systemctl restart containerd.service || true
wait_for_containerd "as the bundle's"
program=$(running)
[ "$program" = "$wanted" ] || {
    echo "containerd.service runs ${program:-nothing}, not the bundle's containerd: take away the drop-in that says so (systemctl cat containerd.service shows it)" >&2
    exit "$FOREIGN_SOFTWARE"
}
for former in "$PROGRAM_FOLDER"/containerd/*; do [ "$former" = "$FOLDER" ] || rm -rf "$former"; done
