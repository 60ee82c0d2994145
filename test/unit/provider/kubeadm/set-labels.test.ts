import assert from "node:assert/strict";
import { setLabels } from "../../../../provider/kubeadm/set-labels";
import type { NodeSpec } from "../../../../provider/model";
import { runWithKubectl } from "../network/fake-kubectl";

const taints = [
    { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" },
    { key: "gpu", value: "yes", effect: "NoExecute" },
];
const step = setLabels({ name: "m2", labels: { tier: "core" }, annotations: {}, taints } as unknown as NodeSpec)!;

/** The API's answer to curl. */
function answer(node: object, code = 200): string {
    return `${JSON.stringify(node, null, 2)}\n${code}`;
}

const registered = { metadata: { name: "m2", annotations: {} }, spec: { taints } };

/** The changes that curl requested, and kubectl's verbs. */
function label(got: string, patched = 200, known = "||||") {
    const curl = `
        curl() {
            case "$*" in
                *PATCH*) kubectl - curl "$(cat)"; printf '{}\\n${patched}' ;;
                *) printf '%s' "$ANSWER" ;;
            esac
        }
    `;
    const answers = [{ when: /jsonpath/, stdout: known }];
    const ran = runWithKubectl(`${curl}${step.run}`, { ...step.env, ANSWER: got }, answers);
    assert.equal(ran.code, 0, ran.stderr);
    const [patches, calls] = [true, false].map(byCurl =>
        ran.calls.filter(call => call.startsWith("- curl") === byCurl),
    );
    return { patches: patches!, calls: calls!.map(call => call.split(" ")[1]) };
}

describe("labels and taints", () => {
    it("of a node that has just joined with all of its taints cost one patch, without kubectl", () => {
        const { patches, calls } = label(answer(registered));
        assert.equal(patches.length, 1);
        assert.match(patches[0]!, /"labels":\{"tier":"core"\}/);
        assert.deepEqual(calls, []);
    });

    it("are gone over by kubectl where a taint is missing, something was ours before, or the API did not answer", () => {
        const ours = { ...registered, metadata: { annotations: { "pulumi-nfv.dev/labels": "old" } } };
        const timed = { ...registered, spec: { taints: [taints[0], { ...taints[1], value: "no" }] } };
        for (const got of [
            answer(ours),
            answer(timed),
            answer({ metadata: {} }),
            answer(registered, 403),
            "\n000",
            "",
        ]) {
            const { patches, calls } = label(got);
            assert.deepEqual([patches, calls], [[], ["get", "taint", "patch"]], got);
        }
    });

    for (const [who, note, wanted] of [
        ["a drain of ours", "leaving", ["get", "uncordon", "annotate", "taint", "patch"]],
        ["a person", "", ["get", "taint", "patch"]],
    ] as const) {
        it(`of a node that ${who} has cordoned`, () => {
            const cordoned = {
                metadata: {
                    annotations: { "pulumi-nfv.dev/labels": "", ...(note && { "pulumi-nfv.dev/cordoned": note }) },
                },
            };
            assert.deepEqual(label(answer(cordoned), 200, `|||${note}|`).calls, wanted);
        });
    }

    it("are gone over by kubectl where the patch is refused", () => {
        assert.deepEqual(label(answer(registered), 409).calls, ["get", "taint", "patch"]);
    });

    it("count a taint with a time as there", () => {
        const timed = taints.map(taint => ({ ...taint, timeAdded: "2026-01-01T00:00:00Z" }));
        assert.deepEqual(label(answer({ ...registered, spec: { taints: timed } })).calls, []);
    });
});
