import assert from "node:assert/strict";
import { driftRules } from "../../../../components/validation/drift-rules";

const problems = (acceptDrift: string[], infrastructure: object = {}) =>
    driftRules({
        infrastructure: {
            hosts: { controlPlane: { m1: { address: "10.0.0.11" } }, pools: { workers: { w1: {}, w2: {} } } },
            ...infrastructure,
        },
        kubernetes: { version: "1.34.4" },
        pools: { workers: {} },
        acceptDrift,
    } as never);

describe("acceptDrift", () => {
    it("takes titles and ids, for all nodes or one, and those of the cluster", () => {
        assert.deepEqual(problems(["set kernel parameters", "w1: node.labels", "apply kube-proxy"]), []);
    });

    it("says what was meant by a wrong title or node", () => {
        assert.deepEqual(
            problems(["set kernel parameter", "w3: set the host name", "wait for cloud-init"]).slice(0, 2),
            [
                [
                    "acceptDrift.0",
                    '"set kernel parameter" is no step that a refresh looks at; did you mean "set kernel parameters"?',
                ],
                ["acceptDrift.1", 'there is no node w3; did you mean "w1"?'],
            ],
        );
        assert.match(problems(["anything"])[0]![1], /the steps are: .*set the host name, .*apply kube-proxy/);
    });

    it("refuses a step of the cluster on a node, and a name that is there twice", () => {
        assert.match(problems(["w1: apply kube-proxy"])[0]![1], /once for the cluster/);
        assert.match(problems(["node.labels", "node.labels"])[0]![1], /named twice/);
    });

    it("does not know the servers' names of a cloud", () => {
        assert.deepEqual(problems(["site-workers-1: set kernel parameters"], { hosts: undefined, nova: {} }), []);
    });
});
