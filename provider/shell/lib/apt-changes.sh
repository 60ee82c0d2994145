#!/bin/sh
# apt-changes.sh: what apt would do, from its simulation on standard input.
# apt_coming prints a line "NAME FROM TO SECURITY" for each package that comes; FROM is "-" for one that is new, SECURITY "security" or "-".
# apt_removed prints the packages that go, in one line.
# simulate_apt COMMAND…: sets $said to what this simulation prints. Where it fails, that goes to standard error: apt names the packages that stand in the way on standard output only.

apt_coming() {
    awk '$1 == "Inst" {
        old = $3 ~ /^\[/ ? substr($3, 2, length($3) - 2) : "-"
        from = $0
        sub(/^[^(]*\(/, "", from)
        split(from, part, " ")
        print $2, old, part[1], (from ~ /[Ss]ecurity/ ? "security" : "-")
    }'
}
apt_removed() { awk '$1 == "Remv" || $1 == "Purg" { printf "%s%s", space, $2; space = " " }'; }
simulate_apt() {
    said=$("$@") || {
        code=$?
        printf '%s\n' "$said" >&2
        exit $code
    }
}
