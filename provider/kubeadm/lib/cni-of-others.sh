#!/bin/sh
# cni-of-others.sh: deletes what CNI plugins keep for the cluster, and nothing of podman's and nerdctl's networks.
# Containers of podman and nerdctl keep running, so their networks' leases, NAT rules and ports must stay. A network belongs to
# others if its configuration still exists; a rule belongs to the network that its comment names.
# others_networks prints the names of these networks; remove_cni_state NAMES deletes the state of all others;
# is_bridge_of_others LINK tells whether one of these networks has it as its bridge: cni0 is the plugin's own default name;
# without_cluster_rules NAMES filters the cluster's rules out of the output of iptables-save.

others_networks() {
    { find /etc/cni/net.d -maxdepth 2 -type f -exec grep -ohE '"name" *: *"[^"]+"' {} + 2>/dev/null || true; } |
        sed 's/.*"\([^"]*\)"$/\1/' | sort -u | tr '\n' ' '
}
# without a port nobody uses it, and its plugin makes it again; the cluster's own network has it while its configuration stays
is_bridge_of_others() {
    [ -n "$(ls "/sys/class/net/$1/brif" 2>/dev/null)" ] || return 1
    files=$(grep -rlE "\"bridge\" *: *\"$1\"" /etc/cni/net.d 2>/dev/null || true)
    # shellcheck disable=SC2086 # names without spaces
    [ -n "$files" ] && [ -n "$(grep -LE '"name" *: *"podnet"' $files || true)" ]
}
remove_cni_state() {
    if [ -z "$1" ]; then
        rm -rf /var/lib/cni
        return 0
    fi
    for entry in /var/lib/cni/* /var/lib/cni/networks/* /var/lib/cni/results/*; do
        name=${entry##*/}
        case $entry in /var/lib/cni/networks | /var/lib/cni/results) continue ;; esac
        for other in $1; do
            case $name in "$other" | "$other"-*) continue 2 ;; esac
        done
        rm -rf "$entry"
    done
}
without_cluster_rules() {
    awk -v others="$1" '
        function is_named(text, i) {
            gsub(/[\\"]/, "", text)
            for (i = 1; i <= count; i++) if (index(text " ", "name: " names[i] " ")) return 1
            return 0
        }
        # chains that all networks share, and the chains to which their own rules lead
        function is_theirs(text, words, chain) {
            if (count == 0) return 0
            split(text, words, " ")
            chain = words[1] == "-A" ? words[2] : substr(words[1], 2)
            return chain in chains || text ~ /CNI-(HOSTPORT|FORWARD|ADMIN|ISOLATION)/ && text !~ /name: /
        }
        BEGIN { count = split(others, names, " ") }
        { lines[NR] = $0 }
        /CNI-/ && is_named($0) {
            kept[NR] = 1
            for (field = 1; field < NF; field++)
                if ($field == "-j" && $(field + 1) ~ /^CNI-/) chains[$(field + 1)] = 1
        }
        END {
            for (line = 1; line <= NR; line++) {
                if (lines[line] ~ /KUBE-|podnet|FLANNEL|-flannel|[ :"]cali[-:]|CILIUM_|WEAVE/) continue
                if (lines[line] ~ /CNI-/ && !(line in kept) && !is_theirs(lines[line])) continue
                print lines[line]
            }
        }'
}
