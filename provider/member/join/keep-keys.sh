#!/bin/sh
# keep-keys.sh: a control-plane node keeps those of its keys that were rotated, because only a rotation changes them. One that joins gets those of another
# control-plane node, also in the middle of a rotation. The first node of a cluster gets the program's.
# secrets: program control-plane (those of another node; only at a join; both: a line "PATH BASE64" for each, with paths below the folder of keys)
# constants: AUTHORITY_FILE INIT_STARTED_FILE MEMBER_FILE PKI_FOLDER

. shell/lib/usual-path.sh

. member/lib/replace-file.sh

kept=$(cut -d ' ' -f 1 "$SECRETS/program" | grep -vx authority)
missing() { for path in $kept; do if [ ! -s "$PKI_FOLDER/$path" ]; then echo "$PKI_FOLDER/$path"; fi; done; }
given=$SECRETS/program
if [ -s "$SECRETS/control-plane" ]; then
    given=$SECRETS/control-plane
elif [ -s "$MEMBER_FILE" ]; then
    lost=$(missing)
    [ -n "$lost" ] || exit 0
    printf '%s\n' "$lost" | sed 's/$/ is missing: copy it from another control-plane node, and restart API server, controller manager and etcd/' >&2
    exit 1
# without an init that has begun, files are of a former life of this machine
elif [ -z "$(missing)" ] && [ -s "$INIT_STARTED_FILE" ]; then
    exit 0
fi
# PATH
given_key() { sed -n "s|^$1 ||p" "$given" | base64 -d; }
# what is no key is not taken
for path in $kept; do
    case $path in
        *.key) given_key "$path" | openssl pkey -noout ;;
        *.pub) given_key "$path" | openssl pkey -pubin -noout ;;
        *) given_key "$path" | openssl x509 -noout ;;
    esac
done
# before the authority itself: a machine that is looked at after a stop is known by it
if grep -q '^authority ' "$given"; then given_key authority > "$AUTHORITY_FILE"; fi
install -d -m 755 "$PKI_FOLDER" "$PKI_FOLDER"/etcd
for path in $kept; do
    case $path in *.key) mode=600 ;; *) mode=644 ;; esac
    given_key "$path" | replace_file "$PKI_FOLDER/$path" $mode
done
