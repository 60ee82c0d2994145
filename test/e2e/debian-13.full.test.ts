import { strict as assert } from "node:assert";
import { Lab } from "../../lab";
import { versions } from "../../tools/versions";
import { asStory } from "../support/story";
import { clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { footprints, nodeInfo } from "./cluster-observed";
import { type Clients, endClients, openClients } from "./upgrade-clients";
import { programsOf } from "./upgrade-fixture";
import { longestGap } from "./writer";

const workers = ["w1", "w2"];

/** Debian 13 beside Debian 12: w1 begins with the latter. */
describe("a cluster of machines with Debian 12 and Debian 13", function () {
    this.timeout("20m");
    asStory(this);
    let fixture: Fixture;
    let clients: Clients;
    let untouched: Record<string, string>;
    let bundle = "";

    const give = async (from: "distribution" | "bundle") => {
        const args = clusterArguments(fixture.lab, { masters: ["m1"], workers }) as any;
        args.kubernetes = { ...args.kubernetes, source: { bundle: { path: bundle } }, containerRuntime: { from } };
        delete args.registries;
        const secrets = { privateKey: fixture.lab.node("m1").privateKey };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
    };
    const facts = (field: string) => nodeInfo(fixture, field);
    const withDebian13 = (...nodes: string[]) =>
        Lab.up({ name: fixture.lab.name, nodes, image: "kubernetes", system: "debian-13" });
    /** What the clients met since the last call. */
    const met = (what: string) => {
        const { requests, failures } = clients.client.since();
        const gap = longestGap(clients.writer.since());
        console.log(`      ${what}: ${gap} s without the API; ${failures.length} of ${requests} requests failed`);
        return { gap, failures };
    };

    before(async function () {
        this.timeout("60m");
        fixture = await openFixture({ name: "debian13", nodes: ["w1"] });
        await withDebian13("m1", "w2");
        bundle = await programsOf(versions.kubernetes, fixture.folder, ["container-runtime"]);
        await give("distribution");
        untouched = await footprints(fixture);
    });
    after(async () => {
        endClients(clients);
        await fixture?.close();
    });

    it("is made of both, each with its distribution's containerd, without a warning of its configuration", async () => {
        const began = Date.now();
        await fixture.project.up();
        console.log(`      ${Math.round((Date.now() - began) / 1000)} s`);
        const systems = await facts("osImage");
        const runtimes = await facts("containerRuntimeVersion");
        console.log(`      ${JSON.stringify({ systems, runtimes })}`);
        for (const [name, release] of Object.entries({ m1: "13", w1: "12", w2: "13" }))
            assert.match(systems[name]!, new RegExp(`^Debian GNU/Linux ${release} `));
        assert.match(runtimes["w1"]!, /^containerd:\/\/1\.6\./);
        for (const name of ["m1", "w2"]) {
            assert.match(runtimes[name]!, /^containerd:\/\/1\.7\./);
            const log = await fixture.lab.mustSsh(name, "sudo journalctl -o cat -u containerd");
            assert.doesNotMatch(log, /level=warning.*(deprecat|migrat)/i);
        }
    });

    it("serves a network function on both, and a second run and a refresh find nothing to do", async () => {
        clients = await openClients(fixture, workers);
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
        assert.deepEqual(met("two runs").failures, []);
    });

    it("gets a machine with Debian 13 in the place of its last one with Debian 12", async () => {
        await fixture.lab.removeNode("w1");
        await withDebian13("w1");
        await give("distribution");
        await fixture.project.up();
        await fixture.project.up({ refresh: true });
        for (const system of Object.values(await facts("osImage"))) assert.match(system, /^Debian GNU\/Linux 13 /);
        assert.doesNotMatch(await fixture.kubectl("get", "nodes"), /SchedulingDisabled|NotReady/);
        await fixture.kubectl("rollout", "status", "deployment/guarded", "--timeout=120s");
        met("w1 replaced");
    });

    it("goes to the bundle's containerd 2, and no request is lost", async () => {
        await give("bundle");
        await fixture.project.up();
        const { gap, failures } = met("containerd");
        assert.deepEqual([failures, gap < 15], [[], true]);
        await eventually(90, async () => {
            const runtimes = new Set(Object.values(await facts("containerRuntimeVersion")));
            assert.deepEqual(runtimes, new Set([`containerd://${versions.containerd}`]));
        });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("leaves the machines as they were after `pulumi destroy`", async () => {
        endClients(clients);
        await fixture.project.destroy();
        await eventually(60, async () => {
            const { m1, w2 } = await footprints(fixture);
            assert.deepEqual({ m1, w2 }, { m1: untouched["m1"], w2: untouched["w2"] });
        });
    });
});
