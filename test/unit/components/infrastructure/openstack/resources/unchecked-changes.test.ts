import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { novaServers } from "../../../../../../components/infrastructure/openstack/nova/nova-servers";
import type { ServerPlan } from "../../../../../../components/infrastructure/openstack/plan/server-plan";
import { cloudHooks } from "../../../../../../components/infrastructure/openstack/resources/cloud-hooks";
import { resourceContext } from "../../../../../../components/infrastructure/openstack/resources/resource-context";
import {
    type Checked,
    shapeHashes,
    uncheckedGuard,
} from "../../../../../../components/infrastructure/openstack/resources/unchecked-changes";
import type { ServersRequest } from "../../../../../../components/infrastructure/openstack/servers";
import { isSecret, record } from "../../../recorder";
import { planOf } from "../sample-cloud-args";

const fingerprintKey = pulumi.secret("key");
const two = { controlPlane: { count: 1 }, pools: { workers: { count: 1 }, other: { count: 1 } } };
const [master, worker] = ["core-control-plane-1", "core-workers-1"];
const keptOf = (cidr: string) => JSON.stringify({ fixed: { "infrastructure.nova.network.cidr": cidr }, masters: [] });
const kept = keptOf("10.100.0.0/24");

/** The plan with another value for the servers of one pool. */
function withPool(server: object, more: object = {}): ServerPlan {
    return planOf({}, { ...two, pools: { ...two.pools, workers: { count: 1, server, ...more } } });
}

const plan = planOf({ server: { volumes: { data: { sizeGiB: 1 } } } }, two);

/** What the checks have seen: the plan, unless told otherwise. */
function seenOf(seen: Partial<{ [K in keyof Checked]: unknown }> = {}): Checked {
    const given = { keptInputs: kept, shapes: shapeHashes(plan, fingerprintKey), ...seen };
    return { keptInputs: pulumi.output(given.keptInputs), shapes: pulumi.output(given.shapes) } as Checked;
}

/** The error with which the resources of these nodes refuse to be registered. */
async function refusal(seen: Checked, nodes: string[], wanted = plan, keptNow = kept): Promise<string | undefined> {
    const guard = uncheckedGuard({ checked: seen, kept: pulumi.output(keptNow), fingerprintKey, plan: wanted });
    return guard(nodes).then(
        () => undefined,
        error => String(error.message),
    );
}

const unknown = new (pulumi.Output as any)(
    new Set(),
    Promise.resolve(pulumi.unknown),
    Promise.resolve(false),
    Promise.resolve(false),
    Promise.resolve(new Set()),
) as pulumi.Output<never>;

describe("a change that OperationStart has not checked", () => {
    it("is one error object for all resources, which the SDK shows once and without a stack trace", async () => {
        const guard = uncheckedGuard({ checked: seenOf(), kept: pulumi.output(keptOf("")), fingerprintKey, plan });
        const errors = await Promise.all([[], [master]].map(nodes => guard(nodes).catch(error => error)));
        strictEqual(errors[0], errors[1]);
        ok(pulumi.RunError.isInstance(errors[0]));
    });

    it("of an input that a cluster keeps is refused by every resource", async () => {
        for (const nodes of [[], [master], [worker]]) {
            const reason = await refusal(seenOf(), nodes, plan, keptOf("10.101.0.0/24"));
            match(reason!, /infrastructure\.nova\.network\.cidr changed in the program, and --target or --exclude/);
        }
    });

    const shapes: [string, ServerPlan][] = [
        ["flavor", withPool({}, { flavor: "large" })],
        ["bootVolume", withPool({ bootVolume: { sizeGiB: 9 } })],
        ["port.vnicType", withPool({ port: { vnicType: "direct" } })],
        ["networks", withPool({ networks: [{ network: "n6" }] })],
        ["availabilityZones", withPool({ availabilityZones: ["az2"] })],
    ];
    for (const [what, wanted] of shapes) {
        it(`of a node's ${what} is refused by the resources of this node, and by no others`, async () => {
            match(
                (await refusal(seenOf(), [worker], wanted))!,
                new RegExp(`of ${worker} changed.*--target or --exclude`),
            );
            strictEqual(await refusal(seenOf(), [master, "core-other-1"], wanted), undefined);
            strictEqual(await refusal(seenOf(), [], wanted), undefined);
        });
    }

    const passing: [string, Checked, ServerPlan?][] = [
        ["the same inputs", seenOf()],
        ["a node that it has not seen", seenOf({ shapes: {} }), shapes[0]![1]],
        ["further volumes", seenOf(), planOf({}, two)],
        ["what is not known at preview", { keptInputs: unknown, shapes: unknown }, shapes[0]![1]],
        ["what this run has checked", seenOf({ shapes: shapeHashes(shapes[0]![1], fingerprintKey) }), shapes[0]![1]],
    ];
    for (const [what, seen, wanted] of passing) {
        it(`passes: ${what}`, async () => strictEqual(await refusal(seen, [worker, master], wanted), undefined));
    }
});

const addresses = (type: string) => (type.endsWith(":Port") ? { allFixedIps: ["10.100.0.9"] } : {});

class Ground extends pulumi.ComponentResource {
    constructor() {
        super("test:index:Ground", "core");
    }
}

/** The resources that the engine is asked for, and the errors of the others. */
async function asked(checked: Checked, wanted: ServerPlan, mode: "preview" | "up", keptNow = pulumi.output(kept)) {
    const program = () => {
        const parent = new Ground();
        const request: ServersRequest = {
            name: "vnf",
            plan: wanted,
            publicKey: "ssh-ed25519 key",
            userData: Object.fromEntries(wanted.servers.map(({ name }) => [name, "#cloud-config"])),
            dependsOn: [],
            parent,
            owner: {} as never,
            place: {} as never,
            leftovers: () => new pulumi.ComponentResource("test:index:Leftovers", "core"),
            kept: keptNow,
            fingerprintKey,
        };
        return novaServers(request, resourceContext({ ...request, hooks: cloudHooks(request), checked }));
    };
    const errors: string[] = [];
    const note = (error: unknown) => errors.push(String((error as Error).message));
    // The SDK reports an input that fails as an unhandled rejection; mocha must not end on it.
    const others = process.listeners("unhandledRejection");
    process.removeAllListeners("unhandledRejection");
    process.on("unhandledRejection", note);
    try {
        const { resources } = await record(mode, program, { outputs: addresses });
        return { errors, parts: resources.filter(({ type }) => type.startsWith("openstack:")) };
    } finally {
        process.removeAllListeners("unhandledRejection");
        for (const other of others) process.on("unhandledRejection", other);
    }
}

describe("servers of a run that leaves the checks out", () => {
    it("are registered as they were if nothing changed, with a name that preview knows and that is no secret", async () => {
        const secret = pulumi.secret(kept);
        for (const seen of [
            seenOf(),
            seenOf({ keptInputs: secret, shapes: pulumi.secret(shapeHashes(plan, fingerprintKey)) }),
        ]) {
            const { parts } = await asked(seen, plan, "preview", secret);
            const instance = parts.find(({ label }) => label === "Instance vnf-workers-1")!;
            strictEqual(instance.inputs["name"], worker);
            ok(!isSecret(instance.raw["name"]));
            ok(parts.some(({ label }) => label === "VolumeAttach vnf-workers-1-data"));
        }
    });

    it("are not registered, nor anything else in the cloud, if an input changed that the cluster keeps", async () => {
        const { parts, errors } = await asked(seenOf(), plan, "up", pulumi.output(keptOf("10.101.0.0/24")));
        deepStrictEqual(
            parts.map(({ label }) => label),
            [],
        );
        ok(errors.length > 0 && errors.every(error => error.includes("infrastructure.nova.network.cidr")));
    });

    it("are registered without those whose inputs changed, without their ports, floating IPs and server groups", async () => {
        const { parts, errors } = await asked(seenOf(), withPool({}, { flavor: "large" }), "up");
        const labels = parts.map(({ label }) => label);
        deepStrictEqual(
            labels.filter(label => label.includes("vnf-workers")),
            [],
        );
        ok(labels.includes("Instance vnf-control-plane-1") && labels.includes("Instance vnf-other-1"));
        ok(errors.length > 0 && errors.every(error => error.includes(worker)), errors.join("\n"));
    });
});
