#!/bin/sh
# announce.sh: adds a line to operations.log for each event. A real one would open and close a ticket.
# stdin: all facts as JSON (not needed here)      uses: PULUMI_NFV_*, the simple values
set -eu
cd "$(dirname "$0")/.."
ticket="operation $PULUMI_NFV_OPERATION_ID of $PULUMI_NFV_CLUSTER"
printf '%s %s: added [%s], removed [%s], attempt %s\n' "$ticket" "$PULUMI_NFV_EVENT" \
    "$PULUMI_NFV_ADDED" "$PULUMI_NFV_REMOVED" "$PULUMI_NFV_ATTEMPT" >>operations.log
# The next attempt for this operation, and its other events, get this as errorHandlingData.
printf '{ "errorHandlingData": { "ticket": "%s" } }\n' "$ticket" >"$PULUMI_NFV_RESULT"
