import assert from "node:assert/strict";
import * as fc from "fast-check";
import { readError, readStepLine } from "../../../../pipeline/events/read-message";
import { type ErrorCode, errorCodes, NfvError } from "../../../../provider/common/errors";

describe("the line that a step tells", () => {
    const cases: [string, object | undefined][] = [
        ["1/9 set the host name\n", { number: 1, of: 9, step: "set the host name" }],
        [
            "3/5 initialise or join the cluster (12 s)",
            { number: 3, of: 5, step: "initialise or join the cluster", seconds: 12 },
        ],
        [
            "3/5 initialise or join the cluster (12 s): [kubelet-check] waiting (0 s): x",
            {
                number: 3,
                of: 5,
                step: "initialise or join the cluster",
                seconds: 12,
                words: "[kubelet-check] waiting (0 s): x",
            },
        ],
        ["3/5 join: uploading a.tar 40 %", { number: 3, of: 5, step: "join", words: "uploading a.tar 40 %" }],
        ["reset the node (w2)", undefined],
        ["6/5 no step", undefined],
        ["0/5 no step", undefined],
    ];
    for (const [text, expected] of cases) {
        it(`${JSON.stringify(text)} is ${expected ? "a step" : "no step"}`, () =>
            assert.deepEqual(readStepLine(text), expected));
    }

    it("never throws, and finds again what was written", () => {
        fc.assert(fc.property(fc.string(), text => void readStepLine(text)));
        const word = fc.stringMatching(/^[a-z][a-z ]{0,20}[a-z]$/);
        fc.assert(
            fc.property(
                fc.integer({ min: 1, max: 40 }),
                fc.nat(40),
                word,
                fc.nat(9999),
                word,
                (i, more, step, seconds, words) => {
                    const of = i + more;
                    const expected = { number: i, of, step, seconds, words };
                    assert.deepEqual(readStepLine(`${i}/${of} ${step} (${seconds} s): ${words}`), expected);
                },
            ),
        );
    });
});

describe("an error in a message of the engine", () => {
    it("is read from what the engine really printed", () => {
        const message =
            '1 error occurred:\n\t* step "initialise or join the cluster" failed: w2: initialise or join the cluster: STEP_FAILED\n    exit code 3\n    [preflight] boom\n    Correct the cause and run pulumi up again: it goes on from this step.\n\n\n';
        assert.deepEqual(readError(message), {
            code: "STEP_FAILED",
            node: "w2",
            step: "initialise or join the cluster",
            text: "exit code 3\n[preflight] boom",
            hint: "Correct the cause and run the same command again: it goes on from this step.",
        });
    });

    it("of a component keeps the component's name", () => {
        const message =
            'KubernetesCluster "core": INVALID_INPUT\n    pools.workers.nope: there is no such input\n    Correct the value.\n';
        assert.deepEqual(readError(message), {
            code: "INVALID_INPUT",
            node: 'KubernetesCluster "core"',
            text: "pools.workers.nope: there is no such input",
            hint: "Correct the value.",
        });
    });

    it("of a program that threw it has no stack trace", () => {
        const message =
            "Running program '/site/index.ts' failed with an unhandled exception:\nNfvError: INVALID_INPUT\n" +
            "    pools.nopool: the program has no such pool\n    Correct the value.\n" +
            "    at wrong (/site/node_modules/pulumi-nfv/dist/bundle.js:1:57)\n    at Object.<anonymous> (/site/index.ts:5:52) {\n  code: 'INVALID_INPUT'\n}";
        assert.deepEqual(readError(message), {
            code: "INVALID_INPUT",
            text: "pools.nopool: the program has no such pool",
            hint: "Correct the value.",
        });
    });

    it("of inputs that are refused has not Pulumi's name of the resource's type", () => {
        const message =
            "pulumi-nodejs:dynamic/nfv:OperationStart resource 'core' has a problem: INVALID_INPUT\n    heal.nodes: no w9\n    Correct it.";
        assert.deepEqual(readError(message), {
            ...{ code: "INVALID_INPUT", node: "core", text: "heal.nodes: no w9", hint: "Correct it." },
        });
    });

    it("of others stays as it is", () => {
        const text = "Error: ENOENT: no such file or directory, open 'args.json'\n    at Object.openSync";
        assert.deepEqual(readError(text), { text });
    });

    it("with any code, node, step, cause and hint is found again behind the engine's words", () => {
        const word = fc.stringMatching(/^[a-z][a-z0-9 -]{0,20}[a-z0-9]$/);
        const codes = fc.constantFrom(...(Object.keys(errorCodes) as ErrorCode[]));
        const before = fc.constantFrom("", "1 error occurred:\n\t* ", "creating urn:pulumi:dev::a::b::c: ", "error: ");
        fc.assert(
            fc.property(
                codes,
                word,
                word,
                fc.array(word, { minLength: 1, maxLength: 4 }),
                word,
                before,
                (code, node, step, cause, hint, start) => {
                    const error = new NfvError({ code, node, step, cause: cause.join("\n"), hint });
                    const wrapped = start.includes("\t")
                        ? `1 error occurred:\n\t* step "${step}" failed: ${error.message}\n\n`
                        : `${start}${error.message}\n`;
                    assert.deepEqual(readError(wrapped), { code, node, step, text: cause.join("\n"), hint });
                },
            ),
        );
    });

    it("never throws, and never is empty for a text that is not", () => {
        fc.assert(fc.property(fc.string(), text => assert.equal(readError(text).text === "", text.trim() === "")));
    });
});
