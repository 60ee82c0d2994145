import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as door from "../../../../provider";
import type { Descriptor } from "../../../../provider/adapters/descriptor";
import { descriptors, type ResourceTypeName, resourceType } from "../../../../provider/adapters/descriptors";
import { ClusterId, markSecrets, typeToken } from "../../../../provider/adapters/dynamic";
import { engineAddress } from "../../../../provider/adapters/progress";
import { providerText } from "../../../../provider/adapters/provider-text";
import { projectRoot } from "../../../support/user-project";

const types = Object.keys(descriptors) as ResourceTypeName[];

type Handler = Record<string, (...args: unknown[]) => unknown>;

/** Does what the engine's process does with a text from the state; `found` replaces the package. */
function load(text: string, found: object): Handler {
    const exports: { handler?: () => Handler } = {};
    const requirePackage = (asked: string) => (asked === "pulumi-nfv/provider" ? found : undefined);
    const createRequire = () => Object.assign(requirePackage, { resolve: (asked: string) => asked });
    const requireOf = (name: string) =>
        name === "module" ? { createRequire } : (requirePackage(name) ?? require(name));
    new Function("exports", "require", "module", text)(exports, requireOf, {});
    return exports.handler!();
}

describe("the text that states hold of a provider", () => {
    it("P1: is less than 1 kB for every type", () => {
        for (const type of types) assert.ok(providerText(type).length < 1000);
    });

    it("P6: hands each call to the package, with the type and the arguments", () => {
        const calls: unknown[][] = [];
        const methodsOf = (type: string) =>
            new Proxy(
                {},
                {
                    get:
                        (_, method) =>
                        (...args: unknown[]) =>
                            calls.push([method, type, ...args]),
                },
            );
        const found = { handler: methodsOf };
        const handler = load(providerText("Host"), found);
        handler.check({ a: 1 }, { a: 2 });
        handler.diff("id", { a: 1 }, { a: 2 });
        handler.create({ a: 2 });
        handler.read("id", { a: 1 });
        handler.update("id", { a: 1 }, { a: 2 });
        handler.delete("id", { a: 1 });
        assert.deepEqual(calls[2], ["create", "Host", { a: 2 }]);
        assert.deepEqual(
            calls.map(([method]) => method),
            ["check", "diff", "create", "read", "update", "delete"],
        );
    });

    it("P6: calls only functions and types that the package has", async () => {
        const methods = load(providerText("Host"), door);
        for (const method of ["check", "diff", "create", "read", "update", "delete"]) {
            assert.equal(typeof methods[method], "function", method);
        }
        const { inputs } = (await methods.check!({}, { spec: { clusterId: "core-1" } })) as { inputs: object };
        assert.deepEqual(inputs, { spec: { clusterId: "core-1" } });
        const { exports } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
        assert.ok(exports["./provider"]);
    });

    it("is not marked as needing a plugin: package.json has no pulumi.resource", () => {
        const own = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
        assert.equal(own.pulumi?.resource, undefined);
    });
});

describe("the adapter to dynamic resources", () => {
    it("P16: has a token of its own for each type", () => {
        assert.equal(new Set(types.map(typeToken)).size, types.length);
        assert.equal(typeToken("Host"), "pulumi-nodejs:dynamic/nfv:Host");
    });

    it("P3: says of every type where its secrets are", () => {
        for (const [type, { secretInputs, secretOutputs, packed }] of Object.entries(descriptors) as [
            string,
            Descriptor,
        ][]) {
            assert.ok(!packed || secretOutputs.includes("secrets"), type);
            // What is secret as an input is an output of the same name, and stays secret there.
            const tops = secretInputs.map(path => path.split(".")[0]!);
            assert.ok(packed || tops.every(name => secretOutputs.includes(name)), type);
        }
        const { secretInputs } = descriptors.Node;
        assert.ok(["connection", "controlPlane", "spec.keys"].every(path => secretInputs.includes(path)));
    });

    it("P3: marks secrets that a program forgot to mark, and only these", async () => {
        const marked = markSecrets({ spec: { name: "m1", keys: { caKey: "k" } }, connection: { host: "h" } }, [
            "connection",
            "spec.keys",
        ]);
        assert.ok(await pulumi.isSecret(marked.connection as pulumi.Output<unknown>));
        const spec = marked.spec as { name: string; keys: pulumi.Output<unknown> };
        assert.equal(spec.name, "m1");
        assert.ok(await pulumi.isSecret(spec.keys));
    });

    it("P3: marks the whole of an output that it cannot look into", async () => {
        const marked = markSecrets({ spec: pulumi.output({ keys: "k" }) }, ["spec.keys"]);
        assert.ok(await pulumi.isSecret(marked.spec as pulumi.Output<unknown>));
        assert.deepEqual(markSecrets({ spec: { name: "w1" } }, ["spec.keys"]), { spec: { name: "w1" } });
    });
});

describe("a resource of ours", () => {
    it("leaves how errors are shown as it was, also where the program has its own way", () => {
        const before = { limit: Error.stackTraceLimit, prepare: Error.prepareStackTrace };
        const own = () => "own";
        Error.prepareStackTrace = own;
        try {
            assert.throws(() => new ClusterId("", { clusterName: "core" }));
            assert.deepEqual([Error.stackTraceLimit, Error.prepareStackTrace], [before.limit, own]);
        } finally {
            Error.prepareStackTrace = before.prepare;
        }
    });
});

describe("the door to the resources", () => {
    it("answers a check without undefined values, which the engine's wire format does not know", async () => {
        const { inputs } = (await door.check("OwnerMark", {}, { name: "upf", claim: undefined })) as { inputs: object };
        assert.deepEqual(Object.keys(inputs).sort(), ["mark", "name"]);
    });

    it("P4: does not see the provider's text", async () => {
        const identity = { clusterName: "core", __provider: "old text" };
        assert.equal(door.diff("ClusterId", "id", identity, { ...identity, __provider: "new text" }).changes, false);
        assert.deepEqual((await door.check("ClusterId", {}, identity)).inputs, { clusterName: "core" });
    });

    it("P14: gives the provider's text back with what a failed operation keeps, so that it can be deleted", async () => {
        const failing = Object.assign(new Error("midway"), { id: "x", properties: { done: { a: "1", b: undefined } } });
        const original = resourceType("Host").create;
        resourceType("Host").create = () => Promise.reject(failing);
        try {
            await assert.rejects(door.create("Host", { __provider: "text" }), error => {
                assert.deepEqual((error as typeof failing).properties, { done: { a: "1" }, __provider: "text" });
                return true;
            });
        } finally {
            resourceType("Host").create = original;
        }
    });

    it("hands out nothing undefined, which the engine's wire format refuses", async () => {
        const { outs } = (await door.create("ClusterId", { clusterName: "core", validDays: undefined })) as {
            outs: object;
        };
        assert.ok(Object.values(outs).every(value => value !== undefined));
        assert.ok(!("validDays" in outs));
    });

    it("names the types it has when a state asks for another", async () => {
        await assert.rejects(
            door.check("Nothing", {}, {}),
            /has no resource type "Nothing", only AuthorityRotation, BundleImages, CloudCheck/,
        );
    });
});

describe("progress", () => {
    it("P15: finds the engine only in the process that hosts dynamic resources", () => {
        const script = "/app/node_modules/@pulumi/pulumi/cmd/dynamic-provider";
        assert.equal(engineAddress(["node", script, "127.0.0.1:4711"]), "127.0.0.1:4711");
        assert.equal(engineAddress(["node", `${script}/index.js`, "127.0.0.1:4711"]), "127.0.0.1:4711");
        assert.equal(engineAddress(["node", "/app/index.js", "127.0.0.1:4711"]), undefined);
        assert.equal(engineAddress(["node", script]), undefined);
        assert.equal(engineAddress(["node", script, "--logtostderr", "-v=5", "127.0.0.1:4711"]), "127.0.0.1:4711");
    });
});
