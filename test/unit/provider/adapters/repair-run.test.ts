import assert from "node:assert/strict";
import { repairVariable } from "../../../../provider/adapters/repair-run";
import { serve } from "../../../../provider/adapters/serve";
import { RunSession } from "../../../../provider/common/run-session";
import { packSecrets } from "../../../../provider/contract/packed";
import { packState } from "../../../../provider/machine/stored-machine";
import { canonicalJson } from "../../../../provider/steps/fingerprint";
import { hostSpec } from "../sample-specs";

type Properties = Record<string, any>;

describe("a run that repairs nodes", () => {
    const told: string[] = [];
    const messages = { report: () => {}, warn: () => {}, note: (_: string, text: string) => void told.push(text) };
    const steps = { "set the host name": "0123456789ab" };
    const asked = (name: string, more: object = {}): Properties => ({
        spec: canonicalJson({
            ...JSON.parse(JSON.stringify(hostSpec({ name }))),
            steps,
            resourceUrn: `urn:${name}`,
            ...more,
        }),
        secrets: packSecrets([[["connection"], { host: "10.0.0.11" }]]),
        __provider: "text",
    });
    const drift = {
        "host.hostname": { title: "set the host name", fingerprint: "0123456789ab", lines: ["it differs"] },
    };
    const differs = async (name: string, found: object, more: object = {}) => {
        const run = serve(new RunSession(), messages as never);
        const { inputs } = (await run.check("Host", {}, asked(name))) as { inputs: Properties };
        const done = { "host.hostname": "0123456789ab" };
        const state = packState(
            { spec: JSON.parse(JSON.stringify(hostSpec({ name }))), connection: { host: "10.0.0.11" }, done, ...found },
            inputs,
        );
        const news = ((await run.check("Host", {}, asked(name, more))) as { inputs: Properties }).inputs;
        return (run.diff("Host", name, state, news) as { changes: boolean }).changes;
    };
    beforeEach(() => {
        told.length = 0;
        process.env[repairVariable] = "w1 w2";
    });
    afterEach(() => {
        delete process.env[repairVariable];
    });

    it("leaves to the next run what a refresh has found on other nodes, and says so", async () => {
        assert.equal(await differs("m1", { drift }), false);
        assert.equal(await differs("m1", { pending: ["set the host name"] }), false);
        assert.match(
            told.join("\n"),
            /m1: this run repairs other nodes; what is to do here is left to the next pulumi up/,
        );
    });

    it("repairs its own nodes, and hides no change of the program from its guards", async () => {
        assert.equal(await differs("w1", { drift }), true);
        assert.equal(await differs("m1", {}, { steps: { "set the host name": "ba9876543210" } }), true);
        assert.deepEqual(
            told.filter(text => text.includes("left to")),
            [],
        );
    });

    it("leaves a request that was stopped in its middle to the next run, and looks at no machine for it", async () => {
        const run = serve(new RunSession(), messages as never);
        const of = (id: string) => ({ clusterId: "core-12345678", word: id, nodes: {}, peers: "[never read]" });
        const inputs = of("two");
        const program = { ...inputs, madeFor: "two", key: { secret: "key", name: "key-2" } };
        const { failures } = await run.check("EncryptionRotation", of("one"), program);
        assert.deepEqual(failures, []);
        const state = { ...of("one"), rotated: "one", keyName: "key-1" };
        assert.equal(run.diff("EncryptionRotation", "id", state, inputs).changes, false);
        assert.match(told.join("\n"), /this run repairs nodes; .* left to the next pulumi up/);
        delete process.env[repairVariable];
        assert.equal(run.diff("EncryptionRotation", "id", state, inputs).changes, true);
    });

    it("is another one where nothing is named: it puts all back", async () => {
        delete process.env[repairVariable];
        assert.equal(await differs("m1", { drift }), true);
    });
});
