#!/bin/sh
# delete-node-object.sh: deletes the node object that was drained. Another object of this name is of a machine that has joined since.
# inputs: NAME NODE_UID (of the drained one; "": there was none)

. shell/lib/as-administrator.sh

now=$(kubectl get node "$NAME" --ignore-not-found -o 'jsonpath={.metadata.uid}')
if [ -z "$now" ]; then exit 0; fi
if [ "$now" != "$NODE_UID" ]; then
    echo "stays: the node object $NAME, of a machine that has joined under this name meanwhile"
    exit 0
fi
kubectl delete node "$NAME" --ignore-not-found --wait=false
