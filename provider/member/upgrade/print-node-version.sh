#!/bin/sh
# print-node-version.sh: prints which version of Kubernetes this machine runs, which upgrade is unfinished, with which version it is still to be watched, and whether it has cgroups of version 1 and
# kubelet's settings allow that, as lines name=value.
# constants: KUBERNETES_FOLDER SOAK_NOTE UPGRADE_FOLDER

. shell/lib/usual-path.sh

. member/lib/node-version.sh

echo "kubelet=$(running_kubelet)"
for component in kube-apiserver kube-controller-manager kube-scheduler; do
    version=$(image_version "$component")
    [ -z "$version" ] || echo "component=$version"
done
if [ -s "$UPGRADE_FOLDER"/move ]; then echo "unfinished=$(cat "$UPGRADE_FOLDER"/move)"; fi
if [ -s "$SOAK_NOTE" ]; then echo "soaks=$(cat "$SOAK_NOTE")"; fi
if [ "$(stat -f -c %T /sys/fs/cgroup 2>/dev/null)" != cgroup2fs ]; then
    allowed=$(sed -n 's/^failCgroupV1: *//p' /var/lib/kubelet/config.yaml 2>/dev/null) || allowed=
    if [ "$allowed" = false ]; then echo cgroups=v1-allowed; else echo cgroups=v1; fi
fi
