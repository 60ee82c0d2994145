#!/bin/sh
# observe-sysctls.sh: looks whether the kernel's parameters have the values that we set.
# inputs: SETTINGS (lines: "key = value")

. shell/lib/observed.sh

printf '%s\n' "$SETTINGS" | while IFS=' =' read -r key value; do
    [ -n "$key" ] || continue
    # shellcheck disable=SC2005,SC2046,SC2116 # the kernel puts tabs between several numbers
    seen=$(echo $(sysctl -n "$key" 2>/dev/null))
    [ "$seen" = "$value" ] || differs "$key is ${seen:-not there}, it was set to $value"
done
