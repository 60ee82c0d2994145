import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
    describeHooks,
    type HookMomentInputs,
    HooksStopped,
    runHooks,
} from "../../../../../provider/cluster/hooks/cluster-hooks";
import type { NfvError } from "../../../../../provider/common/errors";
import { hashOfHook } from "../../../../../provider/operation/hooks/hash";
import type { ClusterHooks } from "../../../../../provider/operation/hooks/hook-inputs";
import { skipVariable } from "../../../../../provider/operation/hooks/run-hook";
import { specOf } from "../../operation/hooks/fixtures";
import { endRun, listener } from "../../support/cluster";
import { hooksThatNote, operationOf } from "./hook-samples";

const auth = { clientCertificate: "certificate", clientKey: "line of the client key" };
const access = { endpoint: "https://10.0.0.100:6443", caCertificate: "authority", auth };

describe("the hooks of one moment of a cluster's operations", () => {
    const hooks = hooksThatNote();
    afterEach(async () => {
        delete process.env[skipVariable];
        await endRun();
    });

    const run = (list: ClusterHooks, change: Partial<HookMomentInputs> = {}, context = listener()) =>
        runHooks(
            {
                ...{ hooks: list, operations: [operationOf("7"), operationOf("8", "heal")], moment: "end" },
                ...{ clusterId: "c0ffee", kubernetesVersion: "1.34.4", reach: { machines: {} } },
                machines: { before: {}, after: {} },
                ...change,
            },
            { ...context, urn: "urn:pulumi:dev::site::pulumi-nodejs:dynamic/nfv:OperationEnd::core" },
        );

    it("run one after another, operation by operation, and their keys are what has ended", async () => {
        const keys = await run(hooks.of("b", "a"));
        assert.deepEqual(keys, ["7 scale_end b", "7 scale_end a", "8 heal_end b", "8 heal_end a"]);
        assert.deepEqual(hooks.order(), keys);
    });

    it("run only if they have not ended before", async () => {
        const ended = ["7 scale_end b", "8 heal_end a"];
        const keys = await run(hooks.of("b", "a"), { ended });
        assert.deepEqual(hooks.order(), ["7 scale_end a", "8 heal_end b"]);
        assert.deepEqual(keys, [...ended, "7 scale_end a", "8 heal_end b"]);
    });

    it("stop at the first that fails, and say which have ended", async () => {
        writeFileSync(join(hooks.folder.path, "fail-a-scaleEnd"), "");
        const error = await run(hooks.of("b", "a")).then(
            () => assert.fail("it did not fail"),
            (reason: HooksStopped) => reason,
        );
        assert.ok(error instanceof HooksStopped);
        assert.deepEqual(error.ended, ["7 scale_end b"]);
        assert.match(error.message, /hook a: scale_end: HOOK_FAILED\n +no licence/);
        assert.deepEqual(hooks.order(), ["7 scale_end b", "7 scale_end a"]);
    });

    it("are told the stack and the cluster, with administrator access where there is one", async () => {
        await run(hooks.of("a"), { operations: [operationOf("7")], reach: { machines: {}, access } });
        const [{ stack, cluster }] = hooks.told();
        assert.deepEqual(stack, { project: "site", name: "dev" });
        const { kubeconfig, ...rest } = cluster;
        assert.match(kubeconfig, /server: https:\/\/10\.0\.0\.100:6443/);
        assert.deepEqual(rest, {
            ...{ id: "c0ffee", name: "core", kubernetesVersion: "1.34.4" },
            ...{ endpoint: "https://10.0.0.100:6443", caCertificate: "authority" },
        });
    });

    it("show neither keys nor passwords nor longer texts of their parameters", async () => {
        const context = listener();
        const parameters = {
            ...{ password: "open-sesame", deep: [{ token: "second-secret" }], zone: "north" },
            ...{ pin: 48151623, credentials: { admin: "hunter2" } },
        };
        const connection = { host: "10.0.0.11", user: "root", password: "password-of-ssh" };
        const list = { clusterName: "core", list: [hooks.one("a", { parameters })] };
        const reach = { access, machines: { m1: { connection } } };
        await run(list, { operations: [operationOf("7")], reach }, context);
        const shown = [...context.said, ...context.noted, ...context.warned].join("\n");
        assert.match(shown, /a: says .*\*\*\*/);
        assert.match(shown, /north/);
        for (const secret of ["open-sesame", "second-secret", "line of the client key", "48151623", "hunter2"])
            assert.ok(!shown.includes(secret), secret);
    });

    it("show no key in the kubeconfig that they are told, nor a secret as JSON writes it", async () => {
        const context = listener();
        const list = { clusterName: "core", list: [hooks.one("a", { parameters: { password: 'open"sesame\\9' } })] };
        await run(list, { operations: [operationOf("7")], reach: { machines: {}, access } }, context);
        const shown = context.noted.join("\n");
        assert.match(shown, /client-key-data/);
        assert.ok(!shown.includes(Buffer.from(auth.clientKey).toString("base64")), "key");
        assert.ok(!shown.includes("sesame"), "password");
    });

    it("are listed in their order: those of the start, then those of the end", async () => {
        const list = hooks.of("b");
        const both = [operationOf("7"), operationOf("8", "heal")];
        assert.deepEqual(
            (await describeHooks(list, { starting: both, ending: both, ended: [] })).map(line => line.split(" (")[0]),
            ["scale_start: b", "heal_start: b", "scale_end: b", "heal_end: b"],
        );
    });

    describe("whose program works in another folder than they run in, as inline programs may", () => {
        const cwd = process.cwd();
        afterEach(() => process.chdir(cwd));

        it("are refused before they run where another file would run, with both folders' meaning", async () => {
            hooks.folder.put({
                "program/hook.js": "exports.scaleEnd = () => {}",
                "main/hook.js": "exports.scaleEnd = () => 1",
            });
            const begun = { starting: [operationOf("7")], ending: [operationOf("7")], ended: [] };
            const read = hashOfHook({ files: ["hook.js"] }, join(hooks.folder.path, "program"));
            const list = { clusterName: "core", list: [hooks.one("a", { files: ["hook.js"], hash: read })] };
            process.chdir(join(hooks.folder.path, "main"));
            await assert.rejects(describeHooks(list, begun), (error: NfvError) => {
                assert.match(
                    error.reason,
                    /^hook a: hook\.js in \S+\/main, where hooks run, is not what the program has read$/,
                );
                assert.match(error.hint, /join\(__dirname/);
                return error.code === "INVALID_INPUT";
            });
            process.env[skipVariable] = "a";
            await describeHooks(list, begun);
            delete process.env[skipVariable];
            process.chdir(join(hooks.folder.path, "program"));
            assert.match((await describeHooks(list, begun)).join(), /^scale_end: a /);
        });
    });

    it("can be left out by name although their files are gone", async () => {
        const gone = [
            hooks.one("gone", { files: ["/nowhere/driver.js"] }),
            specOf({ name: "script", files: ["/nowhere/hook.sh"], events: ["scaleEnd"] }),
        ];
        const list = { clusterName: "core", list: [...gone, hooks.one("a")] };
        await assert.rejects(run(list), /cannot be loaded|there is no such file/);
        process.env[skipVariable] = "gone,script";
        const context = listener();
        await run(list, { operations: [operationOf("7")] }, context);
        assert.deepEqual(hooks.order(), ["7 scale_end a"]);
        assert.match(context.warned.join("\n"), /hook script \(scale_end\) does not run/);
    });
});
