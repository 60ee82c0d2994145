import assert from "node:assert/strict";
import {
    epoch,
    operationTimes,
    parseBoot,
    serverTimes,
    stackTimes,
    storedMachines,
} from "../../../bench/openstack/answers";
import { backEndsOf, factsOf, questions } from "../../../bench/openstack/bench";
import { arrivals, type CloudRun, journalSeconds, timeline, unavoidable } from "../../../bench/openstack/moments";

const machine = (name: string) => ({
    name,
    master: name.startsWith("m"),
    host: ["host.cloud-init", "prepare"],
    node: ["join"],
});

/** Servers are requested 10 s after the start, run 4 s later and accept logins 6 s after that; everything takes a second too long. */
const novaRun: CloudRun = {
    began: 1000,
    servers: Object.fromEntries(["m1", "m2", "w1"].map(name => [name, { created: 1010, launched: 1014, ready: 1020 }])),
    steps: { machines: ["m1", "m2", "w1"].map(machine), network: ["network"], end: ["end"] },
    journals: {
        m1: { "host.cloud-init": 3, prepare: 2, join: 10, network: 1 },
        m2: { "host.cloud-init": 3, prepare: 4, join: 8, end: 2 },
        w1: { "host.cloud-init": 3, prepare: 2, join: 5 },
    },
    hosts: { m1: 1023, m2: 1025, w1: 1023 },
    nodes: { m1: 1036, m2: 1045, w1: 1051 },
    ready: 1054,
    ended: 1056,
};

describe("the unavoidable part of an `up` on a cloud", () => {
    it("begins with each server for itself", () => {
        assert.deepEqual(arrivals(novaRun), { m1: 10, m2: 10, w1: 10 });
    });

    it("begins with the whole stack, and with a server that boots longer than the stack takes", () => {
        const servers = { ...novaRun.servers, w1: { created: 1010, launched: 1014, ready: 1040 } };
        assert.deepEqual(arrivals({ servers, stack: { began: 1008, ended: 1030 } }), { m1: 22, m2: 22, w1: 32 });
    });

    it("does not count the wait for cloud-init twice", () => {
        assert.equal(journalSeconds(novaRun)("m2", "host.cloud-init"), 0);
        assert.equal(journalSeconds(novaRun)("m2", "prepare"), 4);
    });

    it("finds what concerns the whole cluster in the journal of another master", () => {
        assert.equal(journalSeconds(novaRun)("m1", "end"), 2);
        assert.equal(journalSeconds(novaRun)("w1", "end"), 0);
    });

    it("is servers and boot, the slowest preparation, the masters one after another, the workers, the end", () => {
        assert.equal(unavoidable(novaRun).end, 10 + 4 + 10 + 8 + 5 + 2);
    });
});

describe("the timeline of an `up` on a cloud", () => {
    it("shows for each part when it was done, and the least time", () => {
        const rows = timeline(novaRun).map(({ at, least }) => [at, least]);
        const expected = [
            [10, 0],
            [10, 0],
            [14, 4],
            [20, 10],
            [25, 14],
            [36, 24],
            [45, 32],
            [51, 37],
            [54, 39],
        ];
        assert.deepEqual(rows, expected);
    });

    it("has a row for the stack, whose beginning is the first order", () => {
        const rows = timeline({ ...novaRun, stack: { began: 1008, ended: 1022 } });
        const of = (text: string) => rows.find(({ what }) => what.includes(text));
        assert.deepEqual(of("first order"), { what: "the cloud has its first order", at: 8, least: 0 });
        assert.deepEqual(of("stack"), { what: "the stack is complete", at: 22, least: 14 });
        assert.equal(of("let us in")?.least, 12);
    });

    it("is told in the report, with the whole `up`", () => {
        const facts = factsOf("nova", novaRun);
        assert.equal(facts["nova: all masters stand"], "45.0 s after the start, 32.0 s at the least");
        assert.match(facts["nova: all of pulumi up"], /^56\.0 s/);
    });
});

describe("what the cloud and its servers answer", () => {
    it("is read as UTC, with or without a zone", () => {
        assert.equal(epoch("2026-01-01T00:00:10.000000"), epoch("2026-01-01T00:00:10Z"));
        assert.equal(epoch("2026-01-01T02:00:10+02:00"), epoch("2026-01-01T00:00:10Z"));
        assert.throws(() => epoch("None"), /no time: "None"/);
    });

    it("says when a server was ordered and started, with the words of old and new clients", () => {
        const old = { created: "2026-01-01T00:00:10Z", "OS-SRV-USG:launched_at": "2026-01-01T00:00:14.000000" };
        const young = { created_at: "2026-01-01T00:00:10Z", launched_at: "2026-01-01T00:00:14.000000" };
        const began = epoch("2026-01-01T00:00:00Z");
        for (const shown of [old, young]) {
            assert.deepEqual(serverTimes(shown), { created: began + 10, launched: began + 14 });
        }
    });

    it("says when the stack began and ended, whatever its resources did", () => {
        const row = (resource_name: string, status: string, second: number) => ({
            resource_name,
            resource_status: `CREATE_${status}`,
            event_time: `2026-01-01T00:00:${second}Z`,
        });
        const events = [row("core", "IN_PROGRESS", 10), row("net", "COMPLETE", 12), row("core", "COMPLETE", 40)];
        const { began, ended } = stackTimes("core", events);
        assert.equal(ended - began, 30);
        assert.throws(() => stackTimes("core", events.slice(0, 2)), /CREATE_COMPLETE/);
    });

    it("says when a server was ready: the last of its times", () => {
        const text =
            "cluster.join 0123456789ab @17 17\nat /run/sshd.pid 20.125\nat /run/cloud-init/result.json 23.5\nat logins 21.0\n";
        assert.equal(parseBoot(text), 23.5);
        assert.throws(() => parseBoot("cluster.join 0123456789ab @17 17\n"), /no times/);
    });

    it("is read from the state: machines, and when operations had ended", () => {
        const resource = (type: string, second: number, stored: Record<string, unknown>) => ({
            type: `pulumi-nodejs:dynamic/nfv:${type}`,
            created: `2026-01-01T00:00:${second}.5Z`,
            inputs: stored,
            outputs: stored,
        });
        const connection = { host: "192.0.2.1", user: "nfv", privateKey: "key" };
        const exported = JSON.stringify({
            deployment: {
                resources: [
                    resource("Host", 11, { spec: { name: "m1" }, serverId: "id-1", connection }),
                    resource("Node", 22, { spec: { name: "m1" } }),
                    resource("OperationEnd", 33, { spec: {} }),
                ],
            },
        });
        const began = epoch("2026-01-01T00:00:00Z");
        assert.deepEqual(storedMachines(exported), [{ name: "m1", serverId: "id-1", connection }]);
        const expected = { hosts: { m1: began + 11.5 }, nodes: { m1: began + 22.5 }, ready: began + 33.5 };
        assert.deepEqual(operationTimes(exported), expected);
    });
});

describe("bench openstack", () => {
    it("takes one back end or both, and no others", () => {
        assert.deepEqual(backEndsOf("nova, heat"), ["heat", "nova"]);
        assert.deepEqual(backEndsOf("nova"), ["nova"]);
        assert.throws(() => backEndsOf("magnum"), /"magnum"/);
    });

    it("compares Heat with Nova where both ran", () => {
        assert.deepEqual(questions(["nova"]), [{ ours: "nova", rival: "nova, unavoidable" }]);
        assert.deepEqual(questions(["heat", "nova"]).at(-1), { ours: "heat", rival: "nova" });
    });
});
