import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBundle } from "../../tools/bundle";
import { run } from "../../tools/run";
import { versions } from "../../tools/versions";
import { byHand, clusterArguments, type Fixture, onNewNodes } from "../cluster/bench";
import { compare, interleave, machine, seconds } from "../harness";
import { BenchProject } from "../project";
import { names } from "../simulation/simulated-cluster";
import { storedSteps } from "../stored-cluster";
import { type Bench, wholeNumber } from "../types";
import { type Change, changesOf, noChange, questionsOf, sideOf, urnOf } from "./changes";

/** Our cluster, with the program that has made it. */
interface Ours {
    change(change: Pick<Change, "workers" | "replace">): Promise<number>;
    exported(): Promise<string>;
    remove(): void;
}

export const scaleBench: Bench = {
    about: "changes of a living cluster on lab nodes: a worker out and in, a master healed, against the same by hand",
    rounds: 2,
    options: {
        masters: { about: "masters: 3 or 5", default: "3" },
        workers: { about: "workers", default: "2" },
    },
    async run({ rounds, options, say }) {
        const masters = names("m", wholeNumber(options, "masters"));
        const workers = names("w", wholeNumber(options, "workers"));
        const kubectl = join(await ensureBundle({ onProgress: say }), "bin/kubectl");
        const load = machine();
        const changes = changesOf(masters, workers);
        const what = { masters, workers, kubectl, say };
        const samples = await onNewNodes(
            what,
            first =>
                onNewNodes(
                    what,
                    async second => {
                        const ours = await madeByUs(first);
                        try {
                            await madeByHand(second, await ours.exported());
                            const nothing = { name: noChange, run: () => ours.change({ workers: workers.length }) };
                            const subjects = changes.flatMap(change => [
                                { name: sideOf.ours(change), run: () => ours.change(change) },
                                { name: sideOf.byHand(change), run: () => byHand(second, ...change.byHand) },
                            ]);
                            return await interleave([nothing, ...subjects], rounds, say);
                        } finally {
                            ours.remove();
                        }
                    },
                    "kubernetes",
                    "benchbyhand",
                ),
            "kubernetes",
            "benchours",
        );
        return {
            bench: "scale",
            how: [
                `Two clusters of ${masters.length} masters + ${workers.length} workers, Kubernetes ${versions.kubernetes}, n = ${rounds}; ${load}`,
                "One is made by pulumi up, the other one by by-hand.sh, on lab nodes that are alike; making them is not timed.",
                "Out: drained, reset, its node object deleted. In: joined and Ready. Healed: out of etcd, reset, joined again and Ready (pulumi up --replace of its Node).",
                "What pulumi up takes when there is nothing to do is part of each of ours; it has a row of its own.",
                "Ours also checks the whole cluster in each run, and puts the machine of a worker that leaves back to what it was.",
            ],
            comparisons: questionsOf(changes).map(question => compare(samples, question)),
            samples,
        };
    },
};

async function madeByUs(fixture: Fixture): Promise<Ours> {
    const { lab, masters, workers, kubectl, folder, say } = fixture;
    const project = await BenchProject.make({ program: "cluster", enter: argv => lab.enter(argv), say });
    const give = (count: number) => {
        const args = clusterArguments(lab, masters, workers);
        project.give({ ...args, pools: { workers: { count } } });
    };
    give(workers.length);
    await project.up();
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(kubeconfig, await project.run("stack", "output", "kubeconfig", "--show-secrets"), { mode: 0o600 });
    const ready = () =>
        run(
            lab.enter([
                ...[kubectl, "--kubeconfig", kubeconfig, "wait", "--for=condition=Ready", "node", "--all"],
                "--timeout=300s",
            ]),
        );
    await ready();
    return {
        change: async ({ workers: count, replace }) => {
            give(count);
            const options =
                replace === undefined ? [] : ["--replace", urnOf(await project.exportStack(), "Node", replace)];
            return seconds(async () => {
                await project.up(...options);
                await ready();
            });
        },
        exported: () => project.exportStack(),
        remove: () => project.remove(),
    };
}

async function madeByHand(fixture: Fixture, exported: string): Promise<void> {
    const step = storedSteps(exported).networkSteps.find(({ id }) => id === "cluster.network")!;
    writeFileSync(join(fixture.folder, "network.yaml"), step.env!["MANIFEST"]);
    await byHand(fixture);
}
