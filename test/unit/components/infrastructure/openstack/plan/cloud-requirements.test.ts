import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { KubernetesClusterArgs } from "../../../../../../components/args/args";
import type { NovaArgs } from "../../../../../../components/args/infrastructure-args";
import { cloudRequirements } from "../../../../../../components/infrastructure/openstack/plan/cloud-requirements";
import { cloudArgs, planOf } from "../sample-cloud-args";

const needs = (cloud: Partial<NovaArgs> = {}, more: Partial<KubernetesClusterArgs> = {}) =>
    cloudRequirements(planOf(cloud, more), "nova", cloudArgs(cloud, more));

describe("what a cluster needs of a cloud", () => {
    it("has the place of each wish in the user's inputs", () => {
        const server = { availabilityZones: ["z"], volumes: { data: { sizeGiB: 1, type: "ssd" } } };
        const own = { flavor: "big", count: 1, server: { image: "golden", bootVolume: { sizeGiB: 9 } } };
        const found = needs({ server }, { pools: { upf: own } });
        const [master] = found.servers;
        const worker = found.servers.at(-1)!;
        deepStrictEqual(master!.flavor, { name: "medium", path: "infrastructure.nova.flavor" });
        deepStrictEqual(master!.image, { name: "debian", path: "infrastructure.nova.image" });
        deepStrictEqual(master!.zone, { name: "z", path: "infrastructure.nova.server.availabilityZones" });
        strictEqual(master!.volumes![0]!.path, "infrastructure.nova.server.volumes.data");
        deepStrictEqual(worker.flavor, { name: "big", path: "pools.upf.flavor" });
        deepStrictEqual(worker.image, { name: "golden", path: "pools.upf.server.image" });
        strictEqual(worker.bootVolume!.path, "pools.upf.server.bootVolume");
    });

    it("names the input that gives the storage server its image", () => {
        const image = (cloud: object, server: object = {}) => {
            const storage = { server: { flavor: "small", ...server }, volumes: { data: { sizeGiB: 5 } } };
            return needs(cloud, { storage }).servers.find(({ isStorage }) => isStorage)!.image!.path;
        };
        deepStrictEqual(
            [
                image({ image: "debian" }),
                image({ image: "debian", server: { image: "golden" } }),
                image({ image: "debian" }, { image: "own" }),
            ],
            ["infrastructure.nova.image", "infrastructure.nova.server.image", "storage.server.image"],
        );
    });

    it("counts what is made", () => {
        const found = needs({ access: { jumpServer: { flavor: "tiny" } } });
        deepStrictEqual(
            found.servers.map(({ name }) => name),
            [
                "core-control-plane-1",
                "core-control-plane-2",
                "core-control-plane-3",
                "core-workers-1",
                "core-workers-2",
                "core-jump",
            ],
        );
        deepStrictEqual(
            found.serverGroupsMade!.map(({ name, members }) => [name, members]),
            [
                ["core-control-plane", 3],
                ["core-workers", 2],
            ],
        );
        deepStrictEqual(
            found.securityGroupsMade!.map(({ name, rules }) => [name, rules]),
            [
                ["core", 6],
                ["core-jump", 1],
            ],
        );
        deepStrictEqual(found.keyPairsMade, ["core"]);
        deepStrictEqual(found.floatingIps, [{ name: "core-api", path: "infrastructure.nova.access.apiFloatingIp" }]);
        deepStrictEqual(found.servers.map(({ floatingIp }) => floatingIp?.path).filter(Boolean), [
            "infrastructure.nova.access.jumpServer",
        ]);
        deepStrictEqual(
            found.routersMade!.map(({ name, interfaces }) => [name, interfaces]),
            [["core", 1]],
        );
    });

    it("names the place of the virtual address, if it is given", () => {
        const path = (vip: object) => needs({}, { controlPlane: { count: 1, endpoint: { vip } } }).vip?.path;
        strictEqual(path({ address: "10.100.0.9" }), "controlPlane.endpoint.vip.address");
        strictEqual(path({}), "controlPlane.endpoint.vip");
    });

    it("asks for what exists already, each thing once", () => {
        const found = needs({
            keyPair: "mine",
            network: { network: "site", subnet: "v4" },
            server: { securityGroups: ["default", "monitoring"] },
        });
        deepStrictEqual(found.keyPair, { name: "mine", path: "infrastructure.nova.keyPair" });
        deepStrictEqual(found.securityGroups, [
            { name: "default", path: "infrastructure.nova.server.securityGroups.0" },
            { name: "monitoring", path: "infrastructure.nova.server.securityGroups.1" },
        ]);
        deepStrictEqual(found.servers[0]!.networks, [
            {
                portName: "core-control-plane-1",
                network: { name: "site", path: "infrastructure.nova.network.network" },
                subnet: { name: "v4", path: "infrastructure.nova.network.subnet" },
                path: "infrastructure.nova.network",
            },
        ]);
        strictEqual(found.networksMade, undefined);
    });
});
