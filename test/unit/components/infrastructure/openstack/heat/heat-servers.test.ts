import { deepStrictEqual, match, ok, rejects, strictEqual } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import { refuseUnprepared } from "../../../../../../components/infrastructure/openstack/heat/before-update";
import {
    type HeatRequest,
    heatServers,
    stackHash,
} from "../../../../../../components/infrastructure/openstack/heat/heat-servers";
import { heatStack } from "../../../../../../components/infrastructure/openstack/heat/heat-stack";
import { heatTemplate } from "../../../../../../components/infrastructure/openstack/heat/heat-template";
import type { ExpandedStack } from "../../../../../../components/infrastructure/openstack/hot";
import { ownerOf } from "../../../../../../components/infrastructure/openstack/server-access";
import type { Servers } from "../../../../../../components/infrastructure/openstack/servers";
import { isSecret, record } from "../../../recorder";
import { planOf } from "../sample-cloud-args";

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

const publicKey = "ssh-ed25519 AAAA core";
const fingerprintKey = pulumi.output("key");
type Wish = Partial<Pick<HeatRequest, "plan" | "own" | "generations" | "retries" | "images" | "flavors" | "prepared">>;
type Gives = (name: string) => string | undefined;

function request({ plan = planOf(), ...more }: Wish = {}): HeatRequest {
    return {
        name: "core",
        plan,
        publicKey,
        userData: Object.fromEntries(
            [...plan.servers, { name: "core-jump" }, { name: "own-1" }].map(({ name }) => [
                name,
                `contents for ${name}`,
            ]),
        ),
        kept: pulumi.output("{}"),
        dependsOn: [],
        parent: new Ground(),
        cloud: {},
        owner: {} as never,
        place: {} as never,
        fingerprintKey,
        stackName: "core",
        timeoutMinutes: 30,
        generations: { [plan.servers[0]!.name]: 2 },
        prepared: undefined,
        marked: undefined,
        takenOut: undefined,
        inStack: { nodes: {} },
        leftovers: dependsOn => new Leftovers(dependsOn),
        ...more,
    };
}

const values = { cidr: "10.100.0.0/22" };
const everything: Gives = name => (name.endsWith("_cidr") ? values.cidr : `value of ${name}`);

/** A stack with those outputs of its template that have a given value. */
function stackOutputs(template: string, gives: Gives) {
    return Object.keys((parse(template) as { outputs: object }).outputs).flatMap(outputKey => {
        const outputValue = gives(outputKey);
        return outputValue === undefined ? [] : [{ outputKey, outputValue, description: "" }];
    });
}

async function made(wish: Wish = {}, gives: Gives = everything) {
    const template = wish.own?.stack.template ?? heatTemplate(wish.plan ?? planOf()).template;
    const outputs = (type: string) =>
        type.endsWith(":StackV1") ? { StackOutputs: stackOutputs(template, gives) } : {};
    const { resources, result } = await record("up", () => heatServers(request(wish)), { outputs });
    const find = (type: string) => resources.find(each => each.type.endsWith(`:${type}`));
    const stack = find("StackV1");
    ok(stack, "there is a stack");
    return { servers: result, stack, find, parameters: stack.inputs["parameters"] as Record<string, string> };
}

/** As at preview: of a change, where the stack's outputs are the old ones or unknown; or of a new stack, without an id. */
async function previewed(gives: Gives | undefined, id = "stack-id"): Promise<Servers> {
    const { template } = heatTemplate(planOf());
    await pulumi.runtime.setMocks(
        {
            call: () => ({}),
            newResource: ({ inputs }) => ({
                id: id === "" ? undefined : id,
                state: { ...inputs, ...(gives && { StackOutputs: stackOutputs(template, gives) }) },
            }),
        },
        "test",
        "test",
        true,
    );
    const registered = (_request: unknown, done: (error: null) => void) => done(null);
    Object.assign(pulumi.runtime.getMonitor()!, { registerErrorHook: registered, registerResourceHook: registered });
    return heatServers(request());
}

const hashOf = (plan = planOf(), given?: HeatRequest["own"]) =>
    stackHash(heatStack(plan, given?.stack), given, fingerprintKey);

type Inside<T> = { isKnown: Promise<boolean>; promise: () => Promise<T> };
const inside = <T>(output: pulumi.Output<T>) => output as unknown as Inside<T>;
const value = <T>(output: pulumi.Output<T>): Promise<T> => inside(output).promise();

const own: ExpandedStack = {
    template: [
        "heat_template_version: 2018-08-31",
        "parameters:",
        "  image: { type: string }",
        "  size: { type: number, default: 3 }",
        "  password: { type: string, hidden: true }",
        "  own-1_data: { type: string, hidden: true }",
        "  own-1_count: { type: number, default: 0 }",
        "resources: {}",
        "outputs: { a: 1, s: 1, i: 1, d: 1, v: 1 }",
        "",
    ].join("\n"),
    parameters: { image: "debian-12" },
    hiddenParameters: ["password", "own-1_data"],
    nodes: [
        {
            name: "own-1",
            role: "controlPlane",
            resource: "server",
            healed: ["server"],
            shape: {},
            userDataParameter: "own-1_data",
            generationParameter: "own-1_count",
            outputs: { address: "a", sshAddress: "s", serverId: "i", volumes: { data: "d" } },
        },
    ],
    vip: { address: "v" },
    servers: [],
};

describe("servers by Heat", () => {
    it("keep what Kubernetes made until their machines have gone: a node that is refused needs its volumes", async () => {
        const { servers } = await made();
        for (const { usedByNode } of Object.values(servers.servers)) ok(usedByNode![0] instanceof Leftovers);
    });

    it("change only as the resource before them was told: a run that leaves it out stops", async () => {
        const plan = planOf();
        const wanted = hashOf(plan);
        const look = (prepared?: pulumi.Input<string | undefined>) =>
            refuseUnprepared({ stackName: "core", prepared }, wanted);
        await look(hashOf(plan));
        await look(undefined);
        await look("unknown");
        await rejects(look(hashOf(planOf({}, { pools: {} }))), /the stack core changes, and --target or --exclude/);
        const { stack } = await made({ plan });
        deepStrictEqual(
            stack.beforeUpdate.map(name => name.replace(/-\d+$/, "")),
            ["pulumi-nfv-heat-change-core"],
        );
        deepStrictEqual(stack.ignoreChanges, ["name"]);
    });

    it("are another stack by any value of a parameter, also one that is secret or arrives late", async () => {
        const plan = planOf();
        const hash = (parameters: Record<string, pulumi.Input<string>>, known: Record<string, string> = {}) =>
            value(hashOf(plan, { stack: { ...own, parameters: { ...own.parameters, ...known } }, parameters }));
        const before = await hash({ password: pulumi.secret("p") });
        strictEqual(await hash({ password: "p" }), before);
        for (const other of [hash({ password: "q" }), hash({}), hash({ password: "p" }, { image: "debian-13" })])
            ok((await other) !== before);
        ok(!before.includes("debian"));
    });

    it("feeds exactly the parameters that the template has, each as what it is", async () => {
        const { parameters } = await made();
        const plan = planOf();
        deepStrictEqual(Object.keys(parameters).sort(), [...heatTemplate(plan).parameters].sort());
        const [first, second] = plan.servers;
        strictEqual(parameters[`${first!.key}_user_data`], `contents for ${first!.name}`);
        strictEqual(parameters[`${first!.key}_generation`], "2");
        strictEqual(parameters[`${second!.key}_generation`], "0");
        strictEqual(parameters["public_key"], publicKey);
    });

    it("gives each server what it was made of, and else what the plan says, the jump server too", async () => {
        const plan = planOf({ access: { jumpServer: { flavor: "tiny" } } });
        const { parameters } = await made({
            plan,
            images: { "core-workers-1": "i1", "core-jump": "i2" },
            flavors: { "core-workers-1": "f1" },
            generations: { "core-jump": 3 },
        });
        const of = (key: string) => ["image", "flavor", "generation"].map(each => parameters[`${key}_${each}`]);
        deepStrictEqual(of("workers-1"), ["i1", "f1", "0"]);
        deepStrictEqual(of("workers-2"), ["debian", "medium", "0"]);
        deepStrictEqual(of("jump"), ["i2", "tiny", "3"]);
    });

    it("keeps user data secret, and nothing else of the stack", async () => {
        const { stack } = await made();
        for (const [name, given] of Object.entries(stack.raw["parameters"] as object))
            strictEqual(isSecret(given), name.endsWith("_user_data"), name);
        ok(!isSecret(stack.raw["templateOpts"]));
        ok(!JSON.stringify(stack.inputs["templateOpts"]).includes("contents for"));
    });

    it("hides no parameter from Heat: the plug-in would read asterisks, and give them back as values", async () => {
        const { stack } = await made({ own: { stack: own, parameters: { password: "p" } } });
        ok(own.template.includes("hidden"));
        ok(!(stack.inputs["templateOpts"] as { Bin: string }).Bin.includes("hidden"));
        ok(isSecret((stack.raw["parameters"] as Record<string, unknown>)["password"]));
    });

    it("tells the stack whose it is, and keeps what a failed run has made", async () => {
        const { stack } = await made();
        const tags = stack.inputs["tags"] as string[];
        ok(tags.includes("pulumi-nfv.cluster=core"));
        ok(tags.includes(`pulumi-nfv.owner=${ownerOf(publicKey)}`));
        strictEqual(stack.inputs["disableRollback"], true);
        ok(stack.neverDeletedFirst, "--replace would delete the cluster before Heat refuses the new stack");
        strictEqual(stack.protect, false);
        const plan = { ...planOf(), deleteProtection: true };
        strictEqual((await made({ plan })).stack.protect, true);
    });

    it("asks Heat again, by a tag that changes, if a refresh has found that the last change failed", async () => {
        const tags = async (wish: Wish) => (await made(wish)).stack.inputs["tags"] as string[];
        deepStrictEqual(
            (await tags({ retries: 2 })).filter(tag => tag.includes("retry")),
            ["pulumi-nfv.retry=2"],
        );
        ok(!(await tags({})).some(tag => tag.includes("retry")));
    });

    it("does not take another comment of the key for another owner", () => {
        strictEqual(ownerOf("ssh-ed25519 AAAA me@here"), ownerOf("ssh-ed25519 AAAA\n"));
        ok(ownerOf("ssh-ed25519 AAAB") !== ownerOf("ssh-ed25519 AAAA"));
    });

    it("reads what the stack says of each node, and of the virtual address", async () => {
        const { servers } = await made();
        const { name, key } = planOf().servers[0]!;
        const server = servers.servers[name]!;
        strictEqual(await value(server.address), `value of ${key}_address`);
        strictEqual(await value(server.id), `value of ${key}_server_id`);
        strictEqual(await value(servers.vip!.address), "value of vip_address");
        strictEqual(await value(servers.vip!.prefixLength), 22);
        ok(server.deletedWith.constructor.name === "StackV1");
    });

    it("says which output a stack lacks", async () => {
        const { servers } = await made({}, name => (name.endsWith("_server_id") ? undefined : everything(name)));
        const id = servers.servers[planOf().servers[0]!.name]!.id;
        await rejects(value(id), (error: Error) => {
            match(error.message, /STACK_FAILED/);
            match(error.message, /control-plane-1_server_id/);
            return true;
        });
    });

    it("takes no empty text for an address: the plug-in gives it where Heat could not find the value out", async () => {
        const gives: Gives = name => (name.endsWith("_address") ? "" : everything(name));
        const { servers } = await made({}, gives);
        const server = servers.servers[planOf().servers[0]!.name]!;
        await rejects(value(server.address), /STACK_FAILED[\s\S]*does not know the value[\s\S]*pulumi up --refresh/);
        const shown = await previewed(gives);
        strictEqual(await inside(shown.servers[planOf().servers[0]!.name]!.address).isKnown, false);
    });

    it("knows nothing of a stack that is yet to come", async () => {
        const { servers, vip } = await previewed(undefined, "");
        const server = servers[planOf().servers[0]!.name]!;
        strictEqual(await inside(server.address).isKnown, false);
        strictEqual(await inside(vip!.prefixLength).isKnown, false);
        // What is on the present server of that name is shown as replaced.
        strictEqual(await inside(server.id).isKnown, false);
    });

    it("says nothing of servers at preview where a stack changes that is there: they may all stay", async () => {
        const { servers } = await previewed(undefined);
        const server = servers[planOf().servers[0]!.name]!;
        strictEqual(await inside(server.address).isKnown, false);
        strictEqual(await inside(server.id).isKnown, true);
        strictEqual(await value(server.id), undefined);
    });

    it("at preview knows the nodes that are there, and not those that come", async () => {
        const { servers } = await previewed(name => (name.startsWith("workers-1") ? undefined : everything(name)));
        const [old, coming] = ["core-control-plane-1", "core-workers-1"].map(name => servers[name]!);
        strictEqual(await inside(old!.address).isKnown, true);
        strictEqual(await value(old!.id), "value of control-plane-1_server_id");
        strictEqual(await inside(coming!.address).isKnown, false);
        strictEqual(await inside(coming!.id).isKnown, true);
        strictEqual(await value(coming!.id), undefined);
    });

    it("takes a template of the user's: its parameters, its nodes, a key pair beside it", async () => {
        const { servers, stack, find, parameters } = await made({
            own: { stack: own, parameters: { password: pulumi.secret("p") } },
            generations: { "own-1": 1 },
        });
        deepStrictEqual(parameters, {
            image: "debian-12",
            size: "3",
            password: "p",
            "own-1_data": "contents for own-1",
            "own-1_count": "1",
        });
        strictEqual((stack.inputs["environmentOpts"] as { Bin: string }).Bin, "\n");
        strictEqual(find("Keypair")!.inputs["publicKey"], publicKey);
        ok(stack.after.includes(find("Keypair")!.label));
        deepStrictEqual(Object.keys(servers.servers), ["own-1"]);
        const { floatingIp, address, volumes } = servers.servers["own-1"]!;
        deepStrictEqual(await Promise.all([floatingIp!, address, volumes["data"]!].map(value)), [
            "value of s",
            "value of a",
            "value of d",
        ]);
        strictEqual(await value(servers.vip!.prefixLength), 32);
    });
});
