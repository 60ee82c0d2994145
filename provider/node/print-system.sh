#!/bin/sh
# print-system.sh: prints what this machine is, as lines name=value. It changes nothing.
# inputs: ADDRESS (of the node) PORTS (that the node will listen on, separated by spaces)
# inputs: RESOLV_CONF (kubelet's file of name servers; empty: the one that kubeadm takes)

. shell/lib/usual-path.sh

echo "time=$(date +%s)"
echo "system=$(sed -n 's/^PRETTY_NAME="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' /etc/os-release 2>/dev/null || uname -s)"
echo "machine=$(uname -m)"
echo "kernel=$(uname -r)"
echo "init=$(cat /proc/1/comm 2>/dev/null || true)"
echo "cgroups=$(stat -fc %T /sys/fs/cgroup 2>/dev/null || true)"
if command -v containerd >/dev/null; then echo "containerd=$(containerd --version 2>/dev/null || true)"; fi
for program in apt-get dnf flock timeout; do
    if command -v $program >/dev/null; then echo "program=$program"; fi
done
# images need the most room, and may have a disk of their own
folder=/var/lib/containerd
[ -d $folder ] || folder=/var/lib
echo "freeMiB=$(df -Pk $folder | awk 'END { print int($4 / 1024) }')"
if [ -n "$(ip -o address show to "$ADDRESS" 2>/dev/null || true)" ]; then echo "hasAddress=yes"; fi
resolved=/run/systemd/resolve/resolv.conf
file=$RESOLV_CONF
# as kubeadm chooses it
[ -n "$file" ] || if systemctl -q is-active systemd-resolved.service 2>/dev/null && [ -e $resolved ]; then file=$resolved; else file=/etc/resolv.conf; fi
echo "resolvConf=$file"
if [ ! -r "$file" ]; then echo "resolvConfMissing=yes"; else awk '$1 == "nameserver" { print "nameserver=" $2 }' "$file"; fi
if command -v ss >/dev/null; then
    for port in $PORTS; do
        ss -Hltnp "sport = :$port" 2>/dev/null | head -n 1 | awk -v port="$port" '{
            name = match($0, /\(\("[^"]+"/) ? substr($0, RSTART + 3, RLENGTH - 4) : "another process"
            print "port=" port " " name }'
    done
fi
