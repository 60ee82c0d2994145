import assert from "node:assert/strict";
import { releases } from "../../../../lab/openstack/releases";
import { allServices, commandOf } from "../../../../lab/openstack/services";
import { blamedService } from "../../../../lab/openstack/start";
import { supervisorTable } from "../../../../lab/openstack/supervisor";
import { python } from "./python";

/** What functions of python/nfv_lab/health.py return for these arguments. */
function ask(calls: [string, ...unknown[]][]): unknown[] {
    const program = "from nfv_lab import health\noutput = [getattr(health, name)(*words) for name, *words in input]";
    return python(program, calls) as unknown[];
}

describe("what the supervisor thinks of a service", () => {
    const well = { running: true, age: 300, through_age: 300, still: 1, late: 8, behind: 3 };

    const cases: [string, object, string][] = [
        ["that has ended", { running: false }, "dead"],
        ["that reports to nobody", { running: true }, "healthy"],
        ["that reports", well, "healthy"],
        ["of which no API knows anything", { ...well, late: null, behind: null, still: 60 }, "healthy"],
        ["that is late, but runs: the machine is busy", { ...well, late: 80, behind: 60 }, "healthy"],
        ["that stands still between two reports", { ...well, still: 24, late: 24 }, "healthy"],
        ["that stands still and does not report", { ...well, still: 26, late: 26 }, "hung"],
        ["that is late with all its neighbours: their API is to blame", { ...well, late: 200, behind: 4 }, "healthy"],
        ["that alone has not reported for long", { ...well, late: 95, behind: 91 }, "hung"],
        ["whose last report is of its former process", { ...well, age: 5, late: 8 }, "starting"],
        ["that was started a while ago and was last asked for then", { ...well, age: 40, late: 30 }, "healthy"],
        ["that has just been started", { ...well, age: 5, late: 300, behind: 290, still: 30 }, "starting"],
        ["that has just been started and reports", { ...well, age: 5, late: 2 }, "healthy"],
        [
            "whose reports go through one that has just been started",
            { ...well, through_age: 9, late: 99, behind: 95 },
            "starting",
        ],
    ];
    const states = () => ask(cases.map(([, facts]) => ["judge", facts]));

    it("depends on its process, its reports and those of its neighbours", () => {
        assert.deepEqual(
            states().map((state, i) => `${cases[i]![0]}: ${state}`),
            cases.map(([what, , state]) => `${what}: ${state}`),
        );
    });

    it("allows three starts within a minute, and again when the minute is over", () => {
        assert.deepEqual(
            ask([
                ["may_restart", [], 100],
                ["may_restart", [60, 70], 100],
                ["may_restart", [60, 70, 80], 100],
                ["may_restart", [30, 70, 80], 100],
            ]),
            [true, true, false, true],
        );
    });

    it("reads the times of Neutron's agents and of Nova's and Cinder's services alike", () => {
        const [beats] = ask([
            [
                "beats_of",
                [
                    { binary: "a", heartbeat_timestamp: "2026-01-31 10:00:00" },
                    { binary: "b", updated_at: "2026-01-31T10:00:01.000000" },
                    { binary: "never seen", updated_at: null },
                ],
            ],
        ]);
        const first = Date.parse("2026-01-31T10:00:00Z") / 1000;
        assert.deepEqual(beats, { a: first, b: first + 1 });
    });
});

for (const [system, release] of Object.entries(releases))
    describe(`the supervisor's table with ${system}`, () => {
        it("has each service with the command it was started with", () => {
            const { services } = supervisorTable(release);
            assert.deepEqual(
                services.map(({ name, command }) => [name, command]),
                allServices(release).map(service => [service.name, commandOf(service)]),
            );
        });

        it("knows where each heartbeat is listed, and only services through which others report", () => {
            const { services, heartbeats } = supervisorTable(release);
            const reporting = services.filter(service => service.heartbeat);
            assert.equal(reporting.length, 9);
            for (const { heartbeat } of reporting) {
                assert.ok(heartbeats[heartbeat!.api]);
                assert.ok(heartbeat!.through === undefined || services.some(({ name }) => name === heartbeat!.through));
            }
        });
    });

describe("a start that fails", () => {
    it("blames the service that the last line begins with", () => {
        assert.equal(
            blamedService("warning: x\nneutron-l3-agent: no namespace of the router after 75 s"),
            "neutron-l3-agent",
        );
        assert.equal(blamedService("nova-api does not listen on port 8774"), "nova-api");
        assert.equal(blamedService("cinder-volume has ended"), "cinder-volume");
    });

    it("blames no service where no line names one", () => {
        assert.equal(blamedService(""), undefined);
        assert.equal(blamedService("Traceback (most recent call last):"), undefined);
    });
});
