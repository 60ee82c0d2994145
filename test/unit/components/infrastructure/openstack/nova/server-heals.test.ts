import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { KubernetesCluster } from "../../../../../../components";
import type { KubernetesClusterArgs } from "../../../../../../components/args/args";
import { serverHeals } from "../../../../../../components/infrastructure/openstack/nova/server-heals";
import { doneIn } from "../../../../../../components/infrastructure/replacing";
import type { StateOutputs } from "../../../../../../provider/adapters/own-state";
import type { Heals } from "../../../../../../provider/operation/heals";
import { type Registered, record } from "../../../recorder";
import { cloudArgs } from "../sample-cloud-args";

const urn = (type: string, name: string) =>
    `urn:pulumi:dev::p::pulumi-nfv:index:KubernetesCluster$pulumi-nodejs:dynamic/nfv:${type}::${name}`;
const spec = (name: string) => JSON.stringify({ clusterId: "core-1", name });
const outputs = (name: string, heal?: number) => ({ outputs: { spec: spec(name), ...(heal && { heal }) } });

describe("a server that is made again because a program asks for it", () => {
    const answers = (heals?: Heals) => ({
        call: () => ({ id: "id", name: "public", cidr: "192.168.0.0/20" }),
        outputs: (type: string) => ({
            ...(type.endsWith(":Port") && { allFixedIps: ["10.100.0.7"] }),
            ...(type.endsWith(":FloatingIp") && { address: "203.0.113.7" }),
            ...(type.endsWith(":ServerKeys") && { seed: "c2VlZA==", publicKey: "ssh-ed25519 AAAA", privateKey: "key" }),
            ...(type.endsWith(":OperationStart") && { generations: {}, ...(heals && { heals }) }),
        }),
    });
    const triggers = async (heal: KubernetesClusterArgs["heal"], heals?: Heals) => {
        const args = { ...cloudArgs({}, { pools: { workers: { count: 2 } } }), ...(heal && { heal }) };
        const { resources } = await record("up", () => new KubernetesCluster("core", args), answers(heals));
        const servers = resources.filter(({ label }) => /^Instance \S+-workers-\d$/.test(label));
        return servers.map(({ replacementTrigger }: Registered) => replacementTrigger);
    };

    it("is replaced by the number of its heal; the triggers of others, and of programs without heal, are their ports", async () => {
        const plain = (await triggers(undefined)) as string[][];
        strictEqual(plain.length, 2);
        const [first, second] = plain.map(([port]) => port);
        const name = "core-workers-1";
        const heals = { run: "one", nodes: { [name]: 3 }, servers: { [name]: [1, 3] } };
        deepStrictEqual(await triggers({ run: "one", nodes: [name] }, heals), [[`${first} 3`], [second]]);
        // A heal of the node on its own server has no number here.
        deepStrictEqual(await triggers(undefined, { run: "one", nodes: { [name]: 4 } }), plain);
    });

    it("is done where the node says so in the state: there it is looked up by its whole name", () => {
        const state = {
            [urn("Host", "core-w1")]: outputs("w1", 7),
            [urn("Node", "core-w1")]: outputs("w1", 2),
            [urn("Node", "core-w11")]: outputs("w11"),
            [urn("Node", "other")]: { outputs: {} },
        };
        deepStrictEqual(
            ["w1", "w11", "w2"].map(name => doneIn(state, `core-1/${name}`)),
            [2, 0, undefined],
        );
    });

    it("is never made again because the state cannot be read: a heal that was withdrawn would be done", async () => {
        const heals = { run: "one", nodes: { w1: 3 }, servers: { w1: [3] } };
        const numberIn = async (state: StateOutputs) => {
            const numberOf = serverHeals(
                { heals: pulumi.output<unknown>(heals) as unknown as pulumi.Output<Heals> },
                () => false,
                "core-1",
                async () => state,
            );
            return (numberOf("w1") as unknown as { promise(): Promise<unknown> }).promise();
        };
        strictEqual(await numberIn({ [urn("Node", "core-w1")]: outputs("w1") }), undefined);
        strictEqual(await numberIn({ [urn("Node", "core-w1")]: outputs("w1", 3) }), 3);
        await rejects(numberIn({}), /INVALID_INPUT[\s\S]*cannot be read/);
    });
});
