import assert from "node:assert/strict";
import { heldKeys } from "../../../../provider/cloud/held-keys";
import { targetOf } from "../../../../provider/cloud/remove-nodes";
import { unknownValue } from "../../../../provider/contract/values";
import { givesOtherHostKey } from "../../../../provider/machine/machine";
import { hostKeyOf } from "../../../../provider/openstack/host-key";
import { keyOfThisRun } from "../../../../provider/ssh";

const [one, two] = [1, 2].map(byte => Buffer.alloc(32, byte).toString("base64")) as [string, string];
const keyOf = (seed: string, server: string) => hostKeyOf(seed, server).publicKey;

describe("the keys that a server of ours may show", () => {
    it("are those of each seed, by the server's name", () => {
        assert.equal(heldKeys(one, "m1"), keyOf(one, "m1"));
        assert.equal(heldKeys(`${one}\n${two}`, "m1"), `${keyOf(one, "m1")}\n${keyOf(two, "m1")}`);
        assert.notEqual(heldKeys(one, "m1"), heldKeys(one, "m2"));
    });

    it("have a place for one that a preview cannot know yet", () =>
        assert.equal(heldKeys(`${one}\n${keyOfThisRun}`, "m1"), `${keyOf(one, "m1")}\n${keyOfThisRun}`));

    it("are taken of nodes of a stack and of its jump server while they change", () => {
        const spec = {
            ...{ clusterId: "core-1", cloud: {}, jump: { name: "jump", output: "jump" } },
            nodes: { m1: { role: "controlPlane", stack: { server: "m1", address: "m1" } } },
        };
        const stack = { outputs: { m1: "10.0.0.5", jump: "203.0.113.7" } };
        const target = targetOf({ spec, ssh: {}, seed: `${one}\n${two}` } as never, stack as never, "m1")!;
        assert.deepEqual(
            [target.hostKey, target.jump!.hostKey].map(held => held!.split("\n").length),
            [2, 2],
        );
    });

    const server = { cloud: {} } as never;
    const rows: [title: string, before: string | undefined, after: string | undefined, differs: boolean][] = [
        ["change the state when another one comes", "a", "a\nb", true],
        ["change it when the former one goes", "a\nb", "b", true],
        ["change it no more after that", "b", "b", false],
        ["change nothing where the server has its own", undefined, undefined, false],
        ["change nothing while they are not known", "a", unknownValue, false],
    ];
    for (const [title, before, after, differs] of rows) {
        it(title, () => {
            // What the machine has shown says nothing about what it may show.
            const olds = { hostKey: "b", connection: { host: "h", ...(before && { hostKey: before }) } };
            const news = { server, connection: { host: "h", ...(after && { hostKey: after }) } };
            assert.equal(givesOtherHostKey(olds, news), differs);
        });
    }
});
