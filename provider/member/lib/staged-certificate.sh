#!/bin/sh
# staged-certificate.sh: place_staged_certificate writes the API server's new certificate and key into their files, if they are staged.
# Two files cannot change at once. If the machine loses power between them, the API server does not start with a key and a
# certificate that do not match; the staged ones are written again then.
# constants: APPLIED_FOLDER PKI_FOLDER

staged=$APPLIED_FOLDER/certificate
place_staged_certificate() {
    [ -d "$staged" ] || return 0
    touch "$PKI_FOLDER"/apiserver.key "$PKI_FOLDER"/apiserver.crt
    chmod 600 "$PKI_FOLDER"/apiserver.key
    cat "$staged/apiserver.key" > "$PKI_FOLDER"/apiserver.key
    cat "$staged/apiserver.crt" > "$PKI_FOLDER"/apiserver.crt
    sync -- "$PKI_FOLDER"/apiserver.key "$PKI_FOLDER"/apiserver.crt
    rm -rf "$staged"
}
