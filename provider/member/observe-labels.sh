#!/bin/sh
# observe-labels.sh: looks whether a node has our labels, annotations and taints, and was not cordoned by us. The node itself asks.
# inputs: NAME
# inputs: VALUES ('"key":"value"' of each label and annotation, one a line)
# inputs: TAINTS_JSON (one a line)
# constants: KUBELET_CONFIG CORDONED_ANNOTATION

. shell/lib/usual-path.sh

. shell/lib/observed.sh

# The API's own text: -o json would sort the keys of the taints. An answer without spaces is compared with values without spaces.
node=$(kubectl --kubeconfig "$KUBELET_CONFIG" --request-timeout=5s get --raw "/api/v1/nodes/$NAME")
node=$(printf '%s' "$node" | tr -d ' \n')
printf '%s\n%s\n' "$VALUES" "$TAINTS_JSON" | tr -d ' ' | while read -r value; do
    case $node in *"$value"*) ;; *) differs "the node does not have $value" ;; esac
done
case $node in *"\"$CORDONED_ANNOTATION\""*) differs "the node was cordoned because it was to leave" ;; esac
