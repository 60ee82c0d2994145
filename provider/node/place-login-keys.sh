#!/bin/sh
# place-login-keys.sh: lets keys log in to this machine as LOGIN_USER, and former ones no more, as whomever: a cloud gives the key pair of a server to the image's own user, too.
# Only ~/.ssh/authorized_keys counts. Its user writes it, because below a home everything may be a link to somewhere else.
# inputs: LOGIN_USER KEYS (lines "TYPE BASE64", for that user) GONE (such lines, for all users; empty: none)
# constants: ROTATION_FAILED

. shell/lib/usual-path.sh

LC_ALL=C; export LC_ALL
fail() { echo "$*" >&2; exit "$ROTATION_FAILED"; }
ended=$(printf '%s\n' "$GONE" | cut -d ' ' -f 2)
# USER HOME KEYS
rewrite() {
    # shellcheck disable=SC2016 # the inner shell's variables
    setpriv --reuid="$1" --regid="$(id -g -- "$1")" --init-groups -- sh -euc '
        umask 077
        file=$1/.ssh/authorized_keys keys=$2 gone=$3
        new=$file.nfv-new
        mkdir -p -- "${file%/*}"
        rm -f -- "$new"
        [ ! -e "$file" ] || [ -f "$file" ]
        if [ -f "$file" ]; then cp -p -- "$file" "$new"; else : > "$file"; fi
        {
            # the last line may have no end
            if [ -z "$gone" ]; then sed "\$a\\" "$file"; else sed "\$a\\" "$file" | grep -avF -e "$gone" || [ $? -eq 1 ]; fi
            printf "%s\n" "$keys" | while read -r key; do
                grep -av "^[[:blank:]]*#" "$file" | grep -aqF -e "${key#* }" || printf "%s\n" "$key"
            done
        } > "$new"
        sync -- "$new"
        mv -fT -- "$new" "$file"
        sync -- "${file%/*}"' sh "$2" "$3" "$ended" </dev/null || fail "$2/.ssh/authorized_keys cannot be changed as $1"
}

home=$(getent passwd "$LOGIN_USER" | cut -d : -f 6)
[ -n "$home" ] || fail "there is no user $LOGIN_USER"
rewrite "$LOGIN_USER" "$home" "$KEYS"
[ -n "$ended" ] || exit 0
getent passwd | while IFS=: read -r user _ _ _ _ home _; do
    file=$home/.ssh/authorized_keys
    if [ ! -f "$file" ] || ! grep -aqsF -D skip -e "$ended" -- "$file"; then continue; fi
    rewrite "$user" "$home" ''
    if grep -aqsF -D skip -e "$ended" -- "$file"; then fail "$file still has the former key"; fi
    echo "a former key has left $file"
done
