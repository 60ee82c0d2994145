import assert from "node:assert/strict";
import {
    applyPartScript,
    removeCinderCsiScript,
    storageClassesScript,
} from "../../../../provider/cloud-provider/scripts";
import {
    applyManifestScript,
    missingObjectsScript,
    spreadCoreDnsScript,
    waitForNodesScript,
} from "../../../../provider/network/scripts";
import { type Answers, runWithKubectl } from "./fake-kubectl";

describe("a manifest of any length", () => {
    // Calico's manifest has 352 kB; the kernel takes at most 128 KiB for one environment variable.
    const manifest = `kind: ConfigMap\ndata:\n  text: ${"x".repeat(400_000)}`;
    const scripts = {
        applyManifestScript,
        applyPartScript,
        removeCinderCsiScript,
        missingObjectsScript,
        storageClassesScript,
    };
    const env = { MANIFEST: manifest, CLASSES: "fast", SECONDS_TO_WAIT: "0" };
    for (const [name, script] of Object.entries(scripts)) {
        it(`is handed on by ${name}`, () => {
            const { code, stderr, calls } = runWithKubectl(script, env, []);
            assert.equal(code, 0, stderr);
            assert.ok(
                calls.some(call => call.includes(" -f ")),
                calls.join("\n"),
            );
        });
    }
});

describe("CoreDNS", () => {
    const ready = (taints = "", unschedulable = "") => `${unschedulable}|True|${taints}\n`;
    const control = "node-role.kubernetes.io/control-plane:NoSchedule,";
    const deleted = (nodes: string, places: string[]) => {
        const pods = places.map((node, i) => `|${node}|coredns-${i}\n`).join("");
        const { code, calls } = runWithKubectl(spreadCoreDnsScript, { SECONDS_TO_WAIT: "5" }, [
            { when: /get nodes/, stdout: nodes },
            { when: /get pods/, stdout: pods },
        ]);
        assert.equal(code, 0);
        assert.ok(
            calls.some(call => call.includes("rollout status")),
            "it waits until DNS is available",
        );
        assert.ok(!calls.some(call => / (restart|patch) /.test(call)), "nothing is restarted as a whole");
        return calls.filter(call => call.includes("delete pod")).map(call => call.split("delete pod ")[1]);
    };

    it("has all pods but one moved where they share a node and there is another", () => {
        assert.deepEqual(deleted(ready(control) + ready(), ["m1", "m1"]), ["coredns-1"]);
        assert.deepEqual(deleted(ready() + ready("node.kubernetes.io/not-ready:NoExecute,"), ["a", "a", "a"]), [
            "coredns-1 coredns-2",
        ]);
    });

    const unsettled = (nodes: string, conditions: string, available: string) =>
        runWithKubectl(spreadCoreDnsScript, { SECONDS_TO_WAIT: "0" }, [
            { when: /rollout status/, code: 1 },
            { when: /get deployment coredns -o/, stdout: available },
            { when: /get nodes.*unschedulable/, stdout: nodes },
            { when: /get nodes/, stdout: conditions },
        ]).code;

    it("is waited for with one replica only where the other has no node of its own, or stands on a dead one", () => {
        const [three, dead] = [
            ready(control) + ready() + ready(),
            "|Unknown|node.kubernetes.io/unreachable:NoExecute,\n",
        ];
        assert.equal(unsettled(ready(control) + dead, "True\nUnknown\n", "1"), 0);
        assert.equal(unsettled(ready(control), "True\n", "1"), 0);
        assert.equal(unsettled(three + dead, "True\nTrue\nTrue\nUnknown\n", "1"), 0);
        assert.equal(unsettled(three, "True\nTrue\nTrue\n", "1"), 1);
        for (const none of ["", "0"]) assert.equal(unsettled(ready(control) + dead, "True\nUnknown\n", none), 1);
    });

    it("stays where it is if it is spread, or alone", () => {
        assert.deepEqual(deleted(ready(control) + ready(), ["m1", "w1"]), []);
        assert.deepEqual(deleted(ready(control) + ready(), ["m1"]), []);
    });

    it("stays where it is if no other node could take it: tainted, cordoned, not ready", () => {
        for (const other of ["", ready("gpu:NoSchedule,"), ready("", "true"), "|False|\n", ready("x:NoExecute,")]) {
            assert.deepEqual(deleted(ready(control) + other, ["m1", "m1"]), [], other);
        }
        assert.deepEqual(deleted(ready(control) + ready("x:PreferNoSchedule,"), ["m1", "m1"]), ["coredns-1"]);
    });
});

describe("waiting for nodes", () => {
    const env = { NODES: "m1\nw1", SECONDS_TO_WAIT: "0" };
    const notYet = { when: /^wait --for=condition=Ready --timeout=0s node\/m1 node\/w1$/, code: 1 };

    it("ends when all of them are ready", () => {
        assert.deepEqual(runWithKubectl(waitForNodesScript, env, []).calls.length, 1);
        const answers = [notYet, { when: /get nodes/, stdout: "m1 True\nw1 True\n" }];
        assert.equal(runWithKubectl(waitForNodesScript, env, answers).code, 0);
    });

    it("names each node that is not, its reason, its pods that do not run, and what to look at", () => {
        const answers: Answers = [
            notYet,
            { when: /get nodes/, stdout: "m1 True\nw10 True\nw1 False\n" },
            { when: /get node w1 /, stdout: "KubeletNotReady: cni plugin not initialized" },
            {
                when: /get pods/,
                stdout: "podnet-1 0/1 ImagePullBackOff 0 1m\nkube-proxy-1 1/1 Running 0 1m\nx 0/1 Running 3 1m\n",
            },
            { when: /get events .*name=podnet-1 /, stdout: "Pulling   trying\nFailed   no such image\n" },
        ];
        const { code, stderr } = runWithKubectl(waitForNodesScript, env, answers);
        assert.equal(code, 1);
        assert.match(stderr, /podnet-1: .*\n +Pulling +trying\n +Failed +no such image\n/);
        assert.match(stderr, /^w1 is not Ready: KubeletNotReady: cni plugin not initialized$/m);
        assert.match(stderr, /pod kube-system\/podnet-1: ImagePullBackOff, ready 0\/1/);
        assert.match(stderr, /pod kube-system\/x: Running, ready 0\/1/);
        assert.match(stderr, /look at: journalctl -u kubelet on w1; kubectl describe node w1/);
        assert.doesNotMatch(stderr, /kube-proxy|m1 is/);
    });

    it("says of a node that never came that it is no member", () => {
        const answers = [
            notYet,
            { when: /get nodes/, stdout: "m1 True\n" },
            { when: /get node w1 /, code: 1, stderr: "NotFound" },
        ];
        const { stderr } = runWithKubectl(waitForNodesScript, env, answers);
        assert.match(stderr, /^w1 is no member of the cluster$/m);
    });
});

describe("looking for objects", () => {
    const look = (answers: Answers) => runWithKubectl(missingObjectsScript, { MANIFEST: "kind: X" }, answers);

    it("says nothing where all are there", () => assert.equal(look([]).stdout, ""));

    it("names those that are not", () => {
        const stderr = 'Error from server (NotFound): daemonsets.apps "podnet" not found\n';
        const { code, stdout } = look([{ when: /get -f/, code: 1, stderr }]);
        assert.deepEqual([code, stdout], [0, stderr]);
    });

    it("takes an API that does not answer for no answer", () => {
        assert.equal(look([{ when: /get -f/, code: 1, stderr: "connection refused" }]).code, 1);
    });
});
