#!/bin/sh
# delete-node-object.sh: deletes a node object.
# inputs: NAME

. shell/lib/as-administrator.sh

kubectl delete node "$NAME" --ignore-not-found --wait=false
