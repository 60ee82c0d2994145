import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import type { NovaArgs } from "../../../../../../components/args/infrastructure-args";
import { novaServers } from "../../../../../../components/infrastructure/openstack/nova/nova-servers";
import type { ServerPlan } from "../../../../../../components/infrastructure/openstack/plan/server-plan";
import { cloudHooks } from "../../../../../../components/infrastructure/openstack/resources/cloud-hooks";
import { resourceContext } from "../../../../../../components/infrastructure/openstack/resources/resource-context";
import { storageServer } from "../../../../../../components/infrastructure/openstack/resources/storage-server";
import { ownerOf } from "../../../../../../components/infrastructure/openstack/server-access";
import type { Servers, ServersRequest } from "../../../../../../components/infrastructure/openstack/servers";
import { markWord } from "../../../../../../provider/openstack/requirements";
import { isSecret, type Registered, record, registered } from "../../../recorder";
import { planOf } from "../sample-cloud-args";

const site = "11111111-2222-3333-4444-555555555555";

/** Answers of the cloud: names become ids. */
const answers = {
    call: (token: string, inputs: Record<string, unknown>) => ({
        id: `${token.split(":").at(-1)}-${inputs["name"] ?? "only"}`,
        name: "public",
        cidr: "192.168.0.0/20",
    }),
    outputs: (type: string, name: string) => ({
        ...(type.endsWith(":Port") && { allFixedIps: [`address of ${name}`] }),
        ...(type.endsWith(":FloatingIp") && { address: `floating for ${name}` }),
    }),
};

class Leftovers extends pulumi.CustomResource {
    constructor(dependsOn: pulumi.Resource[]) {
        super("test:index:Leftovers", "core", {}, { dependsOn });
    }
}

class Ground extends pulumi.ComponentResource {
    constructor() {
        super("test:index:Ground", "core");
    }
}

class Check extends pulumi.CustomResource {
    constructor(parent: pulumi.Resource) {
        super("test:index:Check", "core", {}, { parent });
    }
}

async function made(plan: ServerPlan, mode: "preview" | "up" = "up", names: Record<string, string> = {}) {
    const { resources, result } = await record(
        mode,
        () => {
            const parent = new Ground();
            const request: ServersRequest = {
                name: "vnf",
                plan,
                publicKey: "ssh-ed25519 key",
                userData: Object.fromEntries(
                    [...plan.servers, { name: "core-jump" }, { name: "core-storage" }].map(({ name }) => [
                        name,
                        `#cloud-config ${name}`,
                    ]),
                ),
                names,
                kept: pulumi.output("{}"),
                dependsOn: [new Check(parent)],
                parent,
                owner: {} as never,
                place: {} as never,
                fingerprintKey: pulumi.output("key"),
                leftovers: dependsOn => new Leftovers(dependsOn),
            };
            const hooks = cloudHooks(request);
            const checked = { keptInputs: pulumi.output(undefined), shapes: pulumi.output(undefined) };
            const context = resourceContext({ ...request, hooks, checked });
            const servers = novaServers(request, context);
            const storage =
                plan.storage && storageServer(context, servers.place!, plan.storage, request.userData["core-storage"]!);
            return { servers, storage, hooks };
        },
        answers,
    );
    const parts = resources.filter(({ type }) => type.startsWith("openstack:"));
    const find = (label: string) => registered(parts, label);
    return { parts, find, resources, ...result };
}

const labels = (parts: Registered[], type: string) =>
    parts
        .filter(part => part.label.startsWith(`${type} `))
        .map(part => part.label.slice(type.length + 1))
        .sort();
const value = <T>(output: pulumi.Output<T>) => new Promise<T>(resolve => void output.apply(resolve));
const single = { controlPlane: { count: 1 }, pools: { workers: { count: 1 } } };

describe("servers made one by one", () => {
    it("are deleted before what Kubernetes made in the cloud, one server alone never with it; the network's route after it", async () => {
        const { resources, find } = await made(planOf({}, single));
        const leftovers = registered(resources, "Leftovers core");
        deepStrictEqual(leftovers.after, ["RouterInterface vnf"]);
        for (const name of ["control-plane-1", "workers-1"]) {
            ok(find(`Instance vnf-${name}`).after.includes("Leftovers core"), name);
        }
    });

    it("are all that the plan says, under names that hold on when others come", async () => {
        const { parts } = await made(planOf());
        const nodes = ["control-plane-1", "control-plane-2", "control-plane-3", "workers-1", "workers-2"];
        const all = nodes.map(node => `vnf-${node}`);
        deepStrictEqual(labels(parts, "Instance"), all);
        deepStrictEqual(labels(parts, "Port"), ["vnf-api", ...all]);
        deepStrictEqual(labels(parts, "FloatingIp"), ["vnf-api", ...all]);
        deepStrictEqual(labels(parts, "ServerGroup"), ["vnf-control-plane", "vnf-workers"]);
        for (const type of ["Network", "Subnet", "Router", "RouterInterface", "SecGroup", "Keypair"]) {
            deepStrictEqual(labels(parts, type), ["vnf"]);
        }
    });

    it("have one beside them for storage, whose volumes stay and are never made twice", async () => {
        const storage = {
            server: { flavor: "m1.small", fixedAddress: "10.100.0.9", securityGroups: ["clients"] },
            volumes: { data: { sizeGiB: 5, type: "ssd", snapshotId: site }, old: { volumeId: site } },
            exports: { "/exports/data": { volume: "data" } },
        };
        const { parts, find, storage: beside, hooks } = await made(planOf({}, { ...single, storage }));
        const [volume, server, port] = [
            find("Volume vnf-storage-data"),
            find("Instance vnf-storage"),
            find("Port vnf-storage"),
        ];
        deepStrictEqual(labels(parts, "Volume"), ["vnf-storage-data"]);
        deepStrictEqual(labels(parts, "VolumeAttach"), ["vnf-storage-data", "vnf-storage-old-11111111"]);
        deepStrictEqual(
            [volume.inputs["name"], volume.inputs["size"], volume.inputs["volumeType"]],
            ["core-storage-data", 5, "ssd"],
        );
        strictEqual(volume.inputs["snapshotId"], site);
        for (const kept of ["volumeType", "snapshotId"]) ok(volume.ignoreChanges.includes(kept), kept);
        const marks = volume.inputs["metadata"] as Record<string, string>;
        strictEqual(marks["pulumi-nfv.volume"], "data");
        strictEqual(marks["pulumi-nfv.role"], "storage");
        ok(volume.retainOnDelete);
        deepStrictEqual(volume.beforeCreate, [hooks.volume.name]);
        deepStrictEqual([server.inputs["name"], server.inputs["flavorName"]], ["core-storage", "m1.small"]);
        ok(server.after.includes("Port vnf-storage"));
        strictEqual((port.inputs["securityGroupIds"] as string[]).length, 2);
        deepStrictEqual(port.inputs["fixedIps"], [{ subnetId: "vnf-id", ipAddress: "10.100.0.9" }]);
        deepStrictEqual(port.beforeCreate, [hooks["storage-port"].name]);
        ok(port.ignoreChanges.includes("fixedIps"), "clients know its address");
        strictEqual(find("VolumeAttach vnf-storage-old-11111111").inputs["volumeId"], site);
        const { address, volumes } = beside!;
        strictEqual(await value(address), "address of vnf-storage");
        strictEqual(await value(volumes["old"]!), site);
    });

    it("wait for the checks, for the way out and for the key pair", async () => {
        const { parts, find } = await made(planOf({}, single));
        for (const part of parts) ok(part.after.includes("Check core"), part.label);
        const { after } = find("Instance vnf-workers-1");
        for (const other of ["RouterInterface vnf", "Keypair vnf", "Port vnf-workers-1", "ServerGroup vnf-workers"]) {
            ok(after.includes(other), `${other} is not among ${after.join(", ")}`);
        }
        ok(find("FloatingIp vnf-api").after.includes("RouterInterface vnf"));
    });

    it("are looked for right before they are made, and so is all that the cloud takes no second one of", async () => {
        const server = { volumes: { data: { sizeGiB: 1 } } };
        const { parts, hooks } = await made(planOf({ server, access: { jumpServer: { flavor: "small" } } }, single));
        const kindsOf: Record<string, (keyof typeof hooks)[]> = {
            Instance: ["server"],
            Network: ["network"],
            Subnet: ["subnet"],
            Router: ["router"],
            RouterInterface: ["router-interface"],
            SecGroup: ["security-group"],
            SecGroupRule: ["rule"],
            Port: ["port"],
            Volume: ["node-volume"],
            FloatingIp: ["floating-ip"],
            Keypair: ["key-pair"],
            VolumeAttach: ["attachment"],
        };
        for (const { label, beforeCreate } of parts) {
            const kinds = label === "Port vnf-api" ? ["api-port" as const] : (kindsOf[label.split(" ")[0]!] ?? []);
            deepStrictEqual(
                beforeCreate,
                kinds.map(kind => hooks[kind].name),
                label,
            );
        }
        const types = new Set(parts.map(({ label }) => label.split(" ")[0]!));
        deepStrictEqual(
            Object.keys(kindsOf).filter(type => !types.has(type)),
            [],
        );
    });

    it("do not wait for one another", async () => {
        const { parts } = await made(planOf());
        for (const part of parts) ok(!part.after.some(label => label.startsWith("Instance ")), part.label);
    });

    it("ask the cloud nothing before it was checked", async () => {
        const asked: string[] = [];
        const call = answers.call;
        try {
            answers.call = (token, inputs) => {
                asked.push(token);
                return call(token, inputs);
            };
            const plan = planOf({ network: { network: "site" } }, single);
            await made(plan, "preview");
            deepStrictEqual(asked, []);
            await made(plan, "up");
            deepStrictEqual(asked.length > 0, true);
        } finally {
            answers.call = call;
        }
    });

    it("give their addresses by the ports, before there is a server", async () => {
        const { servers } = await made(planOf({}, single));
        const worker = servers.servers["core-workers-1"]!;
        strictEqual(await value(worker.address), "address of vnf-workers-1");
        strictEqual(await value(worker.floatingIp!), "floating for vnf-workers-1");
        strictEqual(await value(worker.id), "vnf-workers-1-id");
        const { vip } = servers as Required<Servers>;
        deepStrictEqual(
            [await value(vip.address), await value(vip.prefixLength), await value(vip.floatingIp!)],
            ["address of vnf-api", 24, "floating for vnf-api"],
        );
    });

    it("let masters bear the API's address, and all nodes those of pods", async () => {
        const { find } = await made(planOf({}, single));
        const pairs = (label: string) => find(label).inputs["allowedAddressPairs"];
        const pods = { ipAddress: "10.244.0.0/16" };
        deepStrictEqual(pairs("Port vnf-control-plane-1"), [{ ipAddress: "address of vnf-api" }, pods]);
        deepStrictEqual(pairs("Port vnf-workers-1"), [pods]);
        deepStrictEqual(find("Port vnf-api").inputs["allowedAddressPairs"], []);
    });

    it("take the API's address that is asked for", async () => {
        const endpoint = { vip: { address: "10.100.0.9" } };
        const { find, hooks } = await made(planOf({}, { ...single, controlPlane: { endpoint } }));
        deepStrictEqual(find("Port vnf-api").inputs["fixedIps"], [{ subnetId: "vnf-id", ipAddress: "10.100.0.9" }]);
        const [pair] = find("Port vnf-control-plane-1").inputs["allowedAddressPairs"] as object[];
        deepStrictEqual(pair, { ipAddress: "10.100.0.9" });
        deepStrictEqual(find("Port vnf-api").beforeCreate, [hooks["api-port"].name]);
        // Before any other port, which might get the address by chance.
        for (const node of ["control-plane-1", "workers-1"]) {
            ok(find(`Port vnf-${node}`).after.includes("Port vnf-api"), node);
        }
    });

    it("are deleted before their successors, and never replaced for what they were made of, whatever its name means today", async () => {
        for (const bootVolume of [undefined, { sizeGiB: 10, type: "gold" }]) {
            const server = { ...(bootVolume && { bootVolume }), configDrive: true, availabilityZones: ["a"] };
            const { find } = await made(planOf({ server, keyPair: "mine" }, single));
            const { deleteBeforeReplace, replaceOnChanges, replacementTrigger, ignoreChanges, inputs } =
                find("Instance vnf-workers-1");
            strictEqual(deleteBeforeReplace, true);
            deepStrictEqual(replaceOnChanges, []);
            // The rest can be changed on an existing server; its ports are separate resources.
            const others = Object.keys(inputs).filter(name => !ignoreChanges.includes(name));
            deepStrictEqual(others.sort(), ["metadata", "name"]);
            ok(["imageId", "imageName", "flavorId", "flavorName"].every(name => ignoreChanges.includes(name)));
            // A refresh takes the interfaces of a renamed network for other ones.
            ok(ignoreChanges.includes("networks"));
            deepStrictEqual(
                replacementTrigger,
                (inputs["networks"] as { port: string }[]).map(({ port }) => port),
            );
        }
    });

    it("keep their floating IPs and data volumes when the cloud renames pools and volume types", async () => {
        const server = { volumes: { data: { sizeGiB: 5, type: "gold" } } };
        const { find } = await made(planOf({ server }, single));
        deepStrictEqual(find("FloatingIp vnf-api").ignoreChanges, ["pool", "description"]);
        deepStrictEqual(find("Volume vnf-workers-1-data").ignoreChanges, ["volumeType"]);
    });

    it("take the ids that the checks found, and ask for no name again", async () => {
        const network: NovaArgs["network"] = { network: "site" };
        const plan = planOf({ network, server: { securityGroups: ["monitoring"] } }, single);
        const names = {
            "network:site": "n1",
            "only-subnet:site": "s1",
            "network:public": "x1",
            "securityGroup:monitoring": "g1",
        };
        const asked: Record<string, unknown>[] = [];
        const call = answers.call;
        try {
            answers.call = (token, inputs) => {
                asked.push(inputs);
                return { ...call(token, inputs), id: String(inputs["subnetId"] ?? inputs["networkId"]) };
            };
            const { find } = await made(plan, "up", names);
            const { inputs } = find("Port vnf-workers-1");
            deepStrictEqual([inputs["networkId"], inputs["fixedIps"]], ["n1", [{ subnetId: "s1" }]]);
            deepStrictEqual((inputs["securityGroupIds"] as string[])[1], "g1");
            deepStrictEqual(
                asked.filter(inputs => inputs["name"] !== undefined),
                [],
            );
        } finally {
            answers.call = call;
        }
    });

    it("keep user data secret", async () => {
        const { find } = await made(planOf({}, single));
        const { raw, inputs } = find("Instance vnf-workers-1");
        ok(isSecret(raw["userData"]));
        strictEqual(inputs["userData"], "#cloud-config core-workers-1");
    });

    it("are protected with their volumes and the network, if that is wanted", async () => {
        const plan = (deleteProtection: boolean) =>
            planOf({ deleteProtection, server: { volumes: { data: { sizeGiB: 1 } } } }, single);
        const guarded = (await made(plan(true))).parts.filter(({ protect }) => protect).map(({ label }) => label);
        deepStrictEqual(guarded.sort(), [
            "Instance vnf-control-plane-1",
            "Instance vnf-workers-1",
            "Network vnf",
            "Volume vnf-control-plane-1-data",
            "Volume vnf-workers-1-data",
        ]);
        ok((await made(plan(false))).parts.every(({ protect }) => !protect));
    });

    it("bear their owner's name wherever the cloud can note it", async () => {
        const { parts } = await made(planOf({ server: { volumes: { data: { sizeGiB: 1 } } } }, single));
        const tags = ["pulumi-nfv.cluster=core", "pulumi-nfv.stack=shop:dev"];
        for (const type of ["Network", "Subnet", "Router", "SecGroup", "Port", "FloatingIp"]) {
            const some = parts.filter(({ label }) => label.startsWith(`${type} `));
            for (const { label, inputs } of some) deepStrictEqual(inputs["tags"], tags, label);
        }
        for (const { label, inputs } of parts.filter(part => /^(Instance|Volume) /.test(part.label))) {
            strictEqual((inputs["metadata"] as Record<string, string>)["pulumi-nfv.cluster"], "core", label);
        }
        for (const { label, inputs } of parts.filter(part => part.label.startsWith("Instance "))) {
            const { "pulumi-nfv.owner": owner } = inputs["metadata"] as Record<string, string>;
            strictEqual(owner, ownerOf("ssh-ed25519 key"), label);
        }
    });

    it("prove with the first request, which sets no tags yet, which state made a part; one that exists is left as it is", async () => {
        const { parts } = await made(planOf({ access: { jumpServer: { flavor: "small" } } }, single));
        const word = markWord({
            "pulumi-nfv.cluster": "core",
            "pulumi-nfv.stack": "shop:dev",
            "pulumi-nfv.owner": ownerOf("ssh-ed25519 key"),
        });
        const marked = parts.filter(({ label }) => /^(FloatingIp|Port|Router|Subnet|SecGroupRule) /.test(label));
        const alone: Record<string, string> = { "Subnet vnf": "subnet", "Router vnf": "router" };
        const described = marked.filter(({ label }) => alone[label] === undefined);
        strictEqual(marked.length - described.length, 2);
        strictEqual(described.filter(({ label }) => !label.startsWith("SecGroupRule ")).length, 6);
        for (const { label, inputs, ignoreChanges } of marked) {
            const key = alone[label] ?? label.split(" vnf-")[1];
            strictEqual(inputs["description"], `core: ${key} (${word})`, label);
            ok(ignoreChanges.includes("description"), label);
        }
        // A rule is recognised by its description, so no two may have the same one, not even in two groups.
        const rules = described.filter(({ label }) => label.startsWith("SecGroupRule "));
        strictEqual(new Set(rules.map(({ inputs }) => inputs["description"])).size, rules.length);
    });

    it("boot from volumes that go with them, and keep others", async () => {
        const server = {
            bootVolume: { sizeGiB: 20, type: "ssd" },
            volumes: { data: { sizeGiB: 5 }, etcd: { sizeGiB: 2 } },
        };
        const { find, servers } = await made(planOf({ server }, single));
        const { inputs } = find("Instance vnf-workers-1");
        deepStrictEqual(inputs["blockDevices"], [
            {
                sourceType: "image",
                destinationType: "volume",
                uuid: "getImage-debian",
                bootIndex: 0,
                volumeSize: 20,
                volumeType: "ssd",
                deleteOnTermination: true,
            },
        ]);
        deepStrictEqual([inputs["imageName"], inputs["imageId"]], [undefined, undefined]);
        deepStrictEqual(find("VolumeAttach vnf-workers-1-data").inputs, {
            instanceId: "vnf-workers-1-id",
            volumeId: "vnf-workers-1-data-id",
        });
        strictEqual(await value(servers.servers["core-workers-1"]!.volumes["etcd"]!), "vnf-workers-1-etcd-id");
    });

    it("take names and ids alike", async () => {
        const { find } = await made(planOf({ image: site, flavor: site, externalNetwork: site }, single));
        const { inputs } = find("Instance vnf-workers-1");
        deepStrictEqual([inputs["imageId"], inputs["imageName"]], [site, undefined]);
        deepStrictEqual([inputs["flavorId"], inputs["flavorName"]], [site, undefined]);
        strictEqual(find("Router vnf").inputs["externalNetworkId"], site);
        strictEqual(find("FloatingIp vnf-api").inputs["pool"], "public");
        const named = await made(planOf({}, single));
        strictEqual(named.find("Router vnf").inputs["externalNetworkId"], "getNetwork-public");
        strictEqual(named.find("Instance vnf-workers-1").inputs["imageName"], "debian");
    });

    it("live in a network that exists, without making one", async () => {
        const network: NovaArgs["network"] = { network: "site", subnet: "v4" };
        const { parts, find, servers } = await made(planOf({ network, keyPair: "mine" }, single));
        for (const type of ["Network", "Subnet", "Router", "RouterInterface", "Keypair"]) {
            deepStrictEqual(labels(parts, type), []);
        }
        const { inputs } = find("Port vnf-workers-1");
        deepStrictEqual([inputs["networkId"], inputs["fixedIps"]], ["getNetwork-site", [{ subnetId: "getSubnet-v4" }]]);
        strictEqual(find("Instance vnf-workers-1").inputs["keyPair"], "mine");
        strictEqual(await value(servers.vip!.prefixLength), 20);
    });

    it("have further ports in other networks, with or without port security", async () => {
        const networks = [{ network: "n6", port: { vnicType: "direct", portSecurity: false } }];
        const { find } = await made(planOf({ server: { networks, securityGroups: ["monitoring"] } }, single));
        const { inputs } = find("Port vnf-workers-1-net2");
        deepStrictEqual(
            [inputs["portSecurityEnabled"], inputs["noSecurityGroups"], inputs["securityGroupIds"], inputs["binding"]],
            [false, true, undefined, { vnicType: "direct" }],
        );
        strictEqual(inputs["allowedAddressPairs"], undefined);
        deepStrictEqual(find("Port vnf-workers-1").inputs["securityGroupIds"], ["vnf-id", "getSecGroup-monitoring"]);
        deepStrictEqual(find("Instance vnf-workers-1").inputs["networks"], [
            { port: "vnf-workers-1-id" },
            { port: "vnf-workers-1-net2-id" },
        ]);
    });

    it("are reached through the jump server, where there is one, which alone has a floating IP for SSH", async () => {
        const { parts, find, servers } = await made(planOf({ access: { jumpServer: { flavor: "tiny" } } }, single));
        deepStrictEqual(labels(parts, "FloatingIp"), ["vnf-api", "vnf-jump"]);
        deepStrictEqual(find("Port vnf-jump").inputs["securityGroupIds"], ["vnf-id", "vnf-jump-id"]);
        strictEqual(find("Instance vnf-jump").inputs["flavorName"], "tiny");
        strictEqual(find("SecGroupRule vnf-jump-ssh-0-0-0-0-0").inputs["securityGroupId"], "vnf-jump-id");
        strictEqual(await value(servers.jumpAddress!), "floating for vnf-jump");
    });

    it("are known in kind and number at preview", async () => {
        const plan = planOf({ server: { bootVolume: { sizeGiB: 9 }, volumes: { data: { sizeGiB: 1 } } } });
        const [preview, up] = [await made(plan, "preview"), await made(plan, "up")];
        deepStrictEqual(preview.parts.map(({ label }) => label).sort(), up.parts.map(({ label }) => label).sort());
    });
});
