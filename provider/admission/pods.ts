import type { Taint } from "../common/model";
import { guardingLevels } from "../vim";
import { list, type Policy } from "./policy";
import type { TenantsSpec } from "./tenants-spec";

/** Sources of volumes that reach nothing outside of the namespace by themselves: those of Pod Security's level `restricted`, and images. */
const sources = [
    ...["configMap", "csi", "downwardAPI", "emptyDir", "ephemeral"],
    ...["image", "persistentVolumeClaim", "projected", "secret"],
];

/** Pod Security itself refuses it at these levels, with its own message. */
const leftToPodSecurity = ["hostPath"];

/** What a pod must not use where Pod Security guards. Elsewhere these rules would hold nobody back, and would stop add-ons. */
export function podsPolicy({ nfsServers, controlPlaneTaints }: TenantsSpec): Policy {
    const known = [...sources, ...leftToPodSecurity].map(source => `has(volume.${source})`);
    const listed = `has(volume.nfs) && volume.nfs.server in ${list(nfsServers)}`;
    const servers =
        nfsServers.length > 0 ? `, but for NFS servers in tenants.nfsServers: ${nfsServers.join(", ")}` : "";
    return {
        name: "pulumi-nfv-pods",
        requests: [{ apiGroup: "", resources: ["pods"], operations: ["CREATE", "UPDATE"] }],
        levels: guardingLevels,
        // It empties volumes of the reclaim policy Recycle by pods that mount them.
        exempt: 'request.userInfo.username == "system:serviceaccount:kube-system:persistent-volume-binder"',
        rules: [
            {
                expression: `request.operation != 'CREATE' || !has(object.spec.volumes) || object.spec.volumes.all(volume, ${[...known, `(${listed})`].join(" || ")})`,
                message: `spec.volumes: a pod of this namespace mounts a network volume by a claim (persistentVolumeClaim) and not by itself${servers}`,
            },
            {
                expression:
                    "request.operation != 'CREATE' || !has(object.spec.priorityClassName) || !object.spec.priorityClassName.startsWith('system-')",
                message:
                    "spec.priorityClassName: the classes system-* are the system's: a pod with one would push out other namespaces' pods",
            },
            ...ofControlPlane(controlPlaneTaints),
        ],
    };
}

/** Without taints control-plane nodes are for all pods. */
function ofControlPlane(taints: readonly Taint[]): Policy["rules"] {
    const kept = taints.filter(({ effect }) => effect !== "PreferNoSchedule");
    if (kept.length === 0) return [];
    const keys = list([...new Set(kept.map(({ key }) => key))]);
    const effects = list([...new Set(kept.map(({ effect }) => effect))]);
    const former = "(oldObject != null && has(oldObject.spec.tolerations) && each in oldObject.spec.tolerations)";
    const anyKey = "!has(each.key) || each.key == ''";
    const anyEffect = "!has(each.effect) || each.effect == ''";
    const why =
        "control-plane nodes are not for pods of this namespace (the cluster's input tenants.controlPlaneNodes allows it)";
    return [
        {
            expression: "request.operation != 'CREATE' || !has(object.spec.nodeName) || object.spec.nodeName == ''",
            message: `spec.nodeName passes by the scheduler and its taints: use spec.nodeSelector; ${why}`,
        },
        {
            // A pod that waits for its node may get tolerations later.
            expression: `!has(object.spec.tolerations) || object.spec.tolerations.all(each, ${former} || !((${anyKey} || each.key in ${keys}) && (${anyEffect} || each.effect in ${effects})))`,
            message: `spec.tolerations: ${why}: name the keys of other taints`,
        },
    ];
}
