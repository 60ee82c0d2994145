#!/bin/sh
# storage-classes.sh: applies storage classes and deletes our other ones, on a control-plane node. Kubernetes refuses most changes of a storage class, so
# one whose change it refuses is deleted and recreated.
# inputs: MANIFEST (YAML; empty: there are none)
# inputs: CLASSES (their names)
# constants: CLASS_LABEL

. shell/lib/as-administrator.sh
. cloud-provider/ours.sh

file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf '%s\n' "$MANIFEST" > "$file"
[ -z "$MANIFEST" ] || refuse_foreign "$file"
k() { kubectl --request-timeout=20s "$@"; }
# a copy that somebody made of our class has the label, too
labelled=$(judged storageclass -l "$CLASS_LABEL=cinder")
for class in $(ours_of "$labelled" | sed 's/^StorageClass //'); do
    case " $CLASSES " in
    *" $class "*) ;;
    *) k delete storageclass "$class" --ignore-not-found ;;
    esac
done
[ -n "$MANIFEST" ] || exit 0
apply() { k apply --server-side --force-conflicts --field-manager=pulumi-nfv -f "$file" 2>&1; }
if said=$(apply); then exit 0; fi
printf '%s\n' "$said" >&2
# the name and the reasons may be on lines of their own
refused=$(printf '%s\n' "$said" | awk '
    match($0, /"[a-z0-9.-]+" is invalid/) { name = substr($0, RSTART + 1, RLENGTH - 13) }
    /updates to [A-Za-z]+ are forbidden|field is immutable/ { if (name != "") print name }' | sort -u)
again=""
for class in $refused; do
    case " $CLASSES " in *" $class "*) again="$again $class" ;; esac
done
[ -n "$again" ] || exit 1
for class in $again; do k delete storageclass "$class" --ignore-not-found; done
said=$(apply) || { printf '%s\n' "$said" >&2; exit 1; }
