#!/bin/sh
# remove-former-policies.sh: deletes the policies of former addresses, on a control-plane node, when all nodes have moved.
# constants: FORMER_POLICY
# shellcheck disable=SC2086 # a list of names

. shell/lib/as-administrator.sh

tries=0
# the address of the API may just have gone to another master
until found=$(kubectl --request-timeout=20s get validatingadmissionpolicies,validatingadmissionpolicybindings -o name); do
    tries=$((tries + 1))
    [ $tries -lt 5 ] || exit 1
    sleep 2
done
found=$(printf '%s\n' "$found" | grep "/$FORMER_POLICY" || true)
[ -z "$found" ] || kubectl --request-timeout=20s delete --ignore-not-found $found
