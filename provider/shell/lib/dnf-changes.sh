#!/bin/sh
# dnf-changes.sh: what dnf would do, from its answer to --assumeno.

# dnf's table of a transaction as lines "install NAME", "upgrade NAME" (or to a former version) and "remove NAME". It also removes what a new package obsoletes: "replacing NAME.ARCHITECTURE".
# dnf5 says that of upgrades too.
dnf_changes() {
    awk '
        /^[^ ].*:$/ { section = $1 }
        /^[^ ].*[^:]$/ || /^$/ { section = "" }
        /^ [^ ]/ && section ~ /^Removing/ { print "remove " $1 }
        /^ [^ ]/ && section ~ /^Installing/ { print "install " $1 }
        /^ [^ ]/ && section ~ /^(Upgrading|Downgrading)/ { print "upgrade " $1 }
        /^ [^ ]/ { package = $1 }
        /^ +replacing / {
            sub(/\.(noarch|x86_64|aarch64|i686|ppc64le|s390x)$/, "", $2)
            if ($2 != package) print "remove " $2
        }'
}
