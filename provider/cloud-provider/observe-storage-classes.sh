#!/bin/sh
# observe-storage-classes.sh: looks whether the cluster has our storage classes as we applied them, and no other ones of ours.
# inputs: MANIFEST (YAML; empty: there are none)
# inputs: CLASSES (their names)
# constants: LABEL

. shell/lib/as-administrator.sh

. shell/lib/observed.sh

ours=$(kubectl --request-timeout=5s get storageclass -l "$LABEL=cinder" -o jsonpath='{range .items[*]}{.metadata.name}{"\n"}{end}')
for class in $ours; do
    case " $CLASSES " in *" $class "*) ;; *) differs "the storage class $class is not wanted any more" ;; esac
done
. network/observe-manifest.sh
