#!/bin/sh
# print-living-member.sh: prints who of the cluster works under this name or at this address: "etcd NAME URL" for each member of etcd that answers,
# "node NAME ADDRESS" for each Node that is Ready.
# inputs: ADDRESS NAME PEER (URL of its etcd)
# constants: PKI_FOLDER

. shell/lib/as-administrator.sh

. kubeadm/lib/etcdctl.sh

. kubeadm/lib/etcd-member-absent.sh

# keepalived leaves the virtual address for seconds when it gets new peers
tries=0
until nodes=$(kubectl --request-timeout=5s get nodes \
    -o 'jsonpath={range .items[*]}{.metadata.name} {.status.conditions[?(@.type=="Ready")].status} {.status.addresses[?(@.type=="InternalIP")].address}{"\n"}{end}'); do
    tries=$((tries + 1))
    if [ $tries -ge 8 ]; then exit 1; fi
    sleep 3
done

if ! nobody_like_us; then
    # the pod is looked for here: a pipeline's function could not remember it
    find_etcd
    members=$(e member list)
    # shellcheck disable=SC2034 # columns
    printf '%s\n' "$members" | while IFS=, read -r id state name peers clients rest; do
        if [ "${name# }" != "$NAME" ] && [ "${peers# }" != "$PEER" ]; then continue; fi
        if [ -n "${clients# }" ] && e endpoint health --endpoints="${clients# }" >/dev/null 2>&1 </dev/null; then echo "etcd ${name# } ${clients# }"; fi
    done
fi
printf '%s\n' "$nodes" | while read -r name ready addresses; do
    if [ "$ready" != True ]; then continue; fi
    case "$name $addresses " in "$NAME "* | *" $ADDRESS "*) echo "node $name $addresses" ;; esac
done
