#!/bin/sh
# observe-storage-classes.sh: looks whether the cluster has our storage classes as we applied them, and no other ones of ours.
# inputs: MANIFEST (YAML; empty: there are none)
# inputs: CLASSES (their names)
# constants: CLASS_LABEL

. shell/lib/as-administrator.sh
. shell/lib/observed.sh
. cloud-provider/ours.sh

labelled=$(judged storageclass -l "$CLASS_LABEL=cinder")
for class in $(ours_of "$labelled" | sed 's/^StorageClass //'); do
    case " $CLASSES " in *" $class "*) ;; *) differs "the storage class $class is not wanted any more" ;; esac
done
. network/observe-manifest.sh
