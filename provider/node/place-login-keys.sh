#!/bin/sh
# place-login-keys.sh: lets keys log in to this machine, and former ones no more, as whomever: a cloud gives the key pair of a server to the image's own user, too.
# Each file is read and written by its user, because below a home everything may be a link to somewhere else.
# inputs: LOGIN_USER KEYS (lines "TYPE BASE64", for that user) GONE (such lines, for all users; empty: none)
# constants: ROTATION_FAILED

. shell/lib/usual-path.sh

set -f
patterns=$(sshd -T -C "user=$LOGIN_USER,host=localhost,addr=127.0.0.1" 2>/dev/null | sed -n 's/^authorizedkeysfile //p')
[ -n "$patterns" ] || patterns=".ssh/authorized_keys .ssh/authorized_keys2"
fail() { echo "$*" >&2; exit "$ROTATION_FAILED"; }
home_of() { getent passwd "$1" | cut -d : -f 6; }
# USER: where sshd looks for the keys of the user
files_of() {
    for pattern in $patterns; do
        [ "$pattern" != none ] || continue
        path=$(printf '%s\n' "$pattern" | sed "s|%h|$(home_of "$1")|g; s|%u|$1|g; s|%%|%|g")
        case $path in
            /*) printf '%s\n' "$path" ;;
            *) printf '%s/%s\n' "$(home_of "$1")" "$path" ;;
        esac
    done
}
# has|add|drop USER FILE KEY: a file outside of the home is root's
edit() {
    by=root
    case $3 in "$(home_of "$2")"/*) by=$2 ;; esac
    # shellcheck disable=SC2016 # the inner shell's variables
    setpriv --reuid="$by" --regid="$(id -g "$by")" --init-groups -- sh -euc '
        umask 077
        file=$2
        [ "$1" != has ] || exec grep -qsF -- "$3" "$file"
        mkdir -p "${file%/*}"
        if [ -L "$file" ]; then file=$(readlink -f "$file"); fi
        new=$file.nfv-new
        rm -f "$new"
        if [ -e "$file" ]; then cp -p -- "$file" "$new"; fi
        case $1 in
            add) { if [ -e "$file" ]; then sed "\$a\\" "$file"; fi; printf "%s\n" "$3"; } > "$new" ;;
            drop) grep -vF -- "$3" "$file" > "$new" || [ $? -eq 1 ] ;;
        esac
        sync -- "$new"
        mv -fT -- "$new" "$file"' sh "$1" "$3" "$4"
}
# KEY
lets_in() {
    for own in $(files_of "$LOGIN_USER"); do
        if edit has "$LOGIN_USER" "$own" "$1"; then return 0; fi
    done
    return 1
}
blob() { printf '%s\n' "$1" | cut -d ' ' -f 2; }

[ -n "$(home_of "$LOGIN_USER")" ] || fail "there is no user $LOGIN_USER"
first=$(files_of "$LOGIN_USER" | head -n 1)
[ -n "$first" ] || fail "sshd reads the keys of $LOGIN_USER from no file"
printf '%s\n' "$KEYS" | while read -r key; do
    if lets_in "$(blob "$key")"; then continue; fi
    edit add "$LOGIN_USER" "$first" "$key"
    echo "$first has the new key"
done
printf '%s\n' "$KEYS" | while read -r key; do
    lets_in "$(blob "$key")" || fail "$first did not keep the new key"
done
[ -n "$GONE" ] || exit 0
for user in $(getent passwd | cut -d : -f 1); do
    for file in $(files_of "$user"); do
        [ -e "$file" ] || continue
        printf '%s\n' "$GONE" | while read -r key; do
            edit has "$user" "$file" "$(blob "$key")" || continue
            edit drop "$user" "$file" "$(blob "$key")"
            if edit has "$user" "$file" "$(blob "$key")"; then fail "the former key is still in $file"; fi
            echo "a former key has left $file"
        done
    done
done
