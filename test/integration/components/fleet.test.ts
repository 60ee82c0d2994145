import { strict as assert } from "node:assert";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { names } from "../../../bench/simulation/simulated-cluster";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt } from "../../support/user-project";
import { mostAtOnce, span, stepIntervals } from "./fleet-events";
import { type Fixture, openFixture } from "./fleet-fixture";

const joined = "cluster.join";

/** Our resources that an operation changed: "delete Node w5". */
function touched(events: EngineEvent[]): string[] {
    return events
        .flatMap(event => event.resourcePreEvent?.metadata ?? [])
        .filter(({ op, type }) => op !== "same" && type.includes("dynamic"))
        .map(({ op, urn, type }) => `${op} ${type.split(":").at(-1)} ${urn.split("::").at(-1)!.replace("core-", "")}`);
}

const urnOf = (type: string, name: string) =>
    `urn:pulumi:dev::fleet::pulumi-nfv:index:KubernetesCluster$pulumi-nodejs:dynamic/nfv:${type}::core-${name}`;

/** Steps of the operation's end, which look at all nodes. */
const isOfTheEnd = (step: string) => / cluster\.(endpoint|nodes-ready|coredns|coredns-apart)$/.test(step);

/** Real engine, dynamic resources and SSH; only the steps' effects are simulated. */
describe("a cluster in the real engine", function () {
    this.timeout("10m");

    before(function () {
        skipIf(this, notBuilt());
    });

    describe("of 3 masters and 9 workers", function () {
        asStory(this);
        const masters = names("m", 3);
        const workers = names("w", 9);
        let fixture: Fixture;
        let first: string;

        before(async () => {
            fixture = await openFixture(3, 9, (_node, step) => (step === joined ? 0.5 : 0.05));
            const { pools } = fixture.args.infrastructure.hosts;
            pools.edge = { w9: pools.workers.w9 };
            delete pools.workers.w9;
            fixture.args.pools.edge = { labels: { site: "north" } };
            fixture.give();
        });
        after(() => fixture?.close());

        const fleet = () => fixture.cluster.fleet;
        const up = (...args: string[]) => fixture.project.pulumi.start(["up", "--yes", "--skip-preview", ...args]).done;
        /** Runs `up` and returns the steps that ran, as "w5 cluster.join". */
        const stepsOfUp = async (...args: string[]) => {
            const before = fleet().begun().length;
            const { code, output } = await up("--non-interactive", ...args);
            assert.equal(code, 0, output);
            return fleet().begun().slice(before);
        };
        const eventsOf = async (...args: string[]) => {
            fixture.give();
            return fixture.project.pulumi.events(args);
        };

        it("a failed step names node, step, code and what to do; all others finish", async () => {
            fleet().node("w7").agent.failStep(joined);
            const { code, output } = await up("--non-interactive", "--continue-on-error");
            assert.notEqual(code, 0);
            first = output;
            const text = output.replace(/\s+/g, " ");
            assert.match(text, /step "initialise or join the cluster" failed: w7: .*STEP_FAILED/);
            assert.match(text, /fake failure of cluster\.join/);
            assert.match(text, /run pulumi up again: it goes on from this step/);
            for (const name of [...masters, ...workers]) {
                const { journal } = fleet().node(name).agent;
                assert.equal(joined in journal, name !== "w7", name);
                assert.equal("node.labels" in journal, name !== "w7", name);
            }
        });

        it("all hosts are prepared at the same time, as many as the engine runs at once", () => {
            const begins = stepIntervals(fleet().events);
            const hosts = [...span(begins.filter(({ step }) => step.startsWith("host."))).values()];
            assert.equal(hosts.length, 12);
            assert.ok(mostAtOnce(hosts) >= 6, `${mostAtOnce(hosts)} at once`);
        });

        it("control-plane nodes join one after another in their order, then the workers together", () => {
            const joins = stepIntervals(fleet().events).filter(({ step }) => step === joined);
            const order = joins.filter(({ node }) => masters.includes(node));
            assert.deepEqual(
                order.map(({ node }) => node),
                masters,
            );
            assert.equal(mostAtOnce(order), 1);
            const ofWorkers = joins.filter(({ node }) => workers.includes(node));
            assert.equal(ofWorkers.length, 9);
            assert.ok(ofWorkers.every(({ begin }) => begin >= order[2].end));
            assert.ok(mostAtOnce(ofWorkers) >= 4, `${mostAtOnce(ofWorkers)} at once`);
        });

        it("the next `up` runs what is missing, and nothing else", async () => {
            const ran = await stepsOfUp();
            assert.equal(ran[0], `w7 ${joined}`, first);
            assert.deepEqual(
                ran.filter(step => !step.startsWith("w7 ") && !isOfTheEnd(step)),
                [],
            );
            assert.equal(new Set(ran).size, ran.length);
        });

        it("a further `up` changes nothing", async () => {
            assert.deepEqual(await stepsOfUp("--expect-no-changes"), []);
        });

        it("preview shows a changed label as one step of one node", async () => {
            fixture.args.pools.edge.labels.site = "south";
            assert.deepEqual(touched(await eventsOf("preview")), [
                "update ClusterRecord core",
                "update OperationStart core",
                "update Node w9",
            ]);
            const diff = await fixture.project.pulumi.preview("--diff");
            const [inputs, steps] = [true, false].map(ofInputs =>
                diff
                    .match(/~ [^~\n]*"[0-9a-f]{12}" => "[0-9a-f]{12}"/g)
                    ?.map(line => line.replace(/ *:.*/, ""))
                    .filter(line => !/^~ (host|node) /.test(line)) // what OperationStart keeps of each machine's steps
                    .filter(line => line.includes("pools.") === ofInputs),
            );
            assert.deepEqual(steps, ["~ set labels and taints"]);
            assert.equal(inputs?.length, 1, "the input that changed");
            assert.match(diff, /operation: modify information: pools\.edge\.labels/);
            fixture.args.pools.edge.labels.site = "north";
            fixture.give();
        });

        it("a worker that goes leaves first, then its machine is reset; no other is touched", async () => {
            delete fixture.args.infrastructure.hosts.pools.workers.w5;
            const before = fleet().begun().length;
            const operations = touched(await eventsOf("up", "--yes", "--skip-preview"));
            assert.deepEqual(
                operations.filter(operation => operation.startsWith("delete")),
                ["delete Node w5", "delete Host w5"],
            );
            // On other machines only the lists of machines may change (hosts file, wait at the end).
            const ran = fleet().begun().slice(before);
            assert.deepEqual(
                ran.filter(step => !isOfTheEnd(step)),
                [],
                operations.join("\n"),
            );
            assert.deepEqual(fleet().node("w5").agent.journal, {});
        });

        it("a master whose host is replaced leaves before and joins again; all others stay as they are", async () => {
            const replace = ["--replace", urnOf("Host", "m1")];
            const before = fleet().begun().length;
            const operations = touched(await eventsOf("up", "--yes", "--skip-preview", ...replace));
            assert.deepEqual(
                // The steps at the end that wait for all nodes wait for the new one, too.
                operations.filter(operation => !operation.endsWith(" m1") && !operation.endsWith(" OperationEnd core")),
                [],
            );
            const order = (type: string) =>
                operations.filter(each => each.includes(` ${type} `)).map(each => each.split(" ")[0]);
            const leavesFirst = ["delete-replaced", "replace", "create-replacement"];
            assert.deepEqual([order("Host"), order("Node")], [leavesFirst, leavesFirst]);
            const at = (operation: string) => operations.indexOf(`${operation} m1`);
            assert.ok(at("delete-replaced Node") < at("delete-replaced Host"), operations.join("\n"));
            const ran = fleet().begun().slice(before);
            assert.ok(ran.includes(`m1 ${joined}`));
            assert.deepEqual(
                ran.filter(step => !step.startsWith("m1 ") && !isOfTheEnd(step)),
                [],
            );
        });

        it("destroy leaves nothing on any machine", async () => {
            const said = await fixture.project.pulumi.destroy();
            assert.match(said, /operation: terminate \(m1, .*w1/);
            for (const [name, node] of fleet().nodes) assert.deepEqual(node.agent.journal, {}, name);
        });
    });

    describe("of 3 masters and 3 workers", function () {
        asStory(this);
        const proxy = "host.proxy";
        let fixture: Fixture;

        before(async () => {
            fixture = await openFixture(3, 3, (_node, step) => (step === proxy ? 0.3 : 0));
        });
        after(() => fixture?.close());

        /** Gives another proxy, which restarts containerd and kubelet, and returns where and when that was done. */
        const interrupt = async (address: string, maxUnavailable: unknown, ...args: string[]) => {
            fixture.args.proxy = { httpProxy: address };
            Object.assign(fixture.args.pools.workers, { maxUnavailable });
            fixture.give();
            const before = fixture.cluster.fleet.events.length;
            const run = ["up", "--yes", "--skip-preview", "--non-interactive", ...args];
            const { code, output } = await fixture.project.pulumi.start(run).done;
            const intervals = stepIntervals(fixture.cluster.fleet.events.slice(before)).filter(
                ({ step }) => step === proxy,
            );
            const of = (letter: string) => intervals.filter(({ node }) => node.startsWith(letter));
            return { code, output, masters: of("m"), workers: of("w") };
        };

        it("finishes one by one: nothing waits inside for another resource", async () => {
            await fixture.project.pulumi.up({ parallel: 1 });
            for (const [name, node] of fixture.cluster.fleet.nodes) assert.ok(joined in node.agent.journal, name);
            assert.equal(mostAtOnce(stepIntervals(fixture.cluster.fleet.events)), 1);
        });

        it("interrupts as many existing workers at once as maxUnavailable says, and one master after another", async () => {
            const { code, output, masters, workers } = await interrupt("http://proxy:1", "67%");
            assert.equal(code, 0, output);
            assert.deepEqual([masters.length, workers.length], [3, 3]);
            assert.deepEqual([mostAtOnce(masters), mostAtOnce(workers)], [1, 2]);
        });

        it("does nothing on a node for another maxUnavailable alone", async () => {
            fixture.args.pools.workers.maxUnavailable = 3;
            fixture.give();
            const before = fixture.cluster.fleet.begun().length;
            for (const args of [["preview"], ["up", "--yes", "--skip-preview"]]) {
                assert.deepEqual(touched(await fixture.project.pulumi.events(args)), ["update OperationStart core"]);
            }
            assert.deepEqual(fixture.cluster.fleet.begun().slice(before), []);
        });

        it("interrupts no further worker after one failed, also if each resource waits for the one before", async () => {
            for (const name of names("w", 3)) fixture.cluster.fleet.node(name).agent.failStep(proxy);
            const oneByOne = ["--parallel", "1", "--continue-on-error"];
            const { code, output, masters, workers } = await interrupt("http://proxy:2", 1, ...oneByOne);
            assert.notEqual(code, 0);
            assert.equal(masters.length, 3);
            assert.equal(workers.length, 1, output);
            const first = workers[0]!.node;
            const said = output.replace(/\s+/g, " ");
            assert.match(said, new RegExp(`ROLLING_STOPPED nothing was changed here, .* failed before: ${first}: `));
            assert.match(said, new RegExp(`Correct the cause on ${first}, then run pulumi up again`));
        });

        it("goes on with the next run", async () => {
            for (const name of names("w", 3)) fixture.cluster.fleet.node(name).agent.failStep(proxy, 0);
            const { code, output, workers } = await interrupt("http://proxy:2", 1);
            assert.equal(code, 0, output);
            assert.equal(mostAtOnce(workers), 1);
            assert.equal(workers.length, 3);
        });
    });
});
