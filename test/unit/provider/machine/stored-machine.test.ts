import assert from "node:assert/strict";
import { resourceType } from "../../../../provider/adapters/descriptors";
import { serve } from "../../../../provider/adapters/serve";
import { RunSession } from "../../../../provider/common/run-session";
import { unknownValue } from "../../../../provider/common/unknown-value";
import { packSecrets, unpack } from "../../../../provider/contract/packed";
import { keptSpec } from "../../../../provider/host/host-state";
import { isUpToDate, loginOf, packState } from "../../../../provider/machine/stored-machine";
import { nodeStepIds, nodeSteps } from "../../../../provider/member/node-steps";
import { plan } from "../../../../provider/steps";
import { canonicalJson } from "../../../../provider/steps/fingerprint";
import { bundleFiles, hostSpec, nodeSpec } from "../sample-specs";

type Properties = Record<string, any>;

const withoutUndefined = <T>(value: T): T => JSON.parse(JSON.stringify(value));

const connection = { host: "10.0.0.11", user: "ops", privateKey: "canary-key".repeat(9), hostKey: "ssh-ed25519 AAAA" };
const given = (): Properties => ({
    spec: withoutUndefined(
        hostSpec({
            source: { bundle: { path: "/bundles/one", files: bundleFiles } },
            registries: [{ registry: "*", endpoints: ["https://mirror"], password: "canary-password" }],
        }),
    ),
    connection,
    steps: { "set the host name": "0123456789ab", "turn swap off": "ba9876543210" },
    fingerprintKey: "canary-fingerprint-key",
    resourceUrn: "urn:m1",
    changeNumber: 1,
});

/** As a program sends them, see pack.ts. */
function packed(inputs = given()): Properties {
    const { spec, steps, resourceUrn, connection: target, fingerprintKey, ...others } = structuredClone(inputs);
    const password = spec.registries[0].password;
    delete spec.registries[0].password;
    const secrets = packSecrets([
        [["connection"], target],
        [["fingerprintKey"], fingerprintKey],
        [["spec", "registries", "0", "password"], password],
    ]);
    return { ...others, spec: canonicalJson({ ...spec, steps, resourceUrn }), secrets, __provider: "text" };
}

const done = { "host.hostname": "0123456789ab", "host.swap": "ba9876543210" };
const newRun = () => serve(new RunSession(), { report: () => {}, warn: () => {}, note: () => {} } as any);
const check = async (news: Properties, olds: Properties = {}, run = newRun()) =>
    ((await run.check("Host", olds, news)) as { inputs: Properties }).inputs;

describe("the stored inputs of a machine", () => {
    it("have no secret, no files of a bundle and no certificates", async () => {
        const text = JSON.stringify(await check(packed()));
        assert.doesNotMatch(text, /canary|kubelet|mirror/);
        assert.ok(text.length < 1000, text);
    });

    it("show the steps by their titles, and how the machine is reached as a hash", async () => {
        const { steps, spec, login, connection: shown } = unpack(await check(packed()), []) as Properties;
        assert.deepEqual(steps, given()["steps"]);
        assert.equal(spec.address, "10.0.0.11");
        assert.match(login, /^[0-9a-f]{12}$/);
        assert.deepEqual(shown, { host: "10.0.0.11", hostKey: "ssh-ed25519 AAAA" });
    });

    it("are the same texts if the program gave the same, whatever its order", async () => {
        const stored = await check(packed());
        const { spec, ...others } = packed();
        assert.deepEqual(await check({ spec, ...others }, stored), stored);
    });

    it("are the same whatever the pool's maxUnavailable is", async () => {
        const inPool = (maxUnavailable: number) => packed({ ...given(), pool: { name: "edge", maxUnavailable } });
        const stored = await check(inPool(1));
        assert.deepEqual(await check(inPool(5), stored), stored);
        assert.deepEqual(stored, await check(packed()));
    });

    it("keep unknown values as they are, so that the other parts can be compared", async () => {
        const { spec, secrets } = packed();
        const nested = { ...JSON.parse(spec), address: unknownValue };
        const stored = await check({ spec: nested, secrets, hostId: unknownValue });
        assert.deepEqual([stored["spec"].address, stored["spec"].name], [unknownValue, "m1"]);
        assert.equal(stored["hostId"], unknownValue);
        const unreachable = await check({ spec: nested, secrets: unknownValue });
        assert.equal(unreachable["spec"].login, unknownValue);
        assert.doesNotMatch(JSON.stringify([stored, unreachable]), /canary/);
    });
});

describe("a machine's create and update", () => {
    const original = { ...resourceType("Host") };
    let seen: Properties | undefined;

    before(() => {
        const answer = async (inputs: Properties) => {
            seen = inputs;
            const { steps: _, fingerprintKey: __, ...kept } = inputs;
            return { id: "x", outs: { ...kept, done, pending: [] } as any };
        };
        resourceType("Host").create = answer as any;
        resourceType("Host").update = ((_: string, __: object, news: Properties) => answer(news)) as any;
    });
    after(() => Object.assign(resourceType("Host"), original));

    it("get the inputs as the program gave them to the check of the same run", async () => {
        const run = newRun();
        const asked = { ...given(), pool: { name: "edge", maxUnavailable: 2 } };
        const stored = await check(packed(asked), {}, run);
        const { outs } = await run.create("Host", { ...stored, __provider: "text" });
        assert.deepEqual(seen, asked);
        seen = undefined;
        await run.update("Host", "x", outs as Properties, { ...stored, __provider: "text" });
        assert.deepEqual(seen, asked);
    });

    it("store another name of the resource without a question to the machine, and change nothing else", async () => {
        const run = newRun();
        const named = (name: string) => ({ ...given(), resourceUrn: `urn:pulumi:dev::app::nfv:Host::${name}` });
        const before = await check(packed(named("core-m1")), {}, run);
        const { outs } = await run.create("Host", { ...before, __provider: "text" });
        const later = newRun();
        const after = await check(packed(named("site-m1")), before, later);
        assert.equal(later.diff("Host", "x", outs as Properties, after).changes, true);
        seen = undefined;
        const renamed = await later.update("Host", "x", outs as Properties, { ...after, __provider: "text" });
        assert.equal(seen, undefined);
        const text = JSON.stringify(outs);
        assert.ok(text.includes("core-m1"));
        assert.deepEqual(renamed.outs, JSON.parse(text.replaceAll("core-m1", "site-m1")));
        assert.equal(later.diff("Host", "x", renamed.outs as Properties, after).changes, false);
    });

    it("say so if there was no check", async () => {
        await assert.rejects(
            newRun().create("Host", await check(packed())),
            /Host core-1234\/m1 was not checked in this run/,
        );
    });

    it("store secrets in `secrets` only, and nothing of the bundle is needed to read them again", async () => {
        const run = newRun();
        const { outs } = (await run.create("Host", await check(packed(), {}, run))) as { outs: Properties };
        const { secrets, ...open } = outs;
        assert.doesNotMatch(JSON.stringify({ ...open, spec: "" }), /canary/);
        assert.deepEqual((unpack(outs, []) as Properties)["connection"], connection);
        assert.match(secrets, /canary-key/);
    });
});

describe("the state of a machine", () => {
    let stored: Properties;
    let state: Properties;
    let otherLogin: Properties;

    before(async () => {
        stored = await check(packed());
        otherLogin = await check(packed({ ...given(), connection: { ...connection, user: "root" } }));
        const found = { spec: { name: "m1" }, connection, done, pending: [], hostKey: connection.hostKey };
        state = packState(found, stored);
    });

    it("is up to date with the inputs that led to it", () => assert.ok(isUpToDate(state, stored)));

    it("does not repeat the host key that the program gave", () => assert.ok(!("hostKey" in state)));

    it("keeps what it was asked for when a refresh changes it", () => {
        const seen = packState(unpack(state, []), state);
        assert.deepEqual(seen, state);
    });

    const others: Record<string, () => [Properties, Properties]> = {
        "a step was not done": () => [{ ...state, done: "{}" }, stored],
        "a step was done otherwise": () => [{ ...state, done: '{"host.hostname":"ffffffffffff"}' }, stored],
        "something is pending": () => [{ ...state, pending: ["turn swap off"] }, stored],
        "the login changed": () => [state, otherLogin],
        "an input is not known yet": () => [state, { ...stored, hostId: unknownValue }],
        "the spec is not known yet": () => [state, { ...stored, spec: unknownValue }],
    };
    for (const [what, sides] of Object.entries(others)) {
        it(`is compared in detail where ${what}`, () => assert.ok(!isUpToDate(...sides())));
    }

    it("shows in words why a machine is looked at again although nothing but a number differs", async () => {
        const noted: string[] = [];
        const messages = { report: () => {}, warn: () => {}, note: (_urn: string, text: string) => noted.push(text) };
        const run = serve(new RunSession(), messages as any);
        const { spec, changeNumber } = given();
        const whole = { spec: keptSpec(spec as never), connection, login: loginOf(given()), done, changeNumber };
        const before = packState(whole, stored);
        assert.equal(run.diff("Host", "id", before, await check(packed(), stored, run)).changes, false);
        const inputs = await check(packed({ ...given(), changeNumber: 2 }), stored, run);
        const diff = run.diff("Host", "id", before, inputs);
        assert.deepEqual([diff.changes, "note" in diff], [true, false]);
        assert.equal(noted.length, 1);
        assert.match(noted[0]!, /looks at the machine again/);
        // With --refresh the engine asks twice.
        run.diff("Host", "id", before, inputs);
        const left = { ...before, pending: ["start kubelet again"] };
        for (const _ of ["refresh", "up"]) run.diff("Host", "id", left, inputs);
        assert.deepEqual(noted.slice(1), ["still to do: start kubelet again"]);
    });
});

describe("the ids of a node's steps", () => {
    for (const role of ["controlPlane", "worker"] as const) {
        it(`are those of its plan: ${role}`, async () => {
            const ids = plan(nodeSteps("join"), await nodeSpec({ role }), "key").map(({ id }) => id);
            assert.deepEqual(ids.sort(), nodeStepIds(role).sort());
        });
    }
});
