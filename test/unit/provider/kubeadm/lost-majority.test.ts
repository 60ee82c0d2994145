import assert from "node:assert/strict";
import {
    type Loss,
    type MemberAnswer,
    membersToAsk,
    type OtherMaster,
    parseAnswers,
    parseSurvey,
    type Survey,
    whyNotForce,
} from "../../../../provider/kubeadm/lost-majority";

const url = (name: string) => `https://10.0.0.1${name.slice(1)}:2380`;
const member = (name: string, peerUrl = url(name)) => ({ name, peerUrl, clientUrl: peerUrl.replace(":2380", ":2379") });
const master = (name: string, others: Partial<OtherMaster> = { silent: "no answer in 15 s" }): OtherMaster => ({
    name,
    address: `10.0.0.1${name.slice(1)}`,
    ...others,
});
const survey = (others: Partial<Survey> = {}): Survey => ({
    ...{ curl: true, data: true, healthy: false, halfDone: false },
    members: ["m1", "m2", "m3"].map(name => member(name)),
    ...others,
});
const asked = (others: Partial<Loss> = {}, givenUp: string[] = ["m2", "m3"]) => {
    const answers: Record<string, MemberAnswer> = { [url("m2")]: "silent", [url("m3")]: "silent" };
    const lost = [master("m2"), master("m3")];
    const isGivenUp = (name: string) => givenUp.includes(name);
    return whyNotForce({
        ...{ clusterId: "core-1", name: "m1", survey: survey(), answers, others: lost, isGivenUp },
        ...others,
    });
};

describe("a survivor's data becomes a new cluster", () => {
    it("where all others are silent and given up by name", () => {
        assert.equal(asked(), undefined);
    });

    it("where another machine answers and is empty: it need not be given up", () => {
        assert.equal(asked({ others: [master("m2", {}), master("m3")] }, ["m3"]), undefined);
    });

    it("where its own etcd does not run, and all masters that are known are lost", () => {
        const { members: _, ...silent } = survey();
        assert.equal(asked({ survey: silent, answers: {} }), undefined);
        const why = asked({ survey: silent, answers: {} }, ["m2"]);
        assert.match(why!.reason, /m3: may be a member; no answer in 15 s/);
    });

    it("although a fresh machine of the program, which is no member, does not answer yet", () => {
        const others = [master("m2"), master("m3"), { name: "m2", address: "10.0.0.22", silent: "it boots" }];
        assert.equal(asked({ others }), undefined);
    });
});

describe("a survivor's data stays what it is", () => {
    for (const [where, question, givenUp, says] of [
        ["its etcd has a majority", { survey: survey({ healthy: true }) }, [], /its etcd has a majority \(of 3\)/],
        [
            "its etcd is a cluster of one already",
            { survey: survey({ healthy: true, members: [member("m1")] }) },
            [],
            /is a cluster of one member already, and works: there is nothing to force/,
        ],
        ["it has no data", { survey: survey({ data: false }) }, [], /it has no data of etcd/],
        [
            "it is no member by its own data",
            { survey: survey({ members: [member("m2"), member("m3")] }) },
            [],
            /does not have m1 as a member, but m2, m3/,
        ],
        [
            "another member has a majority, although it was given up",
            { answers: { [url("m2")]: "healthy", [url("m3")]: "silent" } },
            ["m2", "m3"],
            /m2: its etcd has a majority/,
        ],
        [
            "another member's etcd runs",
            { answers: { [url("m2")]: "runs", [url("m3")]: "silent" } },
            ["m2", "m3"],
            /m2: its etcd runs, and waits for the others/,
        ],
        [
            "another master answers, although it was given up",
            { others: [master("m2", { isMaster: true }), master("m3")] },
            ["m2", "m3"],
            /m2: it answers, and is a master of a cluster/,
        ],
        [
            "another master refuses the login, although it was given up",
            { others: [master("m2", { closed: "m2 lives, and refuses the login" }), master("m3")] },
            ["m2", "m3"],
            /m2 lives, and refuses the login/,
        ],
        ["one is only silent", {}, ["m2"], /^m3: no answer in 15 s; nothing was changed$/],
        [
            "a member is no machine of the program",
            { others: [master("m2")] },
            ["m2"],
            /m3: no master of the program has its address \(https:\/\/10\.0\.0\.13:2380\)/,
        ],
        [
            "a silent master is no member by its data, which may be older than that master",
            { others: [master("m2"), master("m3"), master("m4")] },
            ["m2", "m3"],
            /^m4: the data of m1 does not have it, and may be older; no answer in 15 s; nothing was changed$/,
        ],
    ] as [string, Partial<Loss>, string[], RegExp][]) {
        it(`where ${where}`, () => {
            const why = asked(question, givenUp);
            assert.match(why?.reason ?? "it may", says);
        });
    }

    it("and the error says with which names it would be done", () => {
        const why = asked({}, []);
        assert.equal(why?.code, "QUORUM_AT_RISK");
        assert.match(why!.hint, /NFV_FORCE_NEW_CLUSTER=core-1\/m1 NFV_GIVE_UP=core-1\/m2,core-1\/m3 pulumi up/);
    });
});

describe("what a survivor says", () => {
    it("is read with members that never started", () => {
        const json =
            '[{"id":1,"peerURLs":["https://[fd00::11]:2380"],"name":"m1","clientURLs":["https://[fd00::11]:2379"]},' +
            '{"id":2,"peerURLs":["https://[fd00::12]:2380"],"isLearner":true}]';
        const said = `curl=yes\ndata=yes\nhalfDone=no\nhealthy=no\nmembers=${json}\n`;
        assert.deepEqual(parseSurvey(said).members, [
            { name: "m1", peerUrl: "https://[fd00::11]:2380", clientUrl: "https://[fd00::11]:2379" },
            { name: "", peerUrl: "https://[fd00::12]:2380", clientUrl: "https://[fd00::12]:2379" },
        ]);
        assert.equal(parseSurvey("data=yes\nmembers=\n").members, undefined);
        assert.deepEqual(parseAnswers("https://a:2380 runs\nhttps://b:2380 silent\n"), {
            "https://a:2380": "runs",
            "https://b:2380": "silent",
        });
    });

    it("names whom to ask: its members, or all masters while its etcd does not run", () => {
        const others = [master("m2")];
        assert.deepEqual(
            membersToAsk({ name: "m1", survey: survey(), others }).map(each => each.name),
            ["m2", "m3"],
        );
        const { members: _, ...silent } = survey();
        assert.deepEqual(membersToAsk({ name: "m1", survey: silent, others }), [member("m2")]);
    });
});
