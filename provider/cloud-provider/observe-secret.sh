#!/bin/sh
# observe-secret.sh: looks whether the Secret has the credentials that we gave, by a hash that is made here.
# inputs: HASH (sha256 of its data)
# constants: NAMESPACE SECRET_NAME

. shell/lib/as-administrator.sh

. shell/lib/observed.sh

data=$(kubectl -n "$NAMESPACE" --request-timeout=5s get secret "$SECRET_NAME" --ignore-not-found -o 'jsonpath={.data}')
[ "$(printf '%s' "$data" | sha256sum)" = "$HASH  -" ] || differs "the Secret $SECRET_NAME has changed"
