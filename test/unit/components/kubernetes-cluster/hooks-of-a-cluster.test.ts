import { deepStrictEqual, doesNotMatch, match, notDeepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HookArgs, KubernetesCluster } from "../../../../components";
import { promiseOf } from "../../../../provider/adapters/later";
import { unpack } from "../../../../provider/contract/packed";
import { isSecret, type Registered, record, registered } from "../recorder";
import { clusterArgs } from "../sample-args";

describe("the hooks of a cluster", () => {
    let folder: string;
    before(async () => {
        folder = mkdtempSync(join(tmpdir(), "pulumi-nfv-test-"));
        writeFileSync(join(folder, "hook.sh"), "one");
        // The first program loads Pulumi's SDK.
        await record("up", () => undefined);
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    const hook = (change: Partial<HookArgs> = {}): HookArgs => ({
        ...{ name: "say", script: join(folder, "hook.sh"), events: ["scaleEnd"] },
        parameters: { password: "canary-parameter" },
        ...change,
    });
    const history = [{ id: "7", kind: "scale" }];
    const made = async (hooks?: HookArgs[], operations: number | undefined = 7) => {
        const { resources, result } = await record(
            "up",
            () => new KubernetesCluster("core", clusterArgs(1, { a: 1 }, { ...(hooks && { hooks }) })),
            {
                outputs: type =>
                    type.endsWith(":OperationStart")
                        ? { history, operation: "scale", ...(operations !== undefined && { operations }) }
                        : {},
            },
        );
        return { resources, cluster: result };
    };
    const inputsOf = (resources: Registered[], label: string) =>
        unpack(registered(resources, label).inputs, ["hooks", "controlPlane", "workers", "access", "fingerprintKey"]);

    it("reach both ends of the operation", async () => {
        const { resources } = await made([hook()]);
        const start = inputsOf(resources, "OperationStart core")["hooks"] as { clusterName: string; list: object[] };
        const end = inputsOf(resources, "OperationEnd core");
        deepStrictEqual([start.clusterName, start.list.length], ["core", 1]);
        const { addresses, ...others } = end["hooks"] as { addresses: object };
        deepStrictEqual(others, start);
        deepStrictEqual(addresses, { m1: "10.99.0.11", "a-1": "10.99.0.22" });
        deepStrictEqual(end["history"], history);
    });

    it("are secret, because their parameters may be", async () => {
        const { resources } = await made([hook()]);
        for (const label of ["OperationStart core", "OperationEnd core"]) {
            const { raw } = registered(resources, label);
            ok(isSecret(raw["secrets"]), label);
            const { secrets, ...open } = raw;
            match(JSON.stringify(secrets), /canary-parameter/);
            doesNotMatch(JSON.stringify(open), /canary-parameter/);
        }
    });

    it("get what the last operation has left by an input of its own: what is packed with other secrets is stored", async () => {
        const { resources } = await made([hook()]);
        const { raw } = registered(resources, "OperationStart core");
        ok(isSecret(raw["before"]));
        doesNotMatch(JSON.stringify(raw["secrets"]), /endedHooks/);
    });

    it("change nothing of a cluster that has none", async () => {
        const { resources } = await made();
        for (const label of ["OperationStart core", "OperationEnd core"])
            for (const name of ["hooks", "history", "before"])
                strictEqual(inputsOf(resources, label)[name], undefined, `${label}: ${name}`);
        const { resources: withNone } = await made([]);
        deepStrictEqual(
            withNone.map(({ label }) => label),
            resources.map(({ label }) => label),
        );
    });

    const changes: [title: string, change: () => HookArgs][] = [
        ["another event", () => hook({ events: ["healEnd"] })],
        ["another parameter", () => hook({ parameters: { password: "other" } })],
        ["another deadline", () => hook({ timeoutSeconds: 5 })],
        ["another place", () => hook({ nodes: { pool: "a" } })],
        [
            "another content of its file",
            () => {
                writeFileSync(join(folder, "hook.sh"), "two");
                return hook();
            },
        ],
    ];
    for (const [title, change] of changes)
        it(`changed by ${title} are "modify information: hooks", and nothing on nodes`, async () => {
            writeFileSync(join(folder, "hook.sh"), "one");
            const { resources: before } = await made([hook()]);
            const { resources: after } = await made([change()]);
            const settings = (resources: Registered[]) =>
                (inputsOf(resources, "OperationStart core")["spec"] as { settings: Record<string, string> }).settings;
            const { hooks: oldHash, ...others } = settings(before);
            const { hooks: newHash, ...same } = settings(after);
            notDeepStrictEqual(newHash, oldHash);
            deepStrictEqual(same, others);
            const changed = after.filter(
                ({ label, inputs }) =>
                    JSON.stringify(inputs) !== JSON.stringify(before.find(each => each.label === label)!.inputs),
            );
            deepStrictEqual(changed.map(({ label }) => label).sort(), ["OperationEnd core", "OperationStart core"]);
        });
});

describe("the number of a cluster's last operation", () => {
    const idOf = async (operations: number | undefined) => {
        const { result } = await record("preview", () => new KubernetesCluster("core", clusterArgs(1)).operationId, {
            updated: ["OperationEnd"],
            outputs: type => (type.endsWith(":OperationStart") && operations !== undefined ? { operations } : {}),
        });
        return promiseOf(result);
    };

    it("is an output that preview knows, as text", async () => {
        strictEqual(await idOf(7), "7");
    });

    it("is 0 or not known yet at a first preview that does not know the nodes", async () => {
        ok(["0", undefined].includes(await idOf(undefined)));
    });
});
