import assert from "node:assert/strict";
import { NfvError } from "../../../../../provider/common/errors";
import { lookAgain, machineStatusArgv } from "../../../../../provider/kubeadm/look";
import { type Leaving, leaveCluster } from "../../../../../provider/member/leave/leave";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import type { CommandResult, Connection, RunOptions } from "../../../../../provider/ssh/types";
import { decodeBatch, formatBegin, formatStepEnd } from "../../../../../provider/steps/batch";
import { decodeCall, formatEnd, isStoppable } from "../../../../../provider/steps/protocol";

/** What a script does, by words in it. */
const kinds = {
    members: "member list -w json",
    drain: "kubectl drain",
    start: "start kubelet.service",
    uncordon: "kubectl uncordon",
    note: "read -r cluster <",
    known: '@.type=="Ready"',
    "remove member": "member remove",
    reset: "kubeadm reset -f --skip",
    "delete node": "kubectl delete node",
};
type Kind = keyof typeof kinds | "look";

const member = (name: string, ID: number) => ({ name, ID, clientURLs: [`https://${name}:2379`] });
const etcdOf = (members: string[], healthy = members): string => {
    const health = members.map(name => ({ endpoint: `https://${name}:2379`, health: healthy.includes(name) }));
    return `${JSON.stringify({ members: members.map((name, i) => member(name, i + 17)) })}\n${JSON.stringify(health)}\n`;
};

lookAgain.pauseSeconds = 0;

describe("a node that leaves its cluster", () => {
    /** What was run, in order: "m1 drain". */
    let log: string[];
    let calls: {
        place: string;
        kind: Kind;
        id?: string;
        forNode?: string;
        timeoutSeconds?: number;
        stoppable?: boolean;
        stdin: string;
    }[];
    let reports: string[];
    /** Answers by place and kind, in place of success. */
    let answers: Record<string, (Partial<CommandResult> | Error)[]>;
    let facts: string;
    let etcd: string;

    beforeEach(() => {
        log = [];
        calls = [];
        reports = [];
        answers = {};
        facts = "memberOf=c1\nnoted=c1 w1\n";
        etcd = etcdOf(["m1", "m2", "m3"]);
    });

    const kindOf = (argv: readonly string[], stdin: string): Kind => {
        if (argv === machineStatusArgv) return "look";
        return Object.entries(kinds).find(([, words]) => stdin.includes(words))![0] as Kind;
    };
    /** Answers queries itself, and acts as the agent would. */
    const machine = (place: string) =>
        ({
            target: { host: place },
            async exec(argv: readonly string[], options: RunOptions) {
                const call = decodeCall(argv);
                if (call !== undefined && call.verb !== "run") return { code: 0, stdout: "", stderr: "" };
                const [step] = call === undefined ? [] : decodeBatch(String(options.stdin))!;
                const stdin = step?.script ?? String(options.stdin);
                const kind = kindOf(argv, stdin);
                log.push(`${place} ${kind}`);
                if (kind === "note") facts = facts.replace(/memberOf=.*/, "memberOf=");
                calls.push({
                    ...{ place, kind, id: step?.id, forNode: call?.forNode, stdin },
                    timeoutSeconds: step?.timeoutSeconds ?? options.timeoutSeconds,
                    stoppable: step && isStoppable(step.fingerprint),
                });
                const given = answers[`${place} ${kind}`]?.shift();
                if (given instanceof Error) throw given;
                const stdout = kind === "look" ? facts : kind === "members" ? etcd : "";
                const result = { code: 0, stdout, stderr: "", ...given };
                if (step === undefined) return result;
                const { id, fingerprint } = step;
                const output = `${result.stdout}${result.stderr}`;
                const text = formatBegin(id) + output + formatStepEnd(id, fingerprint, result.code, 0);
                options.onOutput?.(text, "stdout");
                return { code: 0, stdout: text, stderr: formatEnd(0) };
            },
        }) as unknown as Connection;

    const leave = (changes: Partial<Leaving> = {}, role: Leaving["spec"]["role"] = "worker", name = "w1") =>
        leaveCluster({
            spec: { clusterId: "c1", name, address: "10.0.0.9", role, drain: { timeoutSeconds: 100, policy: "evict" } },
            node: machine("node"),
            controlPlane: { name: "m1", connection: machine("cp") },
            forgetJoin: async () => void log.push("forget join"),
            report: text => void reports.push(text),
            ...changes,
        });
    const leaveAsMaster = (changes: Partial<Leaving> = {}) => {
        facts = facts.replace("w1", "m2");
        return leave(changes, "controlPlane", "m2");
    };
    const failure = async (work: Promise<void>): Promise<NfvError> => {
        const error = await work.then(
            () => assert.fail("did not fail"),
            thrown => thrown,
        );
        assert.ok(error instanceof NfvError, String(error));
        return error;
    };
    const call = (kind: Kind) => calls.find(each => each.kind === kind)!;
    const wholeWay = [
        "node look",
        "cp drain",
        "node look",
        "forget join",
        "node note",
        "node look",
        "node reset",
        "node look",
        "cp delete node",
    ];

    it("is drained, noted, reset and then deleted; a worker asks nothing of etcd", async () => {
        await leave();
        assert.deepEqual(log, wholeWay);
        assert.deepEqual(
            reports,
            ["drain", "note that it leaves", "reset the node", "delete the node object"].map(step => `${step} (w1)`),
        );
        for (const each of calls) {
            if (["drain", "delete node"].includes(each.kind)) assert.match(each.stdin, /NAME='?w1'?\n/);
            assert.equal(each.forNode, each.place === "cp" ? "w1" : undefined, "on its own account");
        }
    });

    it("leaves etcd as a master by its member's id, after the quorum was asked for twice", async () => {
        await leaveAsMaster();
        assert.deepEqual(log, [
            ...["cp members", "node look", "cp drain", "cp members"],
            ...[
                "node look",
                "forget join",
                "node note",
                "cp remove member",
                "node look",
                "node reset",
                "node look",
                "cp delete node",
            ],
        ]);
        assert.match(call("remove member").stdin, /MEMBER='?12'?\n/);
        assert.ok(reports.includes("look at etcd's members (m2)") && reports.includes("leave etcd (m2)"));
        assert.deepEqual(
            [call("members"), call("remove member")].map(each => each.timeoutSeconds),
            [60, 60],
        );
    });

    it("removes no member of etcd where it is none any more: an earlier attempt has noted that it leaves", async () => {
        etcd = etcdOf(["m1", "m3"]);
        facts = "noted=c1 m2\njoinStarted=c1\n";
        await leaveAsMaster();
        assert.ok(!log.includes("cp remove member"));
        assert.ok(log.includes("node reset"));
    });

    it("is not touched where it is a master by its own note, and etcd of the master that is asked does not have it, though it was given up", async () => {
        etcd = etcdOf(["m1"]);
        for (const givenUp of [false, true]) {
            log = [];
            const error = await failure(leaveAsMaster({ givenUp }));
            assert.equal(error.code, "QUORUM_AT_RISK");
            assert.match(error.message, /etcd of m1 does not have m2 as a member.*by its own note/);
            assert.match(error.hint, /kubeadm reset -f && sudo rm -f \S+\/member;/);
            assert.doesNotMatch(error.hint, /NFV_GIVE_UP/);
            assert.deepEqual(log, ["cp members", "node look", "cp known"]);
        }
        // As the hint says: reset by hand.
        facts = "memberOf=\nnoted=c1 m2\n";
        await leaveAsMaster();
        assert.ok(log.includes("node reset"));
    });

    it("is reset where it was off while it was taken out: neither etcd nor the cluster knows it, and its own etcd does not serve", async () => {
        etcd = etcdOf(["m1", "m3"]);
        const taken = () => {
            log = [];
            answers["cp known"] = [{ stdout: "none\n" }];
        };
        taken();
        await leaveAsMaster();
        assert.deepEqual(log.slice(0, 3), ["cp members", "node look", "cp known"]);
        assert.ok(log.includes("node reset"));
        for (const sign of ["apiReady=yes", "etcd=without-leader"]) {
            taken();
            facts = `memberOf=c1\nnoted=c1 m2\n${sign}\n`;
            assert.equal((await failure(leaveAsMaster())).code, "QUORUM_AT_RISK", sign);
            assert.deepEqual(log, ["cp members", "node look"]);
        }
        taken();
        facts = "memberOf=c1\nnoted=c1 m2\n";
        answers["cp known"] = [{ code: 1, stderr: "no answer" }];
        await failure(leaveAsMaster());
        assert.ok(!log.includes("node reset"), "a cluster that cannot be asked does not say that it is gone");
    });

    it("is forgotten where it was given up and is silent, though etcd of the master that is asked does not have it", async () => {
        etcd = etcdOf(["m1"]);
        answers["node look"] = [new Error("cut")];
        await leaveAsMaster({ givenUp: true, onMachineError: () => {} });
        assert.deepEqual(log, ["cp members", "node look", "cp drain", "cp members", "cp delete node"]);
    });

    it("is not taken for gone where it does not answer, its server is there, and that etcd does not have it", async () => {
        etcd = etcdOf(["m1"]);
        const silent = { node: undefined, gone: true };
        assert.equal((await failure(leaveAsMaster({ ...silent, mayLive: true }))).code, "QUORUM_AT_RISK");
        assert.deepEqual(log, ["cp members"]);
        await leaveAsMaster(silent);
        assert.ok(log.includes("cp delete node"));
    });

    it("is not reset, and keeps its node object, where another run has joined it again meanwhile", async () => {
        const again = { stdout: "memberOf=c1\nnoted=c1 w1\n" };
        answers["node look"] = [{}, {}, again];
        assert.equal((await failure(leave())).code, "NODE_BUSY");
        assert.ok(!log.includes("node reset") && !log.includes("cp delete node"));
        answers["node look"] = [{}, {}, {}, again];
        log = [];
        assert.equal((await failure(leave())).code, "NODE_BUSY");
        assert.ok(log.includes("node reset") && !log.includes("cp delete node"));
    });

    it("is not touched where etcd would lose its quorum, nor where that is so only after the drain", async () => {
        etcd = etcdOf(["m1", "m2", "m3"], ["m1", "m2"]);
        const asked = Array.from({ length: 1 + lookAgain.times }, () => "cp members");
        assert.equal((await failure(leaveAsMaster())).code, "QUORUM_AT_RISK");
        assert.deepEqual(log, asked);
        etcd = etcdOf(["m1", "m2", "m3"]);
        answers["cp members"] = [{}, ...asked.map(() => ({ stdout: etcdOf(["m1", "m2", "m3"], ["m1", "m2"]) }))];
        log = [];
        assert.equal((await failure(leaveAsMaster())).code, "QUORUM_AT_RISK");
        assert.deepEqual(log, ["cp members", "node look", "cp drain", ...asked]);
    });

    it("looks again where health checks timed out under load, for one member or as a whole", async () => {
        const whole = etcdOf(["m1", "m2", "m3"]).split("\n")[0]!;
        for (const slow of [whole, etcdOf(["m1", "m2", "m3"], ["m1", "m2"])]) {
            log = [];
            facts = "memberOf=c1\nnoted=c1 m2\n";
            answers["cp members"] = [{ stdout: slow }, { stdout: slow }, {}, { stdout: slow }];
            await leaveAsMaster();
            assert.deepEqual(
                log.filter(each => each !== "cp members"),
                [...wholeWay.slice(0, 5), "cp remove member", ...wholeWay.slice(5)],
            );
            assert.ok(reports.some(text => /look again/.test(text)));
        }
    });

    it("waits while etcd elects a leader and names no members; one that never does is an error", async () => {
        const silent = { stdout: "\n" };
        answers["cp members"] = [silent, silent, silent, silent, {}];
        await leaveAsMaster();
        assert.ok(reports.includes("etcd does not name its members: look again"));
        answers["cp members"] = Array.from({ length: 1 + lookAgain.untilLeader }, () => silent);
        assert.equal((await failure(leaveAsMaster())).code, "NO_CONTROL_PLANE");
    });

    it("counts the last look alone: members that answered at different times are no majority", async () => {
        const only = (...healthy: string[]) => ({ stdout: etcdOf(["m1", "m2", "m3"], healthy) });
        answers["cp members"] = [only("m1", "m2"), only("m2", "m3"), only("m1")];
        assert.match((await failure(leaveAsMaster())).reason, /3 voters, 1 of them healthy/);
    });

    it("does not look again where a dead member is the one that leaves", async () => {
        etcd = etcdOf(["m1", "m2", "m3"], ["m1", "m3"]);
        await leaveAsMaster();
        assert.equal(log.filter(each => each === "cp members").length, 2);
    });

    it("counts no member of etcd as healthy where the health check gave no answer", async () => {
        etcd = etcdOf(["m1", "m2", "m3"]).split("\n")[0]!;
        const error = await failure(leaveAsMaster());
        assert.match(error.reason, /3 voters, 0 of them healthy/);
    });

    it("is drained for as long as its policy may take; the drain alone may be stopped", async () => {
        await leave();
        const { timeoutSeconds, stoppable, stdin } = call("drain");
        assert.deepEqual([timeoutSeconds, stoppable], [260, true]);
        assert.match(stdin, /SECONDS_TO_WAIT='?100'?\n/);
        assert.match(stdin, /POLICY='?evict'?\n/);
        assert.match(stdin, /GONE=''\n/);
        const others = calls.filter(({ kind }) => !["drain", "look"].includes(kind));
        assert.deepEqual(
            others.map(each => [each.kind, each.timeoutSeconds, each.stoppable]),
            [
                ["note", 60, false],
                ["reset", 300, false],
                ["delete node", 60, false],
            ],
        );
    });

    it("is drained again by the next run: nothing says that it is drained", async () => {
        answers["cp delete node"] = [{ code: 1 }];
        await failure(leave());
        log = [];
        await leave();
        assert.equal(log[1], "cp drain");
    });

    it("begins nothing more once the run is cancelled", async () => {
        const stop = new AbortController();
        stop.abort();
        await assert.rejects(leave({ signal: stop.signal }));
        assert.deepEqual(log, []);
    });

    it("is drained a third time where the machine is gone", async () => {
        await leave({ gone: true, node: undefined });
        assert.deepEqual(log, ["cp drain", "cp delete node"]);
        assert.equal(call("drain").timeoutSeconds, 360);
        assert.match(call("drain").stdin, /GONE='?yes'?\n/);
    });

    it("stays a member where the drain fails", async () => {
        answers["cp drain"] = [{ code: exitCodes.DRAIN_FAILED, stderr: "pods are still on w1" }];
        const error = await failure(leave());
        assert.deepEqual([error.code, error.node, error.step], ["DRAIN_FAILED", "w1", "drain"]);
        assert.deepEqual(log, ["node look", "cp drain"]);
    });

    it("is not touched where it became another's during the drain, nor before the reset", async () => {
        const others = { stdout: "noted=other w1\n" };
        answers["node look"] = [{}, others];
        const error = await failure(leave());
        assert.deepEqual([error.code, error.node], ["FOREIGN_NODE", "w1"]);
        assert.match(error.reason, /node w1 of cluster other/);
        assert.deepEqual(log, ["node look", "cp drain", "node look"]);
        answers["node look"] = [{}, {}, others];
        log = [];
        assert.equal((await failure(leave())).code, "FOREIGN_NODE");
        assert.deepEqual(log, ["node look", "cp drain", "node look", "forget join", "node note", "node look"]);
    });

    it("is not even drained where it is another's", async () => {
        facts = "noted=other w1\n";
        assert.equal((await failure(leave())).code, "FOREIGN_NODE");
        assert.deepEqual(log, ["node look"]);
    });

    describe("whose kubelet or container runtime does not run", () => {
        const stopped = { stdout: "memberOf=c1\nnoted=c1 w1\nservices=stopped\n" };

        it("is started first: then the drain ends its pods in order", async () => {
            answers["node look"] = [stopped];
            answers["node start"] = [{ stdout: "kubelet runs\n" }];
            await leave();
            assert.deepEqual(log, ["node look", "node start", ...wholeWay.slice(1)]);
            assert.match(call("drain").stdin, /GONE=''\n/);
        });

        it("is not waited for where they do not start", async () => {
            answers["node look"] = [stopped];
            await leave();
            assert.match(call("drain").stdin, /GONE='?stopped'?\n/);
        });

        it("is left as it is where it has left before", async () => {
            answers["node look"] = [stopped];
            await leave({ hasLeft: true });
            assert.ok(!log.includes("node start"));
        });
    });

    it("gets pods again where it was drained and then stays, and the error is that of the leave", async () => {
        const uid = { stdout: "uid 1\n" };
        for (const uncordon of [{}, { code: 1, stderr: "no API" }]) {
            log = [];
            answers["cp drain"] = [uid];
            answers["node look"] = [{}, new Error("cut")];
            answers["cp uncordon"] = [uncordon];
            await assert.rejects(leave(), /cut/);
            assert.deepEqual(log, ["node look", "cp drain", "node look", "cp uncordon"]);
        }
        answers["cp drain"] = [uid];
        answers["cp delete node"] = [{ code: 1 }];
        log = [];
        await failure(leave());
        assert.ok(!log.includes("cp uncordon"), "it has left");
    });

    it("is another's also by its authority, with the hint of that", async () => {
        facts = "noted=c1 w2\n";
        assert.match((await failure(leave())).hint, /keep its name/);
        facts = `noted=c1 w1\ntrace=/etc/kubernetes/kubelet.conf\nauthority=${Buffer.from("broken").toString("base64")}\n`;
        await leave();
        facts = `trace=/etc/kubernetes/kubelet.conf\nauthority=${Buffer.from("broken").toString("base64")}\n`;
        assert.equal((await failure(leave({ caCertHash: "sha256:ours" }))).code, "FOREIGN_NODE");
    });

    it("is reset alone when the whole cluster goes", async () => {
        await leave({ controlPlane: undefined });
        assert.deepEqual(log, ["node look", "node reset"]);
    });

    it("is deleted before its reset where the user gave it up", async () => {
        await leave({ givenUp: true });
        assert.deepEqual(log, [...wholeWay.slice(0, 5), "cp delete node", "node look", "node reset", "node look"]);
    });

    it("throws what goes wrong on the machine", async () => {
        answers["node note"] = [new Error("cut")];
        await assert.rejects(leave(), /cut/);
        assert.ok(!log.includes("node reset"));
    });

    it("is left alone after the first error on it, where such errors are tolerated", async () => {
        answers["node note"] = [new Error("cut")];
        const seen: unknown[] = [];
        await leave({ onMachineError: error => void seen.push(error) });
        assert.equal(seen.length, 1);
        assert.match(String(seen[0]), /cut/);
        assert.deepEqual(log, [...wholeWay.slice(0, 5), "cp delete node"]);
    });

    it("says what the reset left there", async () => {
        answers["node reset"] = [{ stdout: "moved: a\nstays: /etc/b\nit stays: c\nstays: /etc/d\n" }];
        await leave();
        assert.deepEqual(
            reports.filter(text => text.includes("stays")),
            ["w1: stays: /etc/b", "w1: stays: /etc/d"],
        );
    });

    it("needs no note of its join", async () => {
        await leave({ forgetJoin: undefined });
        assert.deepEqual(
            log,
            wholeWay.filter(each => each !== "forget join"),
        );
    });

    it("names what is done, for the first look of a run that comes after", async () => {
        await leave();
        assert.deepEqual([call("note").id, call("reset").id], ["node.leave", "node.reset"]);
    });
});
