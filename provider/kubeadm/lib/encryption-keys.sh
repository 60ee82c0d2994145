#!/bin/sh
# encryption-keys.sh: the keys of the API server's encryption settings on this machine. The first one encrypts, all decrypt.
# encryption_keys prints a line "NAME SECRET" for each; write_encryption_keys writes the settings again, with the lines of its standard input.
# settings_are_ours: the API server reads our file, and it has no other kinds of keys.
# constants: API_SERVER_MANIFEST ENCRYPTION_FILE

value_of() { sed -n "s/^ *-\{0,1\} *$1: *//p" "$ENCRYPTION_FILE" 2>/dev/null | tr -d '"'\'' \r'; }
encryption_keys() {
    names=$(value_of name)
    value_of secret | while IFS= read -r secret; do
        name=$(printf '%s\n' "$names" | head -n 1)
        names=$(printf '%s\n' "$names" | tail -n +2)
        printf '%s %s\n' "$name" "$secret"
    done
}
settings_are_ours() {
    grep -qF -e "--encryption-provider-config=$ENCRYPTION_FILE" "$API_SERVER_MANIFEST" 2>/dev/null &&
        [ "$(value_of name | wc -l)" = "$(value_of secret | wc -l)" ] && [ -n "$(value_of name)" ] &&
        ! grep -qE '^ *-? *(aescbc|aesgcm|kms):' "$ENCRYPTION_FILE"
}
# another file takes its place, so a machine that loses power has the former or the new one
write_encryption_keys() {
    umask 077
    {
        printf '%s\n' 'apiVersion: apiserver.config.k8s.io/v1' 'kind: EncryptionConfiguration' 'resources:' '  - resources:' \
            '      - secrets' '    providers:' '      - secretbox:' '          keys:'
        while read -r name secret; do printf '            - name: %s\n              secret: %s\n' "$name" "$secret"; done
        printf '%s\n' '      - identity: {}'
    } > "$ENCRYPTION_FILE".new
    sync -- "$ENCRYPTION_FILE".new
    mv "$ENCRYPTION_FILE".new "$ENCRYPTION_FILE"
    umask 022
}
