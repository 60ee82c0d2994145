#!/bin/sh
# remove-guard.sh: functions that remove the rules of vrrp-guard.ts.
# constants: GUARD_TABLE GUARD_RULES GUARD_SERVICE GUARD_UNIT GUARD_DROP_IN
# remove_former_guards: deletes the tables of former endpoints.
# remove_guard: removes all of it from a machine that leaves the cluster or no longer needs a virtual address.

. shell/lib/remove-rules.sh

remove_former_guards() {
    for each in $(/usr/sbin/nft list tables 2>/dev/null | sed -n "s/^table inet \\($GUARD_TABLE-former-.*\\)\$/\\1/p"); do
        /usr/sbin/nft delete table inet "$each" || true
    done
}
remove_guard() {
    remove_former_guards
    remove_rules "$GUARD_SERVICE" "$GUARD_RULES" "$GUARD_UNIT" "$GUARD_DROP_IN"
}
