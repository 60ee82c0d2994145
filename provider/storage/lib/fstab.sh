#!/bin/sh
# fstab.sh: functions for our lines of /etc/fstab, which stand in a block of their own. Written beside the file, synced and renamed: a file that is half
# written would cost the next boot.
# our_mounts: prints our lines.
# other_mounts: prints all others. A line that somebody wrote into our block is his.
# write_mounts TEXT: makes TEXT our lines; without a text the block goes.
# add_mount LINE: adds a line if it is not there.
# constants: VOLUMES_FOLDER

# awk ends the last line, also where the file does not: our first line must not continue somebody's
fstab_lines() {
    [ -e /etc/fstab ] || return 0
    awk -v volumes="$VOLUMES_FOLDER/" -v wanted="$1" '
        $0 == "# pulumi-nfv storage begin" { inside = 1; next }
        $0 == "# pulumi-nfv storage end" { inside = 0; next }
        { ours = inside && (index($1, volumes) == 1 || index($2, volumes) == 1) }
        ours == wanted' /etc/fstab
}
our_mounts() { fstab_lines 1; }
other_mounts() { fstab_lines 0; }
write_mounts() {
    [ "$(our_mounts)" != "$1" ] || return 0
    touch /etc/fstab
    cp -p /etc/fstab /etc/fstab.nfv-new
    other_mounts > /etc/fstab.nfv-new
    if [ -n "$1" ]; then printf '# pulumi-nfv storage begin\n%s\n# pulumi-nfv storage end\n' "$1" >> /etc/fstab.nfv-new; fi
    sync -- /etc/fstab.nfv-new
    mv /etc/fstab.nfv-new /etc/fstab
    sync -- /etc
    systemctl daemon-reload
}
add_mount() {
    our_mounts | grep -qxF -- "$1" && return 0
    before=$(our_mounts)
    write_mounts "${before:+$before
}$1"
}
