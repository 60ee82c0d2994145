import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { parse } from "yaml";
import { KubernetesCluster } from "../../../../../../components";
import type { KubernetesClusterArgs } from "../../../../../../components/args/args";
import { unpack } from "../../../../../../provider/contract/packed";
import { projectRoot } from "../../../../../support/user-project";
import { type Registered, record, registered } from "../../../recorder";
import { sampleKey } from "../../../sample-args";

const fixtures = "test/unit/components/infrastructure/openstack/hot/fixtures";
const template = { file: join(projectRoot, fixtures, "own-outside/cluster.yaml"), parameters: { image: "golden" } };
const ours = { image: "debian", flavor: "medium", externalNetwork: "public" };

const argsOf = (infrastructure: KubernetesClusterArgs["infrastructure"], server: object = {}, pool = "workers") => ({
    clusterName: "core",
    infrastructure,
    kubernetes: { version: "1.34.4" },
    controlPlane: { count: 1 },
    pools: { [pool]: { count: 1 } },
    storage: {
        server: { flavor: "m1.small", ...server },
        volumes: { data: { sizeGiB: 5 } },
        exports: { "/exports/data": { volume: "data" } },
    },
});

/** A security group's ids, as a stack with two of them shows them. */
const texts: Record<string, string> = { storage_security_group_ids: "sg-1,sg-2", storage_network_id: "net-1" };

async function made(args: KubernetesClusterArgs, more: Record<string, string> = {}, mode: "preview" | "up" = "up") {
    const program = () => new KubernetesCluster("core", args);
    // Only the template says which outputs a stack has.
    const { resources: before } = await record("preview", program);
    const stack = before.find(({ label }) => label === "StackV1 core");
    const { outputs = {} } = stack ? parse((stack.inputs["templateOpts"] as { Bin: string }).Bin) : {};
    const StackOutputs = Object.keys(outputs as object).map(outputKey => ({
        outputKey,
        outputValue: more[outputKey] ?? texts[outputKey] ?? (/cidr/.test(outputKey) ? "10.0.0.0/24" : `10.0.0.9`),
    }));
    const answers: Record<string, object> = {
        StackV1: { StackOutputs },
        ServerKeys: { seed: "c2VlZA==", publicKey: "ssh-ed25519 AAAA", privateKey: "our key" },
        OperationStart: { generations: {} },
        Port: { allFixedIps: ["10.100.0.7"] },
        FloatingIp: { address: "203.0.113.7" },
    };
    const { resources } = await record(mode, program, {
        call: (_, inputs) => ({ id: "found", name: `name of ${inputs["networkId"]}`, cidr: "10.100.0.0/24" }),
        outputs: type => (answers[type.split(":").at(-1)!] ?? {}) as Record<string, unknown>,
    });
    return { resources, find: (label: string) => registered(resources, label) };
}

/** The machine's connection. */
const connectionOf = ({ inputs }: Registered) => (unpack(inputs, []) as Record<string, any>).connection;

describe("the storage server of a cluster in a cloud", () => {
    it("is the same single resources beside a stack as with servers made one by one", async () => {
        const labels: string[][] = [];
        for (const infrastructure of [{ heat: ours }, { nova: ours }]) {
            const { resources, find } = await made(argsOf(infrastructure));
            const parts = resources.filter(({ label }) => / core-storage/.test(label));
            labels.push(parts.map(({ label }) => label).sort());
            ok(find("Volume core-storage-data").retainOnDelete);
            const port = find("Port core-storage");
            for (const kept of ["networkId", "fixedIps"]) ok(port.ignoreChanges.includes(kept), kept);
            ok(find("ProjectGuard core").after.includes("Instance core-storage"));
            strictEqual(find("Instance core-storage").inputs["imageName"], "debian");
            ok(find("StorageMachine core-storage").after.includes("VolumeAttach core-storage-data"));
        }
        deepStrictEqual(labels[0], labels[1]);
    });

    it("joins the nodes of the stack, after it, and so leaves before it", async () => {
        const { find, resources } = await made(argsOf({ heat: ours }));
        const port = find("Port core-storage");
        strictEqual(port.inputs["networkId"], "net-1");
        deepStrictEqual(port.inputs["securityGroupIds"], ["sg-1", "sg-2"]);
        strictEqual(port.inputs["portSecurityEnabled"], undefined);
        for (const label of ["Port core-storage", "Instance core-storage", "FloatingIp core-storage"]) {
            ok(find(label).after.includes("StackV1 core"), label);
        }
        strictEqual(find("Instance core-storage").inputs["keyPair"], "core-heat");
        for (const { label, after } of resources.filter(each => each.label.startsWith("Host "))) {
            ok(after.includes("StorageMachine core-storage"), label);
        }
    });

    it("has no port security where the nodes' ports have none", async () => {
        const { find } = await made(argsOf({ heat: ours }), { storage_security_group_ids: "" });
        const { inputs } = find("Port core-storage");
        deepStrictEqual(
            [inputs["securityGroupIds"], inputs["portSecurityEnabled"], inputs["noSecurityGroups"]],
            [[], false, true],
        );
    });

    it("shows its steps before a stack has been made", async () => {
        const { find } = await made(argsOf({ heat: ours }), {}, "preview");
        const { steps } = unpack(find("StorageMachine core-storage").inputs, []) as { steps: Record<string, string> };
        ok(Object.values(steps).length > 0 && Object.values(steps).every(print => print === "to do"));
    });

    describe("with snapshots of its volumes", () => {
        const snapshots = { nightly: { volume: "data", run: "one" }, before: { volume: "data", run: "1.36", keep: 1 } };
        const withSnapshots = (infrastructure: KubernetesClusterArgs["infrastructure"]) => {
            const { storage, ...args } = argsOf(infrastructure);
            return {
                ...args,
                storage: { ...storage, volumes: { ...storage.volumes, logs: { sizeGiB: 1 } }, snapshots },
            };
        };

        for (const infrastructure of [{ nova: ours }, { heat: ours }]) {
            it(`makes them last, and nothing waits for them: ${Object.keys(infrastructure)}`, async () => {
                const { find, resources } = await made(withSnapshots(infrastructure));
                const { inputs, after, deletedWith } = find("VolumeSnapshots core");
                deepStrictEqual(inputs["snapshots"], {
                    nightly: { volume: "data", run: "one", keep: 3 },
                    before: { volume: "data", run: "1.36", keep: 1 },
                });
                deepStrictEqual(Object.keys(inputs["volumeIds"] as object), ["data"], "only those that are used");
                ok(after.includes("Volume core-storage-data") && after.includes("OperationStart core"), after.join());
                strictEqual(deletedWith, "");
                const labels = resources.map(({ label }) => label);
                ok(labels.indexOf("VolumeSnapshots core") > labels.indexOf("OperationEnd core"));
                for (const other of ["StorageMachine", "OperationEnd", "Node", "VolumeAttach"])
                    ok(!after.some(label => label.startsWith(`${other} `)), other);
                deepStrictEqual(
                    resources.filter(each => each.after.includes("VolumeSnapshots core")).map(({ label }) => label),
                    [],
                );
            });
        }

        it("plans them before a volume has an id", async () => {
            const { find } = await made(withSnapshots({ nova: ours }), {}, "preview");
            ok(find("VolumeSnapshots core").inputs["snapshots"]);
        });

        it("gives out their ids, and nothing where there are none", async () => {
            const idsOf = async (args: KubernetesClusterArgs) => {
                const program = () => new KubernetesCluster("core", args);
                const { result } = await record("up", program, {
                    outputs: type => ({
                        ...(type.endsWith(":VolumeSnapshots") && { newest: { nightly: "s1" } }),
                        ...(type.endsWith(":Port") && { allFixedIps: ["10.100.0.7"] }),
                        ...(type.endsWith(":FloatingIp") && { address: "203.0.113.7" }),
                        ...(type.endsWith(":ServerKeys") && { seed: "c2VlZA==", publicKey: "ssh-ed25519 AAAA" }),
                        ...(type.endsWith(":OperationStart") && { generations: {} }),
                    }),
                    call: () => ({ id: "found", name: "public", cidr: "10.100.0.0/24" }),
                });
                return new Promise(resolve => result.snapshots.apply(resolve));
            };
            deepStrictEqual(await idsOf(withSnapshots({ nova: ours })), { nightly: "s1" });
            deepStrictEqual(await idsOf(argsOf({ nova: ours })), {});
        });
    });

    it("asks the cloud whether the snapshot of a volume that is made fits", async () => {
        const id = "5c1d0e7a-1111-2222-3333-444455556666";
        const { storage, ...args } = argsOf({ nova: ours });
        const volumes = { data: { sizeGiB: 5, snapshotId: id } };
        const { find } = await made({ ...args, storage: { ...storage, volumes } });
        const { servers } = JSON.parse((find("CloudCheck core").inputs as { needs: string }).needs);
        const need = servers.find((server: { name: string }) => server.name === "core-storage");
        deepStrictEqual(need.volumes[0].snapshot, { name: id, path: "storage.volumes.data.snapshotId" });
        const { spec } = unpack(find("StorageMachine core-storage").inputs, []) as any;
        strictEqual(spec.volumes.data.snapshotId, id);
    });

    it("leaves a cluster on a stack alone that has none", async () => {
        const { storage: _, ...args } = argsOf({ heat: ours });
        const { resources } = await made(args);
        const found = resources
            .map(({ label }) => label)
            .filter(label => /ProjectGuard|Port|Instance|Volume/.test(label));
        deepStrictEqual(found, []);
    });

    describe("with a template of the user", () => {
        const privateKey = sampleKey;
        const ssh = { user: "ops", privateKey };

        it("is made like its nodes: from their image, in their network, with a floating IP from where theirs come", async () => {
            const { find } = await made(argsOf({ heat: { template } }, {}, "edge"), {
                storage_external_network_id: "public-1",
            });
            strictEqual(find("Instance core-storage").inputs["imageName"], "golden");
            strictEqual(find("Port core-storage").inputs["networkId"], "net-1");
            strictEqual(find("FloatingIp core-storage").inputs["pool"], "name of public-1");
            strictEqual(connectionOf(find("StorageMachine core-storage")).host, "203.0.113.7");
        });

        it("is reached with our key and its own host key, whatever the template's servers accept", async () => {
            const { find } = await made(argsOf({ heat: { template, ssh } }, {}, "edge"));
            const { user, privateKey: key, hostKey } = connectionOf(find("StorageMachine core-storage"));
            deepStrictEqual([user, key], ["ops", "our key"]);
            match(hostKey, /^ssh-ed25519 /);
            strictEqual(connectionOf(find("Host core-alpha")).privateKey, privateKey);
        });

        it("is reached by its own address through a jump host", async () => {
            const jump = { host: "jump.test" };
            const { find, resources } = await made(argsOf({ heat: { template, ssh: { jump } } }, {}, "edge"));
            const connection = connectionOf(find("StorageMachine core-storage"));
            deepStrictEqual([connection.host, connection.jump.host], ["10.100.0.7", "jump.test"]);
            ok(!resources.some(({ label }) => label === "FloatingIp core-storage"));
        });

        it("needs an image of its own where the nodes have none in common that is known", async () => {
            const file = join(projectRoot, fixtures, "own-outside/cluster.yaml");
            const later = { file, parameters: { image: Promise.resolve("golden") } };
            await rejects(
                made(argsOf({ heat: { template: later } }, {}, "edge")),
                /storage\.server\.image is required: the nodes .* have no image in common/,
            );
            const { find } = await made(argsOf({ heat: { template: later } }, { image: "debian" }, "edge"));
            strictEqual(find("Instance core-storage").inputs["imageName"], "debian");
        });

        it("is checked in the cloud before anything is made", async () => {
            const { find } = await made(argsOf({ heat: { template } }, { securityGroups: ["clients"] }, "edge"));
            const { needs } = find("CloudCheck core").inputs as { needs: string };
            const { servers, securityGroups } = JSON.parse(needs);
            const storage = servers.find((server: { name: string }) => server.name === "core-storage");
            deepStrictEqual(storage.flavor, { name: "m1.small", path: "storage.server.flavor" });
            deepStrictEqual(storage.volumes[0], {
                name: "core-storage-data",
                sizeGiB: 5,
                path: "storage.volumes.data",
            });
            deepStrictEqual(securityGroups, [{ name: "clients", path: "storage.server.securityGroups.0" }]);
        });
    });
});
