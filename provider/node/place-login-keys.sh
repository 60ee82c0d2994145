#!/bin/sh
# place-login-keys.sh: lets keys log in to this machine, and former ones no more, as whomever: a cloud gives the key pair of a server to the image's own user, too.
# Each file is written by its user, because below a home everything may be a link to somewhere else.
# inputs: LOGIN_USER KEYS (lines "TYPE BASE64", for that user) GONE (such lines, for all users; empty: none)
# constants: ROTATION_FAILED

. shell/lib/usual-path.sh

set -f
LC_ALL=C; export LC_ALL
fail() { echo "$*" >&2; exit "$ROTATION_FAILED"; }
# KEYS: for grep, lines that let them in: no comments
lines_of() { printf '%s\n' "$1" | sed 's/^[^ ]* \([^ ]*\).*/^[[:blank:]]*[^#[:blank:]].*\1/'; }
# USER UID HOME PATTERN: sets `file` to where sshd looks
expand() {
    file='' left=$4
    while [ "$left" != "${left#*%}" ]; do
        file=$file${left%%"%"*} left=${left#*%}
        case $left in
            h*) file=$file$3 ;;
            u*) file=$file$1 ;;
            U*) file=$file$2 ;;
            *) file=$file% ;;
        esac
        left=${left#?}
    done
    file=$file$left
    case $file in /*) ;; *) file=$3/$file ;; esac
}
# has|add|drop FILE LINES [KEY]: as the first owner on the way to the file who is not root, because a link on it may be his
edit() {
    what=$1 file=$2 lines=$3 line=${4:-} at=$2
    set --
    while [ -n "$at" ]; do set -- "$at" "$@"; at=${at%/*}; done
    by=$(stat -c %u:%g -- "$@" 2>/dev/null | grep -vm 1 '^0:') || by=0:0
    if group=$(id -g -- "${by%:*}" 2>/dev/null); then groups=--init-groups; else group=${by#*:} groups=--clear-groups; fi
    # shellcheck disable=SC2016 # the inner shell's variables
    setpriv --reuid="${by%:*}" --regid="$group" "$groups" -- sh -euc '
        umask 077
        what=$1 file=$2 lines=$3
        has() { [ -f "$file" ] && grep -aqs -D skip -e "$lines" -- "$file"; }
        if [ "$what" = has ]; then if has; then exit 0; else exit 1; fi; fi
        mkdir -p -- "${file%/*}"
        if [ -L "$file" ]; then
            file=$(readlink -f -- "$file")
            [ ! -e "$file" ] || [ -O "$file" ] || { echo "$2 is a link to a file of another owner" >&2; exit 1; }
        fi
        [ ! -e "$file" ] || [ -f "$file" ]
        new=$file.nfv-new
        rm -f -- "$new"
        if [ -e "$file" ]; then cp -p -- "$file" "$new"; fi
        case $what in
            add) { if [ -e "$file" ]; then sed "\$a\\" "$file"; fi; printf "%s\n" "$4"; } > "$new" ;;
            drop) grep -av -e "$lines" -- "$file" > "$new" || [ $? -eq 1 ] ;;
        esac
        sync -- "$new"
        mv -fT -- "$new" "$file"
        sync -- "${file%/*}" 2>/dev/null || :
        if [ "$what" = drop ] && has; then exit 1; fi' sh "$what" "$file" "$lines" "$line" </dev/null
}
# KEY
lets_in() {
    for pattern in $own; do
        [ "$pattern" != none ] || continue
        expand "$LOGIN_USER" "$uid" "$home" "$pattern"
        if edit has "$file" "$(lines_of "$1")"; then return 0; fi
    done
    return 1
}
# Files of all users. One that root cannot see may be there: a network file system may trust its user alone.
all_files() {
    getent passwd | while IFS=: read -r user _ uid _ _ home _; do
        for pattern in $all; do
            expand "$user" "$uid" "$home" "$pattern"
            if [ -f "$file" ] || { [ -d "$home" ] && [ ! -x "$home" ]; } || { [ -d "${file%/*}" ] && [ ! -x "${file%/*}" ]; }; then
                printf '%s\n' "$file"
            fi
        done
    done | sort -u
}
# LINES: the files that have them, and those that root cannot read
files_with() {
    files=$(all_files)
    printf '%s\n' "$files" | xargs -rd '\n' grep -las -D skip -e "$1" -- || :
    printf '%s\n' "$files" | while read -r each; do [ -z "$each" ] || [ -r "$each" ] || printf '%s\n' "$each"; done
}

own=$(sshd -T -C "user=$LOGIN_USER,host=localhost,addr=127.0.0.1,laddr=127.0.0.1,lport=22" | sed -n 's/^authorizedkeysfile //p')
[ -n "$own" ] || fail "sshd -T does not say in which files it looks for keys"
IFS=: read -r _ _ uid _ _ home _ <<EOF
$(getent passwd "$LOGIN_USER")
EOF
[ -n "$home" ] || fail "there is no user $LOGIN_USER"
first=
for pattern in $own; do
    [ "$pattern" != none ] || continue
    expand "$LOGIN_USER" "$uid" "$home" "$pattern"
    first=$file
    break
done
[ -n "$first" ] || fail "sshd reads the keys of $LOGIN_USER from no file"
printf '%s\n' "$KEYS" | while read -r key; do
    if lets_in "$key"; then continue; fi
    edit add "$first" '' "$key" || fail "$first cannot take the new key"
    lets_in "$key" || fail "$first did not keep the new key"
    echo "$first has the new key"
done
[ -n "$GONE" ] || exit 0
# Other users may have a Match with files of their own. A key may also leave a file that sshd does not read.
all="$own $(grep -rhis '^[[:blank:]]*AuthorizedKeysFile' /etc/ssh | sed 's/^[^ =]*[ =]*//; s/#.*//; s/[="]/ /g' | tr '\n' ' ')"
gone=$(lines_of "$GONE")
files_with "$gone" | while read -r file; do
    edit has "$file" "$gone" || continue
    edit drop "$file" "$gone" || fail "$file still has the former key"
    echo "a former key has left $file"
done
