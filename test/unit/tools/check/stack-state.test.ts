import assert from "node:assert/strict";
import { resourcesIn } from "../../../../tools/check/stack-state";

const secret = (value: unknown) => ({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    plaintext: JSON.stringify(value),
});
const exported = (resources: object[]) => JSON.stringify({ version: 3, deployment: { resources } });
const node = (outputs: object, more: object = {}) => ({
    urn: "urn:pulumi:dev::p::pulumi-nodejs:dynamic/nfv:Node::core-w1",
    type: "pulumi-nodejs:dynamic/nfv:Node",
    id: "core/w1",
    outputs,
    ...more,
});

describe("the state of a stack", () => {
    it("gives this package's resources, with their secrets opened at any depth", () => {
        const outputs = { spec: "{}", secrets: secret("word"), list: [secret({ inner: secret(1) })] };
        const other = { urn: "u", type: "pulumi:pulumi:Stack" };
        const [found, ...others] = resourcesIn(exported([other, node(outputs)]));
        assert.deepEqual(found, {
            urn: node({}).urn,
            type: "Node",
            id: "core/w1",
            outputs: { spec: "{}", secrets: "word", list: [{ inner: 1 }] },
        });
        assert.deepEqual(others, []);
    });

    it("leaves out what is about to be deleted", () => {
        assert.deepEqual(resourcesIn(exported([node({}, { delete: true })])), []);
    });

    it("refuses encrypted secrets and other texts, and says what is expected", () => {
        const encrypted = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", ciphertext: "v1:" };
        for (const text of ["", "{}", "[]", exported([node({ secrets: encrypted })])])
            assert.throws(() => resourcesIn(text), /INVALID_INPUT[\s\S]*--show-secrets/);
    });

    it("shows nothing of a secret that it cannot open", () => {
        const broken = { ...secret(""), plaintext: "hunter2-is-no-json" };
        assert.throws(
            () => resourcesIn(exported([node({ secrets: broken })])),
            (error: Error) => /INVALID_INPUT/.test(error.message) && !error.message.includes("hunter2"),
        );
    });
});
