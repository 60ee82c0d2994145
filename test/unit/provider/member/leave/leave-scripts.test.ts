import assert from "node:assert/strict";
import { uidIn } from "../../../../../provider/member/leave/leave-acts";
import {
    deleteNodeScript,
    drainScript,
    removeMemberScript,
    uncordonScript,
} from "../../../../../provider/member/leave/leave-scripts";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { type Answers, runWithKubectl } from "../../network/fake-kubectl";

describe("draining a node", () => {
    const drain = (answers: Answers, policy = "fail", gone = "") =>
        runWithKubectl(drainScript, { NAME: "w1", SECONDS_TO_WAIT: "7", POLICY: policy, GONE: gone }, [
            ...answers,
            { when: /^get node w1 --ignore-not-found/, stdout: "uid-1" },
            { when: /jsonpath=\{\.metadata\.annotations/, stdout: "leaving" },
            {
                when: /^get pods/,
                stdout: ["shop web-1 ReplicaSet", "kube-system proxy-1 DaemonSet", "kube-system etcd-w1 Node", ""].join(
                    "\n",
                ),
            },
            { when: /^get poddisruptionbudgets/, stdout: "shop   web     0\nshop   other   1\nbank   till    0\n" },
        ]);
    const refused = { when: /^drain (?!.*--disable-eviction)/, stderr: "error: global timeout reached: 7s\n", code: 1 };
    const drains = (calls: string[]) => calls.filter(call => call.startsWith("drain "));

    it("evicts, so that PodDisruptionBudgets count, for the time given", () => {
        const { code, calls } = drain([]);
        assert.equal(code, 0);
        assert.deepEqual(drains(calls), ["drain w1 --ignore-daemonsets --delete-emptydir-data --force --timeout=7s"]);
        assert.ok(!calls.some(call => call.startsWith("uncordon")));
    });

    it("says which node object it was, and only that one is deleted: a machine may have joined under the name since", () => {
        assert.equal(uidIn(drain([]).stdout), "uid-1");
        assert.equal(uidIn(drain([{ when: /^get node w1 --ignore-not-found/, stdout: "" }]).stdout), "");
        const deletions = (now: string, seen: string) =>
            runWithKubectl(deleteNodeScript, { NAME: "w1", NODE_UID: seen }, [
                { when: /^get node w1/, stdout: now },
            ]).calls.filter(call => call.startsWith("delete")).length;
        assert.deepEqual(
            [deletions("uid-1", "uid-1"), deletions("uid-2", "uid-1"), deletions("uid-2", ""), deletions("", "uid-1")],
            [1, 0, 0, 0],
        );
    });

    it("does nothing to a node that is gone", () => {
        const { code, calls } = drain([{ when: /^get node w1 --ignore-not-found/, stdout: "" }]);
        assert.deepEqual([code, drains(calls)], [0, []]);
    });

    it("that fails names pods and budgets, and lets the node get pods again", () => {
        const { code, stderr, calls } = drain([refused]);
        assert.equal(code, exitCodes.DRAIN_FAILED);
        assert.equal(
            stderr,
            [
                "pods are still on w1 after 7 s:",
                "    shop/web-1",
                "PodDisruptionBudgets that allow no disruption now:",
                "    shop/web",
                "error: global timeout reached: 7s",
                "",
            ].join("\n"),
        );
        assert.equal(drains(calls).length, 1);
        assert.ok(calls.includes("uncordon w1"));
    });

    it("that fails names no budget where none protects these pods", () => {
        const { stderr } = drain([refused, { when: /^get pods/, stdout: "other web-1 ReplicaSet\n" }]);
        assert.doesNotMatch(stderr, /PodDisruptionBudget/);
    });

    it("that fails lets the node get pods again, also where the API does not say how its kubelet is", () => {
        const silent = { when: /@\.type=="Ready"/, stderr: "no", code: 1 };
        const { code, calls } = drain([refused, silent], "fail", "yes");
        assert.equal(code, exitCodes.DRAIN_FAILED);
        assert.ok(calls.includes("uncordon w1"));
    });

    it("goes on where the API was away for a moment: its time is not up, and no policy ends pods", () => {
        const reset = "error: unexpected error when reading response body. read tcp: connection reset by peer\n";
        const { code, calls } = drain([{ when: /^drain/, stderr: reset, code: 1, until: /^drain/ }], "delete");
        assert.equal(code, 0);
        const [, second, ...more] = drains(calls);
        assert.match(second!, /^drain w1 --ignore-daemonsets --delete-emptydir-data --force --timeout=[1-5]s$/);
        assert.deepEqual(more, []);
        const first = [{ when: /^get node w1 --ignore-not-found/, stderr: reset, code: 1, until: /^get node/ }];
        assert.equal(drain(first).code, 0);
    });

    it("cordons no node again that the next run has brought back meanwhile: nothing would uncordon it", () => {
        const reset = { when: /^drain/, stderr: "error: etcdserver: leader changed\n", code: 1, until: /^drain/ };
        const isBack = { when: /jsonpath=\{\.metadata\.annotations/, stdout: "leaving", until: /^drain/ };
        const { code, stderr, calls } = drain([reset, isBack, { when: /jsonpath=\{\.metadata\.annotations/ }], "evict");
        assert.equal(code, exitCodes.DRAIN_FAILED);
        assert.equal(drains(calls).length, 1);
        assert.match(stderr, /w1 was uncordoned meanwhile/);
    });

    it("that fails leaves a node cordoned that somebody else had cordoned", () => {
        const { code, calls } = drain([refused, { when: /jsonpath=\{\.spec\.unschedulable}/, stdout: "true|" }]);
        assert.equal(code, exitCodes.DRAIN_FAILED);
        assert.ok(!calls.some(call => /^(uncordon|annotate)/.test(call)));
    });

    it("notes its own cordon before it begins, so that a killed run can be taken back, and forgets it where it fails", () => {
        const { calls } = drain([{ when: /jsonpath=\{\.spec\.unschedulable}/, stdout: "|" }, refused]);
        const changes = calls
            .filter(call => /^(annotate|drain|uncordon)/.test(call))
            .map(call => call.split(" --ignore")[0]);
        assert.deepEqual(changes, [
            "annotate --overwrite node w1 pulumi-nfv.dev/cordoned=leaving",
            "drain w1",
            "uncordon w1",
            "annotate node w1 pulumi-nfv.dev/cordoned-",
        ]);
    });

    it("that fails takes back what a run of ours had cordoned that was killed", () => {
        const { calls } = drain([refused, { when: /jsonpath=\{\.spec\.unschedulable}/, stdout: "true|leaving" }]);
        assert.ok(calls.includes("uncordon w1"));
    });

    describe("with pods that have data on it", () => {
        const pods = (...lines: string[]) => ({ when: /^get pods/, stdout: lines.map(line => `${line}\n`).join("") });
        const here = pods(
            "shop   cache-1   ReplicaSet   map[]",
            "shop   web-1     ReplicaSet   <none>",
            "shop   queue-1   StatefulSet  map[medium:Memory sizeLimit:1Gi],map[]",
            "logs   agent-1   DaemonSet    map[]",
        );

        it("names those whose emptyDir volumes are deleted, before it begins: progress shows the last line", () => {
            const { stdout, calls } = drain([here]);
            assert.match(stdout, /^uid uid-1\npods whose emptyDir data is deleted: shop\/cache-1, shop\/queue-1\n/);
            const order = calls.map(call => call.split(" ").slice(0, 2).join(" "));
            assert.ok(order.indexOf("get pods") < order.indexOf("drain w1"));
            assert.doesNotMatch(drain([pods()]).stdout, /emptyDir|have to leave/);
        });

        it("says how many have to leave where none has data: progress would show an id", () => {
            const { stdout } = drain([
                pods("shop   web-1   ReplicaSet   <none>", "shop   web-2   ReplicaSet   <none>"),
            ]);
            assert.match(stdout, /^uid uid-1\npods that have to leave: 2\n/);
        });

        it("names some of many", () => {
            const many = Array.from({ length: 9 }, (_, i) => `shop web-${i} ReplicaSet map[]`);
            assert.match(drain([pods(...many)]).stdout, /shop\/web-3, shop\/web-4 and 4 more\n/);
        });

        it("says of those that did not leave whether they have such data", () => {
            const { stderr } = drain([refused, here]);
            assert.match(stderr, /\n {4}shop\/cache-1 \(has data in emptyDir volumes\)\n {4}shop\/web-1\n/);
            assert.doesNotMatch(stderr, /agent/);
        });

        it("begins where they cannot be listed, too", () => {
            const { code, calls } = drain([{ when: /^get pods/, code: 1, stderr: "timeout" }]);
            assert.deepEqual([code, drains(calls).length], [0, 1]);
        });
    });

    it("names some of many pods and says how many more there are", () => {
        const many = Array.from({ length: 9 }, (_, i) => `shop web-${i} ReplicaSet\n`).join("");
        const { stderr } = drain([refused, { when: /^get pods/, stdout: many }]);
        assert.match(stderr, /shop\/web-4\n {4}and 4 more\n/);
        assert.ok(stderr.trim().split("\n").length <= 15, "more lines would be cut off an error");
    });

    it("waits as long again, or deletes, where the policy says so", () => {
        assert.equal(drains(drain([refused], "evict").calls).length, 2);
        const { code, calls } = drain([refused], "delete");
        assert.equal(code, 0);
        assert.match(drains(calls)[1]!, /--disable-eviction/);
    });

    describe("whose kubelet does not report", () => {
        const ready = (status: string) => ({ when: /@\.type=="Ready"/, stdout: status });
        // kubectl's own drain waits forever for pods whose end is not confirmed
        const waits = { ...refused, when: /^drain (?!.*--skip-wait-for-delete-timeout)/ };

        for (const policy of ["fail", "evict", "delete"])
            it(`does not wait for its word where the machine is gone (${policy})`, () => {
                const { code, calls } = drain([waits, ready("Unknown")], policy, "yes");
                assert.equal(code, 0);
                assert.deepEqual(drains(calls), [
                    "drain w1 --ignore-daemonsets --delete-emptydir-data --force --timeout=7s --skip-wait-for-delete-timeout=1",
                ]);
            });

        it("waits where the machine may live, or where its kubelet reports", () => {
            for (const [status, gone] of [
                ["Unknown", ""],
                ["True", "yes"],
                ["False", "yes"],
                ["", "yes"],
            ]) {
                const { code, calls } = drain([waits, ready(status)], "fail", gone);
                assert.equal(code, exitCodes.DRAIN_FAILED, `Ready ${status}, gone ${gone}`);
                assert.ok(!drains(calls).some(call => call.includes("--skip-wait")));
                assert.ok(calls.includes("uncordon w1"));
            }
        });

        it("is not waited for at all where the machine says that it does not run, whatever the cluster thinks", () => {
            for (const status of ["True", "False", "Unknown"]) {
                const { code, calls } = drain([waits, ready(status)], "fail", "stopped");
                assert.deepEqual([code, drains(calls).length], [0, 1], status);
            }
        });

        it("is not waited for to the end where the machine is silent, too: its pods may run on, and the node stays", () => {
            const long = { NAME: "w1", SECONDS_TO_WAIT: "300", POLICY: "fail", GONE: "silent" };
            const timeouts = (status: string) => {
                const known = [
                    { when: /^get node w1 --ignore-not-found/, stdout: "uid-1" },
                    { when: /jsonpath=\{\.metadata\.annotations/, stdout: "leaving" },
                ];
                const { code, calls } = runWithKubectl(drainScript, long, [waits, ready(status), ...known]);
                assert.equal(code, exitCodes.DRAIN_FAILED);
                assert.ok(calls.includes("uncordon w1"));
                return drains(calls).map(call => /--timeout=(\d+s.*)$/.exec(call)?.[1]);
            };
            assert.deepEqual(timeouts("Unknown"), ["30s"]);
            assert.deepEqual(timeouts("True"), ["300s"], "its kubelet reports: only we do not reach it");
        });

        it("is noticed while it is drained", () => {
            const { code, calls } = drain(
                [waits, { ...ready("True"), until: /^drain/ }, ready("Unknown")],
                "fail",
                "yes",
            );
            assert.equal(code, 0);
            assert.equal(drains(calls).length, 2);
        });

        it("still counts budgets: what they protect is not let go", () => {
            const { code, calls } = drain([refused, ready("Unknown")], "fail", "yes");
            assert.equal(code, exitCodes.DRAIN_FAILED);
            assert.equal(drains(calls).length, 1);
        });
    });
});

describe("taking back the cordon of a drain", () => {
    const uncordon = (mark: string) =>
        runWithKubectl(uncordonScript, { NAME: "w1" }, [{ when: /cordoned}/, stdout: mark }]).calls.map(
            call => call.split(" --request")[0],
        );

    it("lets the node get pods again, unless somebody else has cordoned it", () => {
        assert.deepEqual(uncordon("leaving").slice(1), ["uncordon w1", "annotate node w1 pulumi-nfv.dev/cordoned-"]);
        assert.equal(uncordon("").length, 1);
    });
});

describe("removing a member of etcd", () => {
    const remove = (list: string, refusal = "", more: Answers = []) =>
        runWithKubectl(`sleep() { :; }\n${removeMemberScript}`, { MEMBER: "b2" }, [
            ...more,
            { when: /member remove b2$/, stderr: refusal, code: refusal === "" ? 0 : 1 },
            { when: /member list$/, stdout: list },
        ]);
    const line = (id: string) => `${id}, started, m1, https://10.0.0.1:2380, https://10.0.0.1:2379, false\n`;
    const notFound = "Error: etcdserver: member not found\n";

    it("is done once", () => {
        const { code, calls } = remove(line("b2"));
        assert.equal(code, 0);
        assert.ok(!calls.some(call => call.endsWith("member list")));
    });

    it("that was done already, by an attempt whose end the operator did not hear, succeeds", () => {
        for (const others of [line("a1"), line("a1") + line("1b2") + line("b21")]) {
            assert.equal(remove(others, notFound).code, 0, others);
        }
    });

    it("succeeds where its answer was lost, and the next one, because the member's own API server had carried them", () => {
        const reset = { when: /member list$/, until: /member list$/, stderr: "connection reset by peer\n", code: 1 };
        const { code, calls } = remove(line("a1"), "connection reset by peer\n", [reset]);
        assert.equal(code, 0);
        assert.equal(calls.filter(call => call.endsWith("member list")).length, 2);
    });

    it("fails while etcd lists the member, or if its list cannot be read", () => {
        for (const list of [line("b2"), line("a1") + line("b2"), ""]) {
            const { code, stderr } = remove(list, "Error: etcdserver: unhealthy cluster\n");
            assert.equal(code, 1, list);
            assert.match(stderr, /unhealthy cluster/);
        }
    });
});
