#!/bin/sh
# print-endpoints.sh: prints the endpoints that a node uses and knows.
# constants: FORMERS_FILE KUBECONFIGS

for file in $KUBECONFIGS; do
    [ ! -s "$file" ] || sed -n 's/^ *server: */server=/p' "$file"
done
if [ -s "$FORMERS_FILE" ]; then sed 's/^/former=/' "$FORMERS_FILE"; fi
