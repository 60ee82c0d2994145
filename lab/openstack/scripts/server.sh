#!/bin/bash
# server.sh FOLDER: runs one server until it powers off; restarts it after a reboot, for which nspawn ends with 133.
# FOLDER has: server.env, disk (the root disk, see disks.py), guest, seed, volumes; and gets: mnt, boot, console.log.
set -u
folder=$1
# shellcheck disable=SC1091 # made at run time
. "$folder/server.env"
root=$folder/mnt
# shellcheck disable=SC2153 # NAME is in server.env
groups=$(sed "s|\$|/$NAME|" /cloud/etc/groups)

make_groups() {
    for group in $groups; do
        # cAdvisor waits three seconds for each pod cgroup of an earlier life before kubelet starts anything.
        [ -d "$group" ] && find "$group" -mindepth 1 -depth -type d -exec rmdir {} \; 2>/dev/null
        mkdir -p "$group"
        for file in memory.limit_in_bytes memory.max; do
            [ -e "$group/$file" ] && echo $((MEMORY_MB << 20)) >"$group/$file"
        done
        [ -e "$group/cpu.cfs_quota_us" ] && echo $((VCPUS * 100000)) >"$group/cpu.cfs_quota_us"
        [ -e "$group/cpu.max" ] && echo "$((VCPUS * 100000)) 100000" >"$group/cpu.max"
    done 2>/dev/null
}

remove_groups() {
    for group in $groups; do find "$group" -depth -type d -exec rmdir {} \; 2>/dev/null; done
}

# A namespace would keep addresses, rules and bridges over a reboot: its network cards move into a new one.
renew_network() {
    local old=$NAME-$boot
    boot=$((boot + 1))
    ip netns add "$NAME-$boot"
    ip -n "$NAME-$boot" link set lo up
    for card in $(ip -n "$old" -o link show type veth | sed -n 's/^[0-9]*: \(eth[0-9]*\)[@:].*/\1/p'); do
        ip -n "$old" link set "$card" netns "$NAME-$boot"
    done
    ip netns del "$old"
    echo "$boot" >"$folder/boot"
}

mount_root() {
    mountpoint -q "$root" && return
    mkdir -p "$root"
    mount -t overlay overlay "$root" \
        -o "lowerdir=$(cat "$folder/disk/layers"),upperdir=$(readlink -f "$folder/disk")/upper,workdir=$(readlink -f "$folder/disk")/work"
}

seed() {
    mkdir -p "$root/var/lib/cloud/seed"
    rm -rf "$root/var/lib/cloud/seed/config_drive"
    cp -r "$folder/seed" "$root/var/lib/cloud/seed/config_drive"
}

trap '' HUP
export SYSTEMD_NSPAWN_API_VFS_WRITABLE=network SYSTEMD_SECCOMP=0
# The newer system call for mounts takes at most 255 characters for the list of layers.
export LIBMOUNT_FORCE_MOUNT2=always
boot=$(cat "$folder/boot" 2>/dev/null || echo 0)
while :; do
    make_groups
    renew_network
    mount_root || break
    seed
    binds=()
    for name in containerd kubelet etcd; do binds+=("--bind=$folder/disk/$name:/var/lib/$name"); done
    : >"$folder/guest/disks"
    while read -r device loop id; do
        binds+=("--bind=$loop:/dev/$device")
        echo "$device virtio-$id" >>"$folder/guest/disks"
    done <"$folder/volumes"
    (
        for group in $groups; do echo "$BASHPID" >"$group/cgroup.procs"; done
        exec systemd-nspawn --quiet --boot --register=no --keep-unit --settings=no \
            --machine="$NAME" --hostname="$HOST_NAME" --directory="$root" --uuid="$UUID" \
            --network-namespace-path="/run/netns/$NAME-$boot" \
            --resolv-conf=off --timezone=off --link-journal=no --console=read-only \
            --capability=all --drop-capability=CAP_SYS_TIME,CAP_SYS_MODULE,CAP_SYS_RAWIO \
            --bind="$folder/guest:/run/nfv-lab" "${binds[@]}"
    ) </dev/null >>"$folder/console.log" 2>&1
    [ $? = 133 ] || break
done
umount -l "$root" 2>/dev/null
remove_groups
rm -f "$folder/pid"
