#!/bin/sh
# service-account-keys.sh: the keys of service accounts' tokens on this machine. $PKI_FOLDER/sa.key signs; each one of $PKI_FOLDER/sa.pub is accepted.
# key_names prints the names of the keys of a file of public keys, in its order: the "kid" in the header of a token. signing_key prints the one that signs.
# keys_are_ours: API server and controller manager use these two files and no other.
# constants: PKI_FOLDER

. procedures/lib/one-flag.sh

. member/lib/replace-file.sh

SA_KEY=$PKI_FOLDER/sa.key
SA_PUB=$PKI_FOLDER/sa.pub

name_of_public_key() { openssl pkey -pubin -outform DER 2>/dev/null | openssl dgst -sha256 -binary | base64 -w0 | tr '+/' '-_' | tr -d '='; }
# FILE NUMBER
public_key() { awk -v wanted="$2" '/-----BEGIN/ { n++ } n == wanted { print } /-----END/ && n == wanted { exit }' "$1"; }
key_count() { sed -n '/-----BEGIN/p' "$1" 2>/dev/null | wc -l; }
key_names() {
    n=1
    while [ $n -le "$(key_count "$1")" ]; do
        public_key "$1" $n | name_of_public_key
        echo
        n=$((n + 1))
    done
}
signing_key() { openssl pkey -in "$SA_KEY" -pubout 2>/dev/null | name_of_public_key; }
keys_are_ours() {
    has_one_flag kube-apiserver service-account-key-file "$SA_PUB" &&
        has_one_flag kube-apiserver service-account-signing-key-file "$SA_KEY" &&
        has_one_flag kube-controller-manager service-account-private-key-file "$SA_KEY"
}
