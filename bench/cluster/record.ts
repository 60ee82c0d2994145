import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureBundle } from "../../tools/bundle";
import { machine } from "../harness";
import { readRecordedSteps, recordedStepsFile, recordingOf } from "../recorded-steps";
import type { Bench } from "../types";
import { onNewNodes, pulumiUp } from "./bench";

/**
 * How long steps take on empty machines without other load: one control-plane node, one worker, one operation at a time.
 * Control-plane nodes that join prepare like the first one; their join comes from the recording with ready images.
 */
export const recordBench: Bench = {
    about: "records the steps of a master and a worker that install everything, each alone (no comparison)",
    rounds: 1,
    options: { to: { about: "file for the durations", default: recordedStepsFile("bundle") } },
    async run({ options, say }) {
        const bundle = await ensureBundle({ onProgress: say });
        const load = machine();
        const fixture = { masters: ["m1"], workers: ["w1"], kubectl: join(bundle, "bin/kubectl"), say };
        const kubernetes = { source: { bundle: { path: bundle } } };
        const { journals, taken } = await onNewNodes(
            fixture,
            on => pulumiUp(on, kubernetes, ["--parallel", "1"]),
            "plain",
        );
        const source =
            `journals of bench/record: 1 master + 1 worker on plain lab nodes, from a bundle, one operation at a time ` +
            `(joins of further masters: recorded-steps.json); time on the node only, without uploads; ${load}`;
        const recorded = recordingOf(journals, source);
        const { first } = recorded.seconds;
        const ready = readRecordedSteps("image").seconds.master;
        const prepared = Object.entries(first).filter(([step]) => step.startsWith("host."));
        recorded.seconds.master = { ...first, ...ready, ...Object.fromEntries(prepared) };
        for (const wide of ["network", "endpoint", "nodes-ready", "coredns", "coredns-apart"]) {
            delete recorded.seconds.master[`cluster.${wide}`];
        }
        writeFileSync(options["to"], `${JSON.stringify(recorded, null, 2)}\n`);
        return {
            bench: "record",
            how: [source],
            comparisons: [],
            facts: { "seconds of pulumi up": taken },
            samples: {},
        };
    },
};
