#!/bin/sh
# key-hash.sh: key_hash FILE prints the SHA-256 of the public key of a certificate, which is the key's pin at a join.

key_hash() {
    hash=$(openssl x509 -pubkey -noout -in "$1" 2>/dev/null | openssl pkey -pubin -outform der 2>/dev/null | sha256sum)
    echo "${hash%% *}"
}
