import { asAdministrator } from "../shell/kubectl";
import { sh } from "../shell/script";
import { cinderControllerName, cinderNodeName } from "./cinder-csi";
import { cloudControllerManagerName } from "./cloud-controller-manager";
import { namespace } from "./objects";
import { storageClassLabel } from "./storage-classes";

/**
 * Applies the secret manifest $SECRETS/manifest and restarts the workloads that read the former one. Right after init
 * the API may still refuse requests, so this is retried.
 */
export const applySecretScript =
    asAdministrator +
    sh`
        k() { kubectl -n ${namespace} --request-timeout=20s "$@"; }
        tries=0
        until k apply --server-side --force-conflicts --field-manager=pulumi-nfv -f "$SECRETS/manifest"; do
            tries=$((tries + 1))
            [ $tries -lt 10 ] || exit 1
            sleep 2
        done
        for workload in daemonset/${cloudControllerManagerName} deployment/${cinderControllerName} daemonset/${cinderNodeName}; do
            there=$(k get "$workload" --ignore-not-found -o name)
            [ -z "$there" ] || k rollout restart "$workload"
        done
    `;

/**
 * Applies the storage classes in $MANIFEST and deletes our other ones, which are not in $CLASSES. A storage class
 * cannot be changed, so it is deleted and recreated.
 */
export const storageClassesScript =
    asAdministrator +
    sh`
        k() { kubectl --request-timeout=20s "$@"; }
        ours=$(k get storageclass -l ${storageClassLabel}=cinder -o jsonpath='{range .items[*]}{.metadata.name}{"\\n"}{end}')
        for class in $ours; do
            case " $CLASSES " in
            *" $class "*) ;;
            *) k delete storageclass "$class" --ignore-not-found ;;
            esac
        done
        [ -n "$MANIFEST" ] || exit 0
        file=$(mktemp)
        trap 'rm -f "$file"' EXIT
        printf '%s\\n' "$MANIFEST" > "$file"
        apply() { k apply --server-side --force-conflicts --field-manager=pulumi-nfv -f "$file"; }
        apply || { k delete --ignore-not-found -f "$file"; apply; }
    `;
