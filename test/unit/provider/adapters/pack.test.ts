import { strict as assert } from "node:assert";
import * as pulumi from "@pulumi/pulumi";
import * as door from "../../../../provider";
import { resourceType } from "../../../../provider/adapters/descriptors";
import { packInputs } from "../../../../provider/adapters/pack";
import { packSecrets, unpack } from "../../../../provider/contract/packed";
import { unknownValue } from "../../../../provider/contract/values";

const paths = ["connection", "controlPlane", "fingerprintKey", "spec.keys"];
const names = ["connection", "controlPlane", "fingerprintKey"];
const longKey = "k".repeat(100);
const inputs = () => ({
    spec: {
        name: "m1",
        clusterId: "core-1",
        keys: { caKey: longKey },
        labels: { "a.b/c": "d" },
        registries: [{ registry: "*", password: "canary" }],
    },
    connection: { host: "10.0.0.1", privateKey: longKey },
    controlPlane: [{ name: "m1", connection: { host: "10.0.0.1", privateKey: longKey } }],
    fingerprintKey: "f",
    steps: { "set labels": "0123456789ab" },
});

interface Travelling {
    known: boolean;
    secret: boolean;
    value: unknown;
}

/** What the SDK would find in an input. */
async function travelling(input: unknown): Promise<Travelling> {
    const output = pulumi.output(input) as any;
    const [known, secret] = await Promise.all([output.isKnown, output.isSecret]);
    return { known, secret, value: known ? await output.promise() : await output.promise(true) };
}

const unknown = () =>
    new (pulumi.Output as any)(
        [],
        Promise.resolve(undefined),
        Promise.resolve(false),
        Promise.resolve(false),
    ) as unknown;

describe("packed inputs", () => {
    it("are one clear text and one secret text, and unpack to what the program gave", async () => {
        const given = inputs();
        const packed = packInputs(given, paths);
        assert.deepEqual(Object.keys(packed).sort(), ["secrets", "spec"]);
        const [spec, secrets] = [await travelling(packed["spec"]), await travelling(packed["secrets"])];
        assert.deepEqual([spec.secret, secrets.secret], [false, true]);
        assert.ok(!(spec.value as string).includes(longKey));
        const open = unpack({ ...packed, spec: spec.value, secrets: secrets.value }, names);
        assert.deepEqual(open, given);
    });

    it("hide what the program marked, and leave what lies beside it in the clear", async () => {
        const given = inputs() as any;
        given.spec.registries[0].password = pulumi.secret("canary");
        given.spec.labels["a.b/c"] = pulumi.output("d");
        const packed = packInputs(given, paths);
        const [spec, secrets] = [await travelling(packed["spec"]), await travelling(packed["secrets"])];
        assert.equal(spec.secret, false);
        assert.ok(!(spec.value as string).includes("canary"));
        assert.deepEqual(JSON.parse(spec.value as string).labels, { "a.b/c": "d" });
        assert.deepEqual(unpack({ spec: spec.value, secrets: secrets.value }, names)["spec"], inputs().spec);
    });

    it("hide the whole of a spec that cannot be looked into", async () => {
        const packed = packInputs({ ...inputs(), spec: pulumi.output(inputs().spec) }, paths);
        const [spec, secrets] = [await travelling(packed["spec"]), await travelling(packed["secrets"])];
        assert.ok(!JSON.stringify(spec.value ?? "").includes(longKey));
        assert.deepEqual(unpack({ spec: spec.value, secrets: secrets.value }, names)["spec"], inputs().spec);
    });

    it("stay nested around a value that is not known yet, so that the others can be compared", async () => {
        const given = inputs() as any;
        given.spec.labels["a.b/c"] = unknown();
        const packed = packInputs(given, paths);
        const nested = (await packed["spec"]) as any;
        assert.equal(nested.name, "m1");
        assert.equal((await travelling(nested.labels["a.b/c"])).known, false);
        assert.equal((await travelling(packed["secrets"])).known, true);
        assert.equal(nested.keys, undefined);
    });

    it("hold a long text once, however often it occurs", () => {
        const text = packSecrets([
            [["connection"], inputs().connection],
            [["controlPlane"], inputs().controlPlane],
        ]);
        assert.equal(text.split(longKey).length, 2);
    });

    it("are unknown one by one where all secrets are unknown", () => {
        const open = unpack({ spec: { name: "m1" }, secrets: unknownValue }, names);
        assert.deepEqual(open, {
            spec: { name: "m1" },
            ...Object.fromEntries(names.map(name => [name, unknownValue])),
        });
    });

    it("that were never packed are taken as they are", () => {
        assert.deepEqual(unpack(inputs(), names), inputs());
    });
});

describe("the door, asked with packed inputs", () => {
    const given = () => {
        const { connection, ...others } = inputs();
        return { ...others, workers: [{ name: "w1", connection }] };
    };
    const packed = () => {
        const { spec, steps, ...others } = given();
        const text = JSON.stringify({ ...spec, steps });
        const secrets = packSecrets(Object.entries(others).map(([name, value]) => [[name], value]));
        return { spec: text, secrets, __provider: "text" };
    };

    it("shows resources plain inputs, and answers with the same texts and nothing of what is secret beside them", async () => {
        const original = resourceType("OperationEnd").create;
        let seen: any;
        resourceType("OperationEnd").create = async (seenInputs: any) => {
            seen = seenInputs;
            return { id: "x", outs: { ...seenInputs, done: { a: "1" } } };
        };
        try {
            const { outs } = await door.create("OperationEnd", packed());
            assert.deepEqual(seen, given());
            const { __provider: _, ...texts } = packed();
            assert.deepEqual(outs, { ...texts, done: '{"a":"1"}' });
        } finally {
            resourceType("OperationEnd").create = original;
        }
    });

    it("keeps the same texts of what failed midway", async () => {
        const original = resourceType("OperationEnd").create;
        resourceType("OperationEnd").create = async (seenInputs: any) => {
            throw Object.assign(new Error("midway"), { id: "x", properties: { ...seenInputs, done: {} } });
        };
        try {
            await assert.rejects(door.create("OperationEnd", packed()), (error: any) => {
                assert.deepEqual(error.properties, { ...packed(), done: "{}" });
                return true;
            });
        } finally {
            resourceType("OperationEnd").create = original;
        }
    });

    it("checks them, also with unknown secrets, and never writes a secret into the spec", async () => {
        const nested = { name: "m1", clusterId: "core-1", address: "10.0.0.1" };
        const secrets = packSecrets([[["spec", "keys"], { caKey: longKey }]]);
        const asked = { spec: { ...nested, steps: {} }, secrets };
        assert.deepEqual((await door.check("OperationEnd", {}, asked)).inputs, asked);
        const later = { spec: { ...nested, steps: {} }, secrets: unknownValue };
        assert.deepEqual(await door.check("OperationEnd", {}, later), { inputs: later, failures: [] });
    });

    describe("byte by byte as before", () => {
        const { __provider: _, ...texts } = packed();
        const done = JSON.stringify({ "cluster.labels": "0123456789ab" });
        const state = { ...texts, hostKey: "k", done };
        const original = resourceType("OperationEnd").diff;
        let asked = 0;

        before(() => {
            resourceType("OperationEnd").diff = () => {
                asked++;
                return { changes: true };
            };
        });

        after(() => {
            resourceType("OperationEnd").diff = original;
        });

        it("are no change where all steps were done, and nobody plans them again", () => {
            assert.deepEqual(door.diff("OperationEnd", "id", { ...state, __provider: "older" }, packed()), {
                changes: false,
            });
            assert.equal(asked, 0);
        });

        const others = {
            "a step was not done": [{ ...state, done: "{}" }, texts],
            "a step was done otherwise": [{ ...state, done: '{"cluster.labels":"ba9876543210"}' }, texts],
            "something is pending": [{ ...state, pending: ["set labels"] }, texts],
            "a secret changed": [state, { ...texts, secrets: `${texts.secrets} ` }],
            "the spec changed": [state, { ...texts, spec: texts.spec.replace("m1", "m2") }],
            "an input is not known yet": [state, { ...texts, hostId: unknownValue }],
        };
        for (const [what, [olds, news]] of Object.entries(others)) {
            it(`are looked at where ${what}`, () => {
                const before = asked;
                assert.deepEqual(door.diff("OperationEnd", "id", olds!, news!), { changes: true });
                assert.equal(asked, before + 1);
            });
        }
    });
});
