#!/bin/sh
# encryption-keys.sh: the keys of the API server's encryption settings on this machine. The first one encrypts, all decrypt.
# encryption_keys prints a line "NAME SECRET" for each; write_encryption_keys writes the settings again, with the lines of its standard input.
# settings_are_ours: the API server reads our file, and all that it says stays when it is written again: no other kinds of keys, no other objects than Secrets.
# constants: API_SERVER_MANIFEST ENCRYPTION_FILE

. member/lib/replace-file.sh

value_of() { sed -n "s/^ *-\{0,1\} *$1: *//p" "$ENCRYPTION_FILE" 2>/dev/null | tr -d '"'\'' \r'; }
encryption_keys() {
    names=$(value_of name)
    value_of secret | while IFS= read -r secret; do
        name=$(printf '%s\n' "$names" | head -n 1)
        names=$(printf '%s\n' "$names" | tail -n +2)
        printf '%s %s\n' "$name" "$secret"
    done
}
# standard input: a line "NAME SECRET" for each key
encryption_settings() {
    printf '%s\n' 'apiVersion: apiserver.config.k8s.io/v1' 'kind: EncryptionConfiguration' 'resources:' '  - resources:' \
        '      - secrets' '    providers:' '      - secretbox:' '          keys:'
    while read -r name secret; do printf '            - name: %s\n              secret: %s\n' "$name" "$secret"; done
    printf '%s\n' '      - identity: {}'
}
without_form() { tr -d '"'\'' \r' | sed '/^#/d; /^$/d'; }
settings_are_ours() {
    grep -qF -e "--encryption-provider-config=$ENCRYPTION_FILE" "$API_SERVER_MANIFEST" 2>/dev/null || return 1
    # a comment behind a name would become a part of it
    if [ -z "$(value_of name)" ] || encryption_keys | grep -qvE '^[A-Za-z0-9._-]+ [A-Za-z0-9+/=]+$'; then return 1; fi
    [ "$(without_form < "$ENCRYPTION_FILE")" = "$(encryption_keys | encryption_settings | without_form)" ]
}
write_encryption_keys() { encryption_settings | replace_file "$ENCRYPTION_FILE" 600; }
