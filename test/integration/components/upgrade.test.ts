import { strict as assert } from "node:assert";
import { killAtEachMoment } from "../../support/kill-at-each-moment";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt } from "../../support/user-project";
import { type Fixture, openFixture } from "./fleet-fixture";

const masters = ["m1", "m2", "m3"];
const workers = ["w1", "w2"];

/** "drain (m2)" begins: an act of the second control-plane node or of the first worker. */
function actIn(line: string): string | undefined {
    if (!line.startsWith("{")) return undefined;
    const message: string | undefined = JSON.parse(line).diagnosticEvent?.message;
    const acts =
        /^((?:note which|save etcd|move the|drain|switch kubelet|wait for the node,|forget the).* \((?:m2|w1)\))/;
    const [, title] = acts.exec(message?.trim() ?? "") ?? [];
    return title;
}

/** Real engine, dynamic resources and SSH; only the acts' effects are simulated. */
describe("a cluster that moves to another Kubernetes version", function () {
    this.timeout("10m");
    asStory(this);
    let fixture: Fixture;

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await openFixture(3, 2, (_node, step) => (/^(upgrade\.|node\.drain)/.test(step) ? 0.4 : 0));
        await pulumi("up", "--yes", "--skip-preview");
        fixture.args.kubernetes = { ...fixture.args.kubernetes, version: "1.36.4" };
        fixture.give();
    });
    after(() => fixture?.close());

    const pulumi = (...args: string[]) => fixture.project.pulumi.run([...args, "--non-interactive"]);
    const fleet = () => fixture.cluster.fleet;

    it("says of each node what happens, and that the API stays", async () => {
        const preview = await pulumi("preview");
        assert.match(preview, /operation: change current package: Kubernetes 1\.36\.3 to 1\.36\.4/);
        const [, said = ""] = preview.split(/^Diagnostics:$/m);
        assert.equal(said.match(/upgrade in place: Kubernetes 1\.36\.3 to 1\.36\.4/g)?.length, 5, preview);
        assert.match(preview, /control-plane node 2 of 3, after m1; drained/);
        assert.match(preview, /after the control plane, workers of pool workers one after another/);
    });

    it("goes on after a kill in each act of a master and of a worker, master after master, then the workers", async () => {
        fleet().events.length = 0;
        const { kills, outcome } = await killAtEachMoment(fixture.project.pulumi, ["up"], { momentIn: actIn });
        assert.equal(outcome.code, 0, outcome.output);
        console.log(`      killed ${kills.length} times: ${kills.join("; ")}`);
        assert.ok(kills.length >= 8, `only ${kills.length} acts were killed`);
        for (const name of [...masters, ...workers]) {
            const { versions } = fleet().node(name).agent;
            assert.deepEqual([versions.kubelet, versions.unfinished], ["1.36.4", undefined], name);
        }
        const acts = fleet().events.map(({ node, step }) => `${node} ${step}`);
        const first = (name: string) => acts.indexOf(`${name} upgrade.note`);
        const last = (name: string) => acts.lastIndexOf(`${name} upgrade.end`);
        for (const [i, name] of masters.entries()) {
            const behind = i < 2 ? [masters[i + 1]!] : workers;
            for (const next of behind) assert.ok(last(name) < first(next), `${next} begins when ${name} has ended`);
        }
        await pulumi("preview", "--expect-no-changes");
    });

    it("moves no further node behind one that fails, says which has which version, and goes back", async () => {
        fixture.args.kubernetes = { ...fixture.args.kubernetes, version: "1.36.5" };
        fixture.give();
        fleet().node("m2").agent.failStep("upgrade.control-plane");
        const failed = await fixture.project.pulumi.start(["up", "--yes", "--skip-preview", "--non-interactive"]).done;
        assert.notEqual(failed.code, 0);
        assert.match(failed.output, /m2: .*UPGRADE_FAILED[\s\S]*versions now: m1 1\.36\.5, m2 1\.36\.4, m3 1\.36\.4/);
        assert.match(failed.output, /Back: set kubernetes\.version to 1\.36\.4/);
        for (const name of ["m3", ...workers]) assert.equal(fleet().node(name).agent.versions.kubelet, "1.36.4");
        fixture.args.kubernetes = { ...fixture.args.kubernetes, version: "1.36.4" };
        fixture.give();
        await pulumi("up", "--yes", "--skip-preview");
        for (const name of [...masters, ...workers]) {
            const { versions } = fleet().node(name).agent;
            assert.deepEqual([versions.kubelet, versions.unfinished], ["1.36.4", undefined], name);
        }
        for (const name of masters) assert.equal(fleet().node(name).agent.versions.servers, "1.36.4");
        await pulumi("preview", "--expect-no-changes");
    });

    it("heals a control-plane node that is lost in the middle, with the new version left in the program, and goes on", async () => {
        fixture.args.kubernetes = { ...fixture.args.kubernetes, version: "1.36.5" };
        fixture.give();
        fleet().node("m2").agent.failStep("upgrade.control-plane");
        await fixture.project.pulumi.start(["up", "--yes", "--skip-preview", "--non-interactive"]).done;
        fleet().node("m3").agent.etcdWorks = false;
        const refused = await fixture.project.pulumi.start(["preview", "--non-interactive"]).done;
        assert.match(refused.output, /UPGRADE_REFUSED[\s\S]*members of etcd that are not healthy: m3/);
        fixture.args.heal = { run: "lost", nodes: ["m3"] };
        fixture.give();
        fleet().events.length = 0;
        const healed = await pulumi("up", "--yes");
        assert.match(healed, /operation: heal m3 \(asked for: lost\)/);
        assert.match(healed, /m2 does not move to Kubernetes 1\.36\.5 yet: this run heals m3 first/);
        const versions = () => [...masters, ...workers].map(name => fleet().node(name).agent.versions.kubelet);
        assert.deepEqual(versions(), ["1.36.5", "1.36.4", "1.36.5", "1.36.4", "1.36.4"]);
        const begun = fleet().events.flatMap(({ event, node, step }) => (event === "begin" ? [`${node} ${step}`] : []));
        assert.ok(begun.includes("m3 cluster.join") && !begun.some(each => each.startsWith("m2 upgrade.")));
        await pulumi("up", "--yes", "--skip-preview");
        assert.deepEqual(versions(), Array(5).fill("1.36.5"));
        await pulumi("preview", "--expect-no-changes");
    });
});
