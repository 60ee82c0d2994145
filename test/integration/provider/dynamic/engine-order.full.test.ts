import assert from "node:assert/strict";
import { skipIf } from "../../../support/skip";
import { notBuilt } from "../../../support/user-project";
import { all, change, cluster, plain, type Row, urn } from "./engine-order/graph";
import { ProbeProject, type Run } from "./engine-order/probe-project";
import { destroyRows } from "./engine-order/rows-destroy";
import { failureRows } from "./engine-order/rows-failure";
import { refreshRows } from "./engine-order/rows-refresh";
import { replaceRows } from "./engine-order/rows-replace";
import { targetRows } from "./engine-order/rows-target";
import { upRows } from "./engine-order/rows-up";

/**
 * What this package relies on in Pulumi's engine: provider/adapters/ENGINE.md. The resources are probes that only note how they are
 * called. Orders are partial: what Pulumi may do at the same time is not compared.
 */
describe("the order in which Pulumi's engine calls resources", () => {
    let project: ProbeProject;

    before(async function () {
        skipIf(this, notBuilt());
        project = await ProbeProject.make();
        const { code, output } = await project.run(cluster(), ["up", ...plain]);
        assert.equal(code, 0, output);
        project.save();
    });
    afterEach(() => project.restore());
    after(() => project?.remove());

    /** Fails with all sentences that are no longer true. */
    function confirm(title: string, run: Run, relies: Row["relies"]): void {
        const wrong = Object.entries(relies).flatMap(([sentence, isTrue]) => {
            try {
                return isTrue(run) ? [] : [sentence];
            } catch {
                // A call that the sentence is about is missing.
                return [sentence];
            }
        });
        if (wrong.length === 0) return;
        const sentences = wrong.map(sentence => `\n  - ${sentence}`).join("");
        const { stored, pending, code, output } = run;
        const state = JSON.stringify({ stored, pending });
        assert.fail(
            `${title}: no longer true:${sentences}\nCalls: ${run.log.text}\nState: ${state}\nExit ${code}: ${output}`,
        );
    }

    for (const row of [...upRows, ...refreshRows, ...targetRows, ...destroyRows, ...replaceRows, ...failureRows]) {
        it(row.title, async () => {
            project.configure(row.config ?? {});
            Object.assign(project.env, row.env);
            const run = await project.run(row.probes, row.args);
            for (const name of Object.keys(row.env ?? {})) delete project.env[name];
            confirm(row.title, run, row.relies);
        });
    }

    it("a kill during Start's update, and the runs after it", async () => {
        const probes = change(cluster("b"), { Record: { saysNoChange: true }, Start: { seconds: 300 } });
        confirm("up, killed", await project.stopDuring("update Start", "kill", probes), {
            "inputs of a resource before it are stored, although that said that nothing changes": ({ stored }) =>
                stored["Record"] === "b a",
            "Start has its old inputs and outputs": ({ stored }) => stored["Start"] === "a a",
            "the state calls its update unfinished": ({ pending }) => pending.join() === "updating Start",
        });
        confirm("up after a kill", await project.run(probes, ["up", ...plain]), {
            "it is refused until pulumi cancel": ({ code, log, output }) =>
                code !== 0 && log.calls.length === 0 && /pulumi cancel/.test(output),
        });
        await project.run(probes, ["cancel", "--yes"]);
        const takenBack = await project.run(cluster(), ["up", "--expect-no-changes", ...plain]);
        confirm("up of the program that was there before", takenBack, {
            "each is compared with the state from before the kill, and nothing is updated": ({ code, log }) =>
                code === 0 && log.names("diff") === all && log.of("update").length === 0,
            "Pulumi says which operation was interrupted": ({ output }) =>
                /Start, interrupted while updating/.test(output),
            "nothing is unfinished any more": ({ pending }) => pending.length === 0,
        });
    });

    it("a kill during n1's update", async () => {
        const probes = change(cluster("b"), { n1: { seconds: 300 } });
        confirm("up, killed", await project.stopDuring("update n1", "kill", probes), {
            "what acted before n1 is stored": ({ stored }) =>
                ["Record", "Start", "h1"].every(name => stored[name] === "b b"),
            "n1 and what comes after it have old inputs and outputs": ({ stored }) =>
                ["n1", "n2", "End"].every(name => stored[name] === "a a"),
        });
    });

    it("a kill while n3 is made, and the runs after it", async () => {
        const probes = [...cluster(), { name: "n3", after: ["n2"], value: "a", seconds: 300 }];
        confirm("up, killed", await project.stopDuring("create n3", "kill", probes), {
            "the state has no n3, and calls its creation unfinished": ({ stored, pending }) =>
                stored["n3"] === undefined && pending.join() === "creating n3",
        });
        await project.run(probes, ["cancel", "--yes"]);
        confirm("refresh", await project.run(probes, ["refresh", ...plain]), {
            "n3 is not read, and stays unfinished": ({ log, pending }) =>
                log.of("read n3").length === 0 && pending.join() === "creating n3",
        });
        confirm("up of a program without n3", await project.run(cluster(), ["up", ...plain]), {
            "n3 is not deleted, and stays unfinished": ({ code, log, pending }) =>
                code === 0 && log.of("delete").length === 0 && pending.join() === "creating n3",
            "the state that the program reads has no n3": ({ log }) => !("n3" in log.programs[0]!.state),
        });
    });

    it("a kill while n2 is destroyed, and an up after it", async () => {
        await project.run(change(cluster(), { n2: { value: "b", seconds: 3 } }), ["up", ...plain]);
        confirm("destroy, killed", await project.stopDuring("delete n2", "kill", cluster(), "destroy"), {
            "End is gone, n2 and all that it depends on are stored": ({ stored }) =>
                Object.keys(stored).sort().join(" ") === "Record Start h1 h2 n1 n2",
            "the state calls the deletion unfinished": ({ pending }) => pending.join() === "deleting n2",
        });
        await project.run(cluster(), ["cancel", "--yes"]);
        const probes = change(cluster(), { n2: { value: "b" } });
        confirm("up", await project.run(probes, ["up", ...plain]), {
            "n2 is compared with its old state as if nothing had happened": ({ log }) =>
                log.of("diff n2").length === 1 && log.of("update").length === 0,
            "only End is made again": ({ log }) => log.names("create") === "End",
        });
    });

    it("a kill while the old n1 is deleted after its replacement, and the run after it", async () => {
        await project.run(change(cluster(), { n1: { machine: "old", seconds: 3 } }), ["up", ...plain]);
        const probes = change(cluster(), { n1: { machine: "new" } });
        confirm("up, killed", await project.stopDuring("delete n1", "kill", probes), {
            "End had its turn before": ({ log }) => log.inOrder("check End", "delete n1"),
        });
        await project.run(probes, ["cancel", "--yes"]);
        confirm("up", await project.run(probes, ["up", ...plain]), {
            "the old n1 is deleted again, after everything else": ({ log }) => log.inOrder("check End", "delete n1"),
        });
    });

    it("Ctrl-C during h1's update", async () => {
        const run = await project.stopDuring("update h1", "interrupt", change(cluster("b"), { h1: { seconds: 3 } }));
        confirm("up, interrupted", run, {
            "the update goes on to its end and is stored": ({ stored, pending }) =>
                stored["h1"] === "b b" && pending.length === 0,
            "nothing that depends on it begins": ({ log, code }) => code !== 0 && log.of("check n1").length === 0,
        });
    });

    it("state delete Record", async () => {
        confirm("state delete", await project.run(cluster(), ["state", "delete", urn("Record"), "--yes"]), {
            "it is refused while others depend on it": ({ code, stored }) => code !== 0 && "Record" in stored,
        });
        const args = ["state", "delete", urn("Record"), "--target-dependents", "--yes"];
        confirm("state delete --target-dependents", await project.run(cluster(), args), {
            "the state then has nothing of the cluster": ({ code, stored }) =>
                code === 0 && Object.keys(stored).length === 0,
        });
    });
});
