import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { KubernetesCluster } from "../../../../components";
import type { RotateArgs } from "../../../../components/args/rotate-args";
import { rotateProblems } from "../../../../components/validation/rotate-rules";
import { unpack } from "../../../../provider/contract/packed";
import { isSecret, record, registered } from "../recorder";
import { clusterArgs } from "../sample-args";

const program = (rotate?: RotateArgs) => () => {
    new KubernetesCluster("core", clusterArgs(3, { a: 1 }, rotate ? { rotate } : {}));
};
const made = async (rotate?: RotateArgs) => (await record("up", program(rotate))).resources;
const stepsOf = (inputs: Record<string, unknown>) => JSON.stringify((unpack(inputs, ["connection"]) as any).steps);

describe("the rotation of the service-account key in the program", () => {
    it("comes when all nodes are there, before the Vim gets its token, and after the rotation of the encryption key", async () => {
        const resources = await made({ serviceAccountKey: "one", encryptionKey: "one" });
        const { after, deletedWith } = registered(resources, "ServiceAccountRotation core");
        for (const name of ["Node core-m1", "Node core-m3", "Node core-a-1", "EncryptionRotation core"])
            ok(after.includes(name), name);
        strictEqual(deletedWith, "ClusterId core");
        ok(registered(resources, "VimRegistration core").after.includes("ServiceAccountRotation core"));
        ok(registered(resources, "OperationEnd core").after.includes("ServiceAccountRotation core"));
    });

    it("says what happens on each control-plane node, and keeps the key secret", async () => {
        const { resources, identity } = await record("up", program({ serviceAccountKey: "one" }));
        const { inputs, raw } = registered(resources, "ServiceAccountRotation core");
        const { nodes, word, key, graceHours } = inputs as any;
        deepStrictEqual([Object.keys(nodes), word, graceHours], [["m1", "m2", "m3"], "one", 24]);
        match(nodes.m2, /restarts to accept tokens of the new service-account key, and once more to sign with it/);
        strictEqual(key.secret, identity.serviceAccountKey);
        const open = JSON.stringify(raw, (_, value) => (isSecret(value) ? "" : value));
        doesNotMatch(open, /PRIVATE KEY/);
    });

    it("is nothing without a word", async () => {
        const resources = await made();
        ok(!resources.some(({ label }) => label.startsWith("ServiceAccountRotation ")));
    });

    it("changes at preview no node, and asks for no key there", async () => {
        const previewed = async (rotate?: RotateArgs) =>
            (await record("preview", program(rotate), { updated: [] })).resources;
        const before = await previewed();
        const after = await previewed({ serviceAccountKey: "one" });
        deepStrictEqual(registered(after, "ClusterKeys core").inputs, registered(before, "ClusterKeys core").inputs);
        for (const label of ["Host core-m1", "Host core-a-1", "Node core-a-1", "Node core-m1"])
            strictEqual(stepsOf(registered(after, label).inputs), stepsOf(registered(before, label).inputs), label);
    });

    it("is refused for a word that is none, a grace in which pods lose their access, and beside keys of one's own", () => {
        const said = (rotate: RotateArgs, controlPlane: object = {}) =>
            rotateProblems({ controlPlane, rotate } as never).map(([where, what]) => `${where}: ${what}`);
        deepStrictEqual(said({ serviceAccountKey: "one", serviceAccountGraceHours: 2 }), []);
        deepStrictEqual(said({ serviceAccountKey: "one" }, { encryptionAtRest: { enabled: false } }), []);
        match(said({ serviceAccountKey: "a b" })[0]!, /^rotate\.serviceAccountKey: "a b" is not allowed/);
        match(
            said({ serviceAccountKey: "one", serviceAccountGraceHours: 1 })[0]!,
            /^rotate\.serviceAccountGraceHours: 1 is not allowed: from 2 to 8760 hours, because pods get another token within an hour/,
        );
        match(
            said({ serviceAccountGraceHours: 5 })[0]!,
            /^rotate\.serviceAccountGraceHours: needs rotate\.serviceAccountKey/,
        );
        for (const [part, flag] of [
            ["apiServer", "service-account-key-file"],
            ["apiServer", "service-account-signing-key-file"],
            ["controllerManager", "service-account-private-key-file"],
        ] as const)
            match(
                said({ serviceAccountKey: "one" }, { extraArgs: { [part]: { [flag]: "/etc/mine" } } })[0]!,
                new RegExp(`${part}\\["${flag}"\\]: these keys are yours to rotate`),
            );
    });
});
