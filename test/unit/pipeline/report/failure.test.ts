import assert from "node:assert/strict";
import type { PipelineEvent, Plan } from "../../../../pipeline";
import { secretsIn } from "../../../../pipeline/events/secrets";
import { changedPlanError, failureOf, hintOfStop } from "../../../../pipeline/report/failure";

const error = (more: object): PipelineEvent =>
    ({ type: "error", time: "", text: "it broke", ...more }) as PipelineEvent;

describe("the error of a run", () => {
    it("is the first of this package's, with place, code and hint", () => {
        const found = failureOf(
            [
                error({}),
                error({ code: "STEP_FAILED", node: "w1", step: "join", hint: "Look." }),
                error({ code: "CONNECT_FAILED", node: "w2" }),
            ],
            "",
        );
        const others = "2 more errors: it broke; w2: CONNECT_FAILED";
        assert.equal(found.message, `w1: join: STEP_FAILED\n    it broke\n    ${others}\n    Look.`);
        assert.equal(found.exitCode, 1);
    });

    it("is one of others' without a code", () => assert.equal(failureOf([error({})], "").code, "RUN_FAILED"));

    it("is what Pulumi calls an error, each once, where no event says more", () => {
        const { code, reason } = failureOf([], " stderr: x\n    error: no such thing\nerr?: y\nerror: no such thing\n");
        assert.deepEqual([code, reason], ["RUN_FAILED", "error: no such thing"]);
    });

    it("says so where the process of the resources was killed", () => {
        const { code, hint } = failureOf([error({ node: "w1", text: "error reading from server: EOF" })], "");
        assert.equal(code, "RUN_FAILED");
        assert.match(hint, /has ended, perhaps killed for want of memory/);
    });

    it("says what to do about a state that was being written", () =>
        assert.match(failureOf([], "error: failed to load checkpoint: blob").hint, /STACK\.json\.bak/));

    it("is a wrong input where Pulumi does not get the passphrase of the stack", () => {
        for (const words of ["incorrect passphrase", "passphrase must be set with PULUMI_CONFIG_PASSPHRASE"]) {
            const { code, exitCode, hint } = failureOf([], `error: ${words}`);
            assert.deepEqual([code, exitCode], ["INVALID_INPUT", 2]);
            assert.match(
                hint,
                /^Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE.*Nothing was changed\.$/,
            );
        }
    });

    it("says how to go on after a stop: an approved plan has another hash when a part of it is done", () => {
        assert.match(hintOfStop(false, true), /^Nothing was changed\. Run the same command again\.$/);
        assert.match(hintOfStop(true, false), /^Run the same command again: it goes on/);
        assert.match(hintOfStop(true, true), /^Preview again and approve that plan/);
    });

    it("says why an approved plan has another hash where a former run did a part of it", () => {
        const plan = (continues?: true) =>
            ({ hash: "b", operations: [{ ...(continues && { continues }) }] }) as unknown as Plan;
        assert.match(
            changedPlanError(plan(true), "a").message,
            /approved is the plan a, today it is b[\s\S]*former run/,
        );
        assert.doesNotMatch(changedPlanError(plan(), "a").message, /former run/);
    });
});

describe("secrets of a run", () => {
    it("are those of the configuration, with the texts inside objects, and what the environment calls so", () => {
        const found = secretsIn(
            {
                "nfv:plain": { value: "plain-value" },
                "nfv:key": { value: "canary-key", secret: true },
                "nfv:all": { value: JSON.stringify({ a: { password: "canary-inside" }, n: 1 }), secret: true },
                "nfv:short": { value: "ab", secret: true },
            },
            { OS_PASSWORD: "canary-cloud", PATH: "/usr/bin:/bin", PULUMI_CONFIG_PASSPHRASE: "", OS_TOKEN: undefined },
        );
        for (const each of ["canary-key", "canary-inside", "canary-cloud"]) assert.ok(found.includes(each), each);
        for (const each of ["plain-value", "ab", "", "/usr/bin:/bin"]) assert.ok(!found.includes(each), each);
    });
});
