/** What the OpenStack provider's manager may do: as its controllers declare it in their sources. */

const read = ["get", "list", "watch"];
const write = ["create", "delete", "patch", "update"];
const change = ["get", "patch", "update"];

interface Rule {
    apiGroups: string[];
    resources: string[];
    verbs: string[];
    resourceNames?: string[];
}

function rule(group: string, resources: string, verbs: string[], resourceNames?: string[]): Rule {
    return { apiGroups: [group], resources: resources.split(" "), verbs, ...(resourceNames && { resourceNames }) };
}

const group = "infrastructure.cluster.x-k8s.io";
const kinds = [
    ...["openstackclusteridentities", "openstackclusters", "openstackclustertemplates", "openstackfloatingippools"],
    ...["openstackmachines", "openstackmachinetemplates", "openstackservers"],
];
const definitions = kinds.map(kind => `${kind}.${group}`);

/** In the whole cluster. */
export const managerRules: Rule[] = [
    rule("", "events", [...read, "create", "patch", "update"]),
    rule("", "secrets namespaces", read),
    // who reads metrics
    rule("authentication.k8s.io", "tokenreviews", ["create"]),
    rule("authorization.k8s.io", "subjectaccessreviews", ["create"]),
    // contracts are labels of definitions; the manager moves stored objects to new versions
    rule("apiextensions.k8s.io", "customresourcedefinitions", read),
    rule(
        "apiextensions.k8s.io",
        "customresourcedefinitions customresourcedefinitions/status",
        ["patch", "update"],
        definitions,
    ),
    rule("cluster.x-k8s.io", "clusters clusters/status machines machines/status machinesets", read),
    rule(group, kinds.join(" "), [...read, ...write]),
    rule(group, kinds.map(kind => `${kind}/status`).join(" "), change),
    rule(group, kinds.map(kind => `${kind}/finalizers`).join(" "), ["update"]),
    rule("ipam.cluster.x-k8s.io", "ipaddressclaims ipaddressclaims/status ipaddresses ipaddresses/status", [
        ...read,
        ...write,
    ]),
    rule("openstack.k-orc.cloud", "images", read),
];

/** In the manager's own namespace: one of its pods leads. */
export const leaderRules: Rule[] = [
    rule("", "events", ["create", "patch"]),
    rule("coordination.k8s.io", "leases", [...read, ...write]),
];
