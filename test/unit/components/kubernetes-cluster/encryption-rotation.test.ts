import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { KubernetesCluster } from "../../../../components";
import { rotateProblems } from "../../../../components/validation/rotate-rules";
import { unpack } from "../../../../provider/contract/packed";
import { isSecret, record, registered } from "../recorder";
import { clusterArgs } from "../sample-args";

const program = (word?: string) => () => {
    new KubernetesCluster("core", clusterArgs(3, { a: 1 }, word ? { rotate: { encryptionKey: word } } : {}));
};
const made = async (word?: string) => (await record("up", program(word))).resources;
/** A stack that exists, whose recorded key was made without a word. */
const previewed = async (word?: string) => (await record("preview", program(word), { updated: [] })).resources;
const stepsOf = (inputs: Record<string, unknown>) => JSON.stringify((unpack(inputs, ["connection"]) as any).steps);

describe("the rotation of the encryption key in the program", () => {
    it("comes when all nodes are there, before the end of the operation, and goes with the cluster", async () => {
        const resources = await made("one");
        const { after, deletedWith } = registered(resources, "EncryptionRotation core");
        for (const name of ["m1", "m2", "m3", "a-1"]) ok(after.includes(`Node core-${name}`), name);
        strictEqual(deletedWith, "ClusterId core");
        ok(registered(resources, "OperationEnd core").after.includes("EncryptionRotation core"));
    });

    it("says what happens on each control-plane node, and keeps the key secret", async () => {
        const { resources, identity } = await record("up", program("one"));
        const { inputs, raw } = registered(resources, "EncryptionRotation core");
        const { nodes, word, key, peers } = inputs as any;
        deepStrictEqual(
            JSON.parse(peers).map(({ name }: { name: string }) => name),
            ["m1", "m2", "m3"],
        );
        deepStrictEqual([Object.keys(nodes), word], [["m1", "m2", "m3"], "one"]);
        match(nodes.m2, /gets to know the new encryption key, encrypts with it, and forgets the former one/);
        strictEqual(key.secret, identity.encryptionKey);
        const open = JSON.stringify(raw, (_, value) => (isSecret(value) ? "" : value));
        doesNotMatch(open, new RegExp(key.secret.replace(/[+/]/g, "\\$&")));
    });

    it("is nothing without a word, and no step changes then", async () => {
        ok(!(await made()).some(({ label }) => label.startsWith("EncryptionRotation ")));
    });

    it("changes at preview no other resource, asks for no key there, and hides nothing that is known", async () => {
        const before = await previewed();
        const after = await previewed("one");
        deepStrictEqual(registered(after, "ClusterKeys core").inputs, registered(before, "ClusterKeys core").inputs);
        for (const label of ["Host core-m1", "Host core-a-1", "Node core-a-1", "Node core-m1"])
            strictEqual(stepsOf(registered(after, label).inputs), stepsOf(registered(before, label).inputs), label);
    });

    it("is refused for a word that is none, without encryption, and beside settings of one's own", () => {
        const said = (controlPlane: object, encryptionKey = "one") =>
            rotateProblems({ controlPlane, rotate: { encryptionKey } } as never).map(([, what]) => what);
        deepStrictEqual(said({}), []);
        match(said({}, "a b")[0]!, /"a b" is not allowed/);
        match(said({ encryptionAtRest: { enabled: false } })[0]!, /needs controlPlane.encryptionAtRest/);
        const extraArgs = { apiServer: { "encryption-provider-config": "/etc/mine" } };
        match(said({ extraArgs })[0]!, /these settings are yours to rotate/);
        const etcdRestore = { run: "one", onto: "newMachines" };
        const onNew = rotateProblems({ rotate: { encryptionKey: "one" }, etcdRestore } as never);
        match(onNew[0]![1], /the snapshot needs the key of its time/);
    });
});
