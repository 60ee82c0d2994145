#!/bin/sh
# authority-name.sh: authority_name FILE prints the name of the authority in a file: the first ten digits of the hash of its key.

. member/lib/key-hash.sh

authority_name() { key_hash "$1" | cut -c 1-10; }
