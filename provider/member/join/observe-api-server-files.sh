#!/bin/sh
# observe-api-server-files.sh: looks whether the API server was started with the audit policy that is there.
# inputs: AUDIT (empty: none)
# constants: API_SERVER_FOLDER AUDIT_POLICY_FILE

. shell/lib/observed.sh

sum=
[ -z "$AUDIT" ] || sum=$(sha256sum < "$AUDIT_POLICY_FILE")
[ "$(cat "$API_SERVER_FOLDER"/.audit-policy.sum 2>/dev/null)" = "$sum" ] || differs "the API server runs with another audit policy"
