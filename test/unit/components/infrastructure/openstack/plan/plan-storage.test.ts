import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { StorageCloudArgs } from "../../../../../../components/args/infrastructure-args";
import type { StorageServerArgs } from "../../../../../../components/args/storage-args";
import {
    planStorage,
    storageRequirements,
} from "../../../../../../components/infrastructure/openstack/plan/plan-storage";

const args = (nova: StorageCloudArgs = {}, changes: Partial<StorageServerArgs> = {}): StorageServerArgs => ({
    infrastructure: { nova: { image: "debian-12", externalNetwork: "public", ...nova } },
    server: { flavor: "small" },
    volumes: { data: { sizeGiB: 5 } },
    exports: { "/exports/data": { volume: "data", clients: ["10.0.0.7", "10.1.2.3/16", "10.0.0.7", "fd00::1"] } },
    ...changes,
});
const plan = (...given: Parameters<typeof args>) =>
    planStorage(args(...given), "files", { project: "shop", stack: "dev" });

describe("the plan of a storage server of its own", () => {
    it("has the server, its network and key pair, and no node and no address of an API", () => {
        const { storage, servers, network, keyPair, vip, serverGroups } = plan();
        deepStrictEqual(
            [storage!.name, storage!.image, storage!.floatingIp, storage!.port.portSecurity],
            ["files-storage", "debian-12", true, true],
        );
        deepStrictEqual([servers, serverGroups, vip], [[], [], undefined]);
        deepStrictEqual(network.made && network.name, "files");
        deepStrictEqual(keyPair, { name: "files", made: true });
    });

    it("lets in the clients of its exports to NFS alone, each once, as the cloud writes networks", () => {
        const nfs = (rules: { key: string }[]) => rules.filter(({ key }) => key.startsWith("nfs-"));
        deepStrictEqual(
            nfs(plan().securityGroup.rules),
            ["10.0.0.7/32", "10.1.0.0/16", "fd00::1/128"].map(cidr => ({
                ...{ key: `nfs-${cidr.replace(/[^0-9a-z]/g, "-")}`, protocol: "tcp", from: { cidr } },
                ports: { from: 2049, to: 2049 },
            })),
        );
        const alike = { "/exports/data": { volume: "data", clients: ["fd00::1", "fd00:1::"] } };
        const keys = nfs(plan({}, { exports: alike }).securityGroup.rules).map(({ key }) => key);
        strictEqual(new Set(keys).size, 2, keys.join());
        const withoutPorts = nfs(plan({}, { nfs3: true }).securityGroup.rules);
        deepStrictEqual(
            withoutPorts.map(rule => Object.keys(rule)),
            [1, 2, 3].map(() => ["key", "from"]),
            "mountd and statd of version 3 choose their ports",
        );
    });

    it("is reached by SSH directly, or through a jump server", () => {
        const ssh = (given: StorageCloudArgs) =>
            plan(given).securityGroup.rules.filter(({ key }) => key.startsWith("ssh-"));
        strictEqual(ssh({}).length, 1);
        const behind = { access: { jumpServer: { flavor: "tiny" } } };
        deepStrictEqual([ssh(behind), plan(behind).storage!.floatingIp], [[], false]);
        strictEqual(plan(behind).jumpServer!.name, "files-jump");
        const imaged = { server: { flavor: "small", image: "server-image" } };
        const { jumpServer } = plan({ ...behind, image: undefined } as never, imaged);
        strictEqual(jumpServer!.image, "server-image", "the servers' image");
    });

    it("requires of the cloud what it names, at its own places in the inputs", () => {
        const given = args(
            { network: { network: "shared" } },
            { server: { flavor: "small", fixedAddress: "10.0.0.9" } },
        );
        const needs = storageRequirements(planStorage(given, "files", { project: "shop", stack: "dev" }), given);
        const [server, ...others] = needs.servers;
        deepStrictEqual(others, []);
        deepStrictEqual(
            [server?.flavor.path, server?.image?.path, server?.volumes?.[0]?.path, server?.networks[0]?.path],
            ["server.flavor", "infrastructure.nova.image", "volumes.data", "server.fixedAddress"],
        );
        deepStrictEqual([needs.podCidr, needs.serviceCidr, needs.vip], [undefined, undefined, undefined]);
    });
});
