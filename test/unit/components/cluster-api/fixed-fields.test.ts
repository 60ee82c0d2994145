import { match, strictEqual } from "node:assert/strict";
import { fixedFields } from "../../../../components/cluster-api/fixed-fields";
import type { Named } from "../../../../components/cluster-api/machine-template";
import { refusedByWebhooks } from "../../../../provider/cluster-api/workload/workload-fixed";

const of = (kind: string, spec: object) =>
    ({
        apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
        kind,
        metadata: { name: "site", namespace: "default" },
        spec,
    }) as Named;
const cluster = {
    identityRef: { name: "a", region: "north" },
    managedSubnets: [{ cidr: "10.6.0.0/24", dnsNameservers: ["10.0.0.1"] }],
    externalNetwork: { filter: { name: "public" } },
    managedSecurityGroups: { allowAllInClusterTraffic: true },
    apiServerLoadBalancer: { enabled: true, allowedCIDRs: ["10.0.0.0/8"] },
    tags: ["a"],
};
const problem = (before: object, after: object, kind = "OpenStackCluster") =>
    refusedByWebhooks("site", fixedFields([of(kind, before)]), fixedFields([of(kind, after)]))?.message;

describe("a change that CAPO's webhooks refuse in each case", () => {
    for (const [title, changes, expected] of [
        [
            "is one of the network's addresses",
            { managedSubnets: [{ cidr: "10.7.0.0/24" }] },
            /managedSubnets cannot change/,
        ],
        [
            "is one to an existing network",
            { managedSubnets: undefined, network: { id: "n" } },
            /network cannot change from none to /,
        ],
        ["is one of the external network", { externalNetwork: { filter: { name: "b" } } }, /externalNetwork cannot/],
        [
            "is one of the region",
            { identityRef: { name: "a", region: "south" } },
            /region cannot change from north to south/,
        ],
        ["is one of the tags", { tags: ["b"] }, /tags cannot change/],
        ["is one to an address without a load balancer", { apiServerLoadBalancer: undefined }, /apiServerLoadBalancer/],
        [
            "is security groups that are no longer made",
            { managedSecurityGroups: undefined },
            /managedSecurityGroups cannot/,
        ],
        ["is not one of the login", { identityRef: { name: "b", region: "north" } }, undefined],
        [
            "is not one of name servers",
            { managedSubnets: [{ cidr: "10.6.0.0/24", dnsNameservers: ["10.0.0.2"] }] },
            undefined,
        ],
        ["is not one of the rules", { managedSecurityGroups: { allNodesSecurityGroupRules: [] } }, undefined],
        ["is not one of who may ask the API", { apiServerLoadBalancer: { enabled: true } }, undefined],
        ["is not one of zones", { controlPlaneAvailabilityZones: ["a"] }, undefined],
        ["is not an endpoint where none was", { controlPlaneEndpoint: { host: "a", port: 1 } }, undefined],
    ] as [string, object, RegExp | undefined][]) {
        it(title, () => {
            const found = problem(cluster, { ...cluster, ...changes });
            if (expected === undefined) strictEqual(found, undefined);
            else match(found!, expected);
        });
    }

    it("is one of a template under its own name, and not one that has another name", () => {
        const servers = (flavor: string) => ({ template: { spec: { flavor } } });
        match(
            problem(servers("a"), servers("b"), "OpenStackMachineTemplate")!,
            /content cannot change[\s\S]*another name/,
        );
        strictEqual(problem(servers("a"), servers("a"), "OpenStackMachineTemplate"), undefined);
        const before = fixedFields([of("OpenStackMachineTemplate", servers("a"))]);
        const renamed = {
            ...of("OpenStackMachineTemplate", servers("b")),
            metadata: { name: "b", namespace: "default" },
        };
        strictEqual(refusedByWebhooks("site", before, fixedFields([renamed])), undefined);
    });

    it("is not judged where the state is older than this check, or a value is not known yet", () => {
        strictEqual(refusedByWebhooks("site", undefined, fixedFields([of("OpenStackCluster", cluster)])), undefined);
        strictEqual(refusedByWebhooks("site", fixedFields([of("OpenStackCluster", cluster)]), undefined), undefined);
    });
});
