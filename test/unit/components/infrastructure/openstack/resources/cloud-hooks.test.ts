import { rejects, strictEqual } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { cloudHooks } from "../../../../../../components/infrastructure/openstack/resources/cloud-hooks";
import { markWord } from "../../../../../../provider/openstack/requirements";
import { cloudOfEnvironment } from "../../../../provider/support/cloud";
import { planOf } from "../sample-cloud-args";

/** The engine accepts the registration of a hook. */
async function withHooks() {
    await pulumi.runtime.setMocks({ call: () => ({}), newResource: ({ inputs }) => ({ id: "i", state: inputs }) });
    const registerResourceHook = (_request: unknown, done: (error: null) => void) => done(null);
    Object.assign(pulumi.runtime.getMonitor()!, { registerResourceHook });
}

describe("what is looked at before servers are made one by one", () => {
    it("is whatever the cloud takes no second one of, and for the network the names of all servers, by the mark of this state", async () => {
        const { cloud, leave } = await cloudOfEnvironment();
        try {
            await withHooks();
            const mark = {
                "pulumi-nfv.cluster": "core",
                "pulumi-nfv.stack": "shop/dev",
                "pulumi-nfv.owner": pulumi.output("abc"),
            };
            const owner = { clusterId: "core-1a2b3c4d", cloud: {}, project: pulumi.output("p1"), mark, ssh: {} };
            const cluster = { urn: pulumi.output("urn:pulumi:cluster") } as never;
            const hooks = cloudHooks({
                name: "core",
                owner,
                plan: { servers: [{ name: "core-m1" }, { name: "core-w1" }] } as never,
                parent: cluster,
                provider: { urn: pulumi.output("urn:pulumi:provider") } as never,
            });
            const metadata = { ...mark, "pulumi-nfv.owner": "abc" };
            const server = { id: "s1", name: "core-w1", status: "SHUTOFF", metadata };
            cloud.routes["GET /compute/servers/detail"] = { servers: [server] };
            cloud.routes["GET /compute/servers/s1"] = { server };
            const call = (hook: pulumi.ResourceHook, newInputs: object) =>
                Promise.resolve(hook.callback({ name: "core-w1-data", newInputs } as never));
            const run = (hook: pulumi.ResourceHook, name: string) => call(hook, { name });
            await run(hooks.server, "core-m1");
            await rejects(run(hooks.server, "core-w1"), /"core-w1" \(s1, SHUTOFF\) is not in Pulumi's state/);
            await rejects(
                run(hooks.network, "core"),
                /"core-w1" \(s1, SHUTOFF\) lives, and Pulumi's state does not know it/,
            );
            const description = `core: api (${markWord(metadata)})`;
            const port = { id: "p1", name: "core-api", device_id: "s9", device_owner: "compute:nova", description };
            const ip = { id: "f1", floating_ip_address: "203.0.113.7", port_id: "p1", description };
            cloud.routes["GET /network/v2.0/ports"] = { ports: [port] };
            cloud.routes["GET /network/v2.0/floatingips"] = { floatingips: [ip] };
            cloud.routes["GET /network/v2.0/floatingips/f1"] = { floatingip: ip };
            let deleted = 0;
            cloud.routes["DELETE /network/v2.0/floatingips/f1"] = () => ({ status: 204, body: void deleted++ });
            const lead = () => call(hooks["floating-ip"], { portId: "p1", description });
            await rejects(lead(), /import openstack:networking\/floatingIp:FloatingIp core-w1-data f1/);
            cloud.routes["GET /compute/servers/detail"] = {
                servers: [{ ...server, "OS-SRV-USG:launched_at": null }],
            };
            await lead();
            strictEqual(deleted, 1);
            const wanted = { networkId: "n1", fixedIps: [{ ipAddress: "10.100.0.9" }], description };
            await rejects(
                call(hooks.port, wanted),
                /"core-api" \(p1, compute:nova\) has the address 10\.100\.0\.9 already/,
            );
            const subnet = { id: "s1", name: "core", cidr: "10.100.0.0/24" };
            cloud.routes["GET /network/v2.0/subnets"] = { subnets: [subnet] };
            await rejects(
                call(hooks.subnet, { networkId: "n1", cidr: "10.100.0.0/24", description }),
                /"core" \(s1\) has the range/,
            );
            const rule = { id: "r1", direction: "ingress", ethertype: "IPv4" };
            cloud.routes["GET /network/v2.0/security-group-rules"] = { security_group_rules: [rule] };
            await rejects(
                call(hooks.rule, { securityGroupId: "g1", direction: "ingress", ethertype: "IPv4", description }),
                /the rule r1 stands in the security group g1 already/,
            );
            const fixed_ips = [{ subnet_id: "s1" }, { subnet_id: "s2" }];
            const way = { id: "i1", device_id: "ro1", device_owner: "network:router_interface", fixed_ips };
            cloud.routes["GET /network/v2.0/ports"] = { ports: [way] };
            await rejects(
                call(hooks["router-interface"], { routerId: "ro1", subnetId: "s1" }),
                /the interface i1 of the router ro1 leads to the subnet s1 already/,
            );
            cloud.routes["GET /compute/os-keypairs/core"] = { keypair: { name: "core", public_key: "ssh-rsa A" } };
            await rejects(
                call(hooks["key-pair"], { name: "core", publicKey: "ssh-rsa B" }),
                /the key pair "core" exists already/,
            );
            const volume = { id: "v1", name: "core-w1-data", attachments: [{ server_id: "s1" }] };
            cloud.routes["GET /block-storage/volumes/v1"] = { volume };
            await rejects(
                call(hooks.attachment, { instanceId: "s1", volumeId: "v1" }),
                /VolumeAttach core-w1-data s1\/v1 --parent 'parent=urn:pulumi:cluster' --provider 'provider=urn:pulumi:provider'/,
            );
        } finally {
            await leave();
        }
    });

    it("is for a storage server of its own whether that server exists, and what its own program calls its inputs", async () => {
        const { cloud, leave } = await cloudOfEnvironment();
        try {
            await withHooks();
            const mark = { "pulumi-nfv.cluster": "files", "pulumi-nfv.owner": "abc" };
            const hooks = cloudHooks({
                name: "files",
                owner: { clusterId: "files-1a2b3c4d", cloud: {}, project: pulumi.output("p1"), mark, ssh: {} },
                plan: { servers: [], storage: { name: "files-storage", inputs: "" } } as never,
                parent: { urn: pulumi.output("urn:pulumi:cluster") } as never,
            });
            const run = (hook: pulumi.ResourceHook, newInputs: object) =>
                Promise.resolve(hook.callback({ name: "files", newInputs } as never));
            const server = { id: "s1", name: "files-storage", status: "ACTIVE", metadata: mark };
            cloud.routes["GET /compute/servers/detail"] = { servers: [server] };
            await rejects(run(hooks.network, { name: "files" }), /"files-storage" \(s1, ACTIVE\) lives/);
            const metadata = { ...mark, "pulumi-nfv.owner": "of a former state", "pulumi-nfv.volume": "data" };
            const volume = { id: "v1", name: "files-storage-data", size: 5, status: "available", metadata };
            cloud.routes["GET /block-storage/volumes/detail"] = { volumes: [volume] };
            await rejects(run(hooks.volume, volume), / volumes\.data\.volumeId: "v1"/);
        } finally {
            await leave();
        }
    });

    it("has a name per cluster: two components may each have a cluster of one name, and the engine refuses a second hook of a name", async () => {
        await withHooks();
        const parent = { urn: pulumi.output("urn:pulumi:cluster") } as never;
        const names = ["core", "core"].flatMap(name =>
            Object.values(cloudHooks({ name, owner: {} as never, plan: planOf(), parent })).map(hook => hook.name),
        );
        strictEqual(new Set(names).size, names.length, names.join(", "));
    });
});
