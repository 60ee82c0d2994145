#!/bin/sh
# observe-manifest.sh: looks which objects of a manifest are not as we applied them, on a control-plane node.
# inputs: MANIFEST (YAML; empty: there are none)

. shell/lib/as-administrator.sh

. shell/lib/observed.sh

[ -n "$MANIFEST" ] || exit 0
# says only which files differ: their content stays here
export KUBECTL_EXTERNAL_DIFF="diff -qrN"
code=0
said=$(printf '%s\n' "$MANIFEST" | kubectl --request-timeout=5s diff --server-side --force-conflicts --field-manager=pulumi-nfv -f - 2>&1) || code=$?
case $code in
    0) ;;
    1) printf '%s\n' "$said" | sed -n 's/^Files [^ ]*\/\([^ /]*\) and .*/\1 is not as we applied it/p' ;;
    *)
        # what somebody set beside our fields does not go with them: then the API refuses the object as a whole
        case $said in
            *" is invalid: "*) differs "$said" ;;
            *) printf '%s\n' "$said" >&2; exit 1 ;;
        esac
        ;;
esac
