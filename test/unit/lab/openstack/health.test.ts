import assert from "node:assert/strict";
import { type HealthReport, type HealthState, healthOf, statusLines } from "../../../../lab/openstack/health";
import { releases } from "../../../../lab/openstack/releases";
import { allServices } from "../../../../lab/openstack/services";
import { supervisor } from "../../../../lab/openstack/supervisor";

const release = releases["debian-13"];
const all = [...allServices(release).map(({ name }) => name), supervisor.name];
const now = 1_000_000;

function report(states: Record<string, HealthState>, age = 2): HealthReport {
    const services = allServices(release).map(({ name }) => [
        name,
        { state: states[name] ?? "healthy", restarts: name in states ? 1 : 0, heartbeat: now - 7 },
    ]);
    return { time: now - age, services: Object.fromEntries(services) };
}

describe("health of the cloud's services", () => {
    it("is healthy where all run and the supervisor has seen nothing else", () => {
        const health = healthOf(release, all, report({}), now);
        assert.deepEqual(Object.keys(health), all);
        assert.deepEqual(new Set(Object.values(health).map(({ state }) => state)), new Set(["healthy"]));
        assert.equal(health["nova-compute"]!.heartbeatSeconds, 7);
    });

    it("knows at once what has ended, whatever the supervisor saw last", () => {
        const alive = all.filter(name => name !== "glance-api");
        assert.equal(healthOf(release, alive, report({}), now)["glance-api"]!.state, "dead");
    });

    it("shows what the supervisor has seen: hung, started again, how often", () => {
        const health = healthOf(release, all, report({ "neutron-l3-agent": "hung", "nova-compute": "dead" }), now);
        assert.deepEqual(health["neutron-l3-agent"], { state: "hung", restarts: 1, heartbeatSeconds: 7 });
        assert.equal(health["nova-compute"]!.state, "starting");
    });

    it("believes no old report, and says so of the supervisor", () => {
        const health = healthOf(release, all, report({ "neutron-l3-agent": "hung" }, 120), now);
        assert.equal(health["neutron-l3-agent"]!.state, "healthy");
        assert.equal(health["neutron-l3-agent"]!.heartbeatSeconds, undefined);
        assert.equal(health[supervisor.name]!.state, "hung");
    });

    it("shows a supervisor that has ended", () => {
        const alive = all.filter(name => name !== supervisor.name);
        assert.equal(healthOf(release, alive, report({}), now)[supervisor.name]!.state, "dead");
    });
});

describe("lines of `cloud status`", () => {
    it("name state, restarts, last report and log", () => {
        const [one, two] = statusLines([
            { name: "a", state: "hung", restarts: 2, heartbeatSeconds: 40, log: "/a.log" },
            { name: "b", state: "healthy", restarts: 0, log: "/b.log" },
        ]);
        assert.match(one!, /^a +hung +2 restarts +report 40 s ago +\/a\.log$/);
        assert.match(two!, /^b +healthy +\/b\.log$/);
    });
});
