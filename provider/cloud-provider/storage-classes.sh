#!/bin/sh
# storage-classes.sh: applies storage classes and deletes our other ones, on a control-plane node. A storage class cannot be
# changed, so it is deleted and recreated.
# inputs: MANIFEST (YAML; empty: there are none)
# inputs: CLASSES (their names)
# constants: LABEL

. shell/lib/as-administrator.sh
. shell/lib/refuse-foreign.sh

file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf '%s\n' "$MANIFEST" > "$file"
[ -z "$MANIFEST" ] || refuse_foreign "$file"
k() { kubectl --request-timeout=20s "$@"; }
ours=$(k get storageclass -l "$LABEL=cinder" -o jsonpath='{range .items[*]}{.metadata.name}{"\n"}{end}')
for class in $ours; do
    case " $CLASSES " in
    *" $class "*) ;;
    *) k delete storageclass "$class" --ignore-not-found ;;
    esac
done
[ -n "$MANIFEST" ] || exit 0
apply() { k apply --server-side --force-conflicts --field-manager=pulumi-nfv -f "$file"; }
apply || { k delete --ignore-not-found -f "$file"; apply; }
