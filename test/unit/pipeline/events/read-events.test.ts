import assert from "node:assert/strict";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import Ajv from "ajv/dist/2020";
import * as fc from "fast-check";
import { eventSchema } from "../../../../pipeline/events/event-schema";
import type { PipelineEvent } from "../../../../pipeline/events/events";
import { EventReader, toLine } from "../../../../pipeline/events/read-events";
import { stopped } from "../../../../pipeline/report/failure";
import { NfvError } from "../../../../provider/common/errors";
import { acted, machineOf, said } from "../engine-events";

const isEvent = new Ajv().compile(eventSchema);
const canary = "canary-77e1";

function read(events: EngineEvent[], secrets: string[] = []): PipelineEvent[] {
    const reader = new EventReader(secrets);
    const found = events.flatMap(event => reader.read(event));
    for (const event of found) assert.ok(isEvent(event), `${toLine(event)}: ${JSON.stringify(isEvent.errors)}`);
    return found;
}

const withoutTime = (events: PipelineEvent[]) => events.map(({ time: _, ...rest }) => rest);

describe("the engine's events", () => {
    it("become phases, nodes with their seconds, and steps", () => {
        const spec = machineOf("w2", "worker", { join: "a1" });
        const found = read([
            acted("create", "Node", "core-w2", { next: spec, at: 100 }),
            said("info", "1/2 join (3 s): [preflight] running\n", { type: "Node", name: "core-w2", ephemeral: true }),
            acted("create", "Node", "core-w2", { next: spec, kind: "resOutputsEvent", at: 107.5 }),
        ]);
        assert.deepEqual(withoutTime(found), [
            { type: "phase", phase: "workers join" },
            { type: "node", node: "w2", cluster: "core", resource: "Node", act: "create", state: "begin" },
            {
                type: "step",
                node: "w2",
                cluster: "core",
                resource: "Node",
                step: "join",
                number: 1,
                of: 2,
                seconds: 3,
                words: "[preflight] running",
            },
            { type: "node", node: "w2", cluster: "core", resource: "Node", act: "create", state: "end", seconds: 7.5 },
        ]);
        assert.equal(found[0]!.time, "1970-01-01T00:01:40.000Z");
    });

    it("of a termination name its phases, not those of a scale in", () => {
        const w2 = machineOf("w2", "worker", {});
        const phases = read([
            acted("delete", "OperationEnd", "core", { old: {} }),
            acted("delete", "VimRegistration", "core", { old: {} }),
            acted("delete", "Node", "core-w2", { old: w2 }),
            acted("delete", "Host", "core-w2", { old: w2 }),
        ]).flatMap(event => (event.type === "phase" ? [event.phase] : []));
        assert.deepEqual(phases, [
            "begin the termination and run the hooks of its start; no machine is contacted",
            "nothing leaves by itself: the whole cluster goes",
            "reset the machines; those whose servers go are only forgotten",
        ]);
        const scaled = read([acted("delete", "Node", "core-w2", { old: w2 })]);
        assert.match(scaled[0]!.type === "phase" ? scaled[0]!.phase : "", /^workers leave/);
    });

    it("say how a hook ended and what it printed, without secrets; only where this package says it", () => {
        const text = `hook dns (scale_end): done (3 s)\n    m1, w1: told ${canary}\n    w2:\n        a\n`;
        const found = read(
            [
                said("info", text, { type: "OperationEnd", name: "core" }),
                said("info", "hook dns (scale_end): failed (0 s)", { type: "NodeEnd", name: "core-w3" }),
                said("info", "hook dns (scale_end): done (3 s)", { type: "acme:index:Other", name: "x" }),
            ],
            [canary],
        );
        const hook = { type: "hook", hook: "dns", event: "scale_end" };
        assert.deepEqual(withoutTime(found), [
            { ...hook, cluster: "core", state: "done", seconds: 3, output: "m1, w1: told ***\nw2:\n    a" },
            { ...hook, state: "failed", seconds: 0 },
            { type: "message", severity: "info", node: "x", text: "hook dns (scale_end): done (3 s)" },
        ]);
    });

    it("say nothing of resources that stay, nor of components", () => {
        assert.deepEqual(read([acted("same", "Node", "core-w2", { next: machineOf("w2", "worker", {}) })]), []);
    });

    it("tell an error once, and the engine's closing words only if nothing was said before", () => {
        const error = said("error", "w2: join: STEP_FAILED\n    exit code 3\n    Correct it.\n", {
            type: "Node",
            name: "core-w2",
        });
        const types = (events: EngineEvent[]) => read(events).map(({ type }) => type);
        assert.deepEqual(types([error, error, said("error", "update failed\n")]), ["error"]);
        assert.deepEqual(types([said("error", "update failed\n")]), ["error"]);
    });

    it("of a run that was stopped name what was under way, not the machine on which the stop came", () => {
        const place = { type: "Node", name: "core-w4" };
        const [step, error] = read([
            said("info", "3/6 initialise or join the cluster", { ...place, ephemeral: true }),
            said("error", "m1: make a token: CANCELLED\n    the run was stopped\n    Run it again.", place),
        ]);
        assert.equal(step!.type, "step");
        assert.deepEqual(error, {
            ...{ type: "error", time: step!.time, node: "core-w4", step: "initialise or join the cluster" },
            ...{ code: "CANCELLED", text: "the run was stopped", hint: "Run it again." },
        });
        const aborted = AbortSignal.abort(new NfvError({ code: "CANCELLED", cause: "the run was stopped (SIGTERM)" }));
        assert.equal(
            stopped([error!], aborted).reason,
            "the run was stopped (SIGTERM); under way: core-w4: initialise or join the cluster",
        );
        assert.equal(stopped([], aborted).reason, "the run was stopped (SIGTERM)");
    });

    it("name a run that was stopped", () => {
        const [event] = read([said("error", "update canceled\n")]);
        assert.equal(event!.type === "error" && event.code, "CANCELLED");
    });

    it("pass no debug message", () => assert.deepEqual(read([said("debug", `a ${canary}`)]), []));

    it("pass no secret of the configuration, private key, token, or password in an address", () => {
        const secrets = [
            "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----",
            "abcdef.0123456789abcdef",
            "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlcm5ldGVzIn0.c2lnbmF0dXJl",
            `https://user:${canary}@proxy.example`,
            `${canary}-of-the-configuration`,
            `password: ${canary}0123456789`,
        ];
        for (const secret of secrets) {
            const text = JSON.stringify(
                read([said("warning", `it said ${secret} and more`)], [`${canary}-of-the-configuration`]),
            );
            for (const part of ["b3BlbnNzaC1r", "0123456789abcdef", "c2lnbmF0dXJl", canary])
                assert.ok(!text.includes(part), text);
            assert.match(text, /it said .*\*\*\*.* and more|it said .*\*\*\*/);
        }
    });

    it("never pass a property of a resource, whatever they hold, and always fit the schema", () => {
        const value = fc.jsonValue({ maxDepth: 2 });
        const properties = fc.record({
            spec: fc.oneof(value, fc.constant(JSON.stringify({ name: "w1", role: "worker", steps: { a: canary } }))),
            done: value,
            password: fc.constant(canary),
            nested: fc.constant({ list: [{ key: canary }] }),
        });
        const ops = fc.constantFrom(
            "create",
            "update",
            "delete",
            "replace",
            "same",
            "read",
            "refresh",
            "discard",
            "delete-replaced",
        );
        const kinds = fc.constantFrom("resourcePreEvent", "resOutputsEvent", "resOpFailedEvent");
        const types = fc.constantFrom("Host", "Node", "OperationStart", "kubernetes:core/v1:Secret", "Unknown");
        const states = fc.option(fc.record({ inputs: properties, outputs: properties }), { nil: undefined });
        const resource = fc
            .tuple(ops, types, kinds, states, states, fc.nat(100))
            .map(([op, type, kind, old, next, at]) =>
                acted(op, type, "core-w1", { old, next, at, kind: kind as "resourcePreEvent" }),
            );
        const message = fc
            .tuple(fc.constantFrom("info", "info#err", "warning", "error", "debug"), fc.string(), fc.boolean())
            .map(([severity, text, ephemeral]) => said(severity, text, { type: "Host", name: "core-w1", ephemeral }));
        fc.assert(
            fc.property(fc.array(fc.oneof(resource, message), { maxLength: 12 }), events => {
                assert.ok(!JSON.stringify(read(events)).includes(canary));
            }),
        );
    });
});
