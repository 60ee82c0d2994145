import { Cloud } from "../../lab/openstack";
import type { BackEnd } from "../../provider/openstack/requirements";
import { versions } from "../../tools/versions";
import { compare, interleave, machine, type Question, type Samples } from "../harness";
import { type Bench, wholeNumber } from "../types";
import { runOnCloud } from "./cloud-run";
import { type CloudRun, timeline, unavoidable } from "./moments";

const backEnds: readonly BackEnd[] = ["heat", "nova"];

const leastOf = (backEnd: BackEnd) => `${backEnd}, unavoidable`;

export const openstackBench: Bench = {
    about: "pulumi up until all nodes are Ready on the lab's cloud: against what cannot be avoided, Heat and Nova",
    rounds: 1,
    options: {
        masters: { about: "masters", default: "3" },
        workers: { about: "workers", default: "2" },
        parallel: {
            about: "operations at the same time, as for pulumi up; without it as many as that chooses",
            default: "",
        },
        "back-ends": { about: "which examples run, with a comma between them", default: backEnds.join(",") },
    },
    async run({ rounds, options, say }) {
        const masters = wholeNumber(options, "masters");
        const workers = wholeNumber(options, "workers");
        const parallel = options["parallel"] === "" ? undefined : wholeNumber(options, "parallel");
        const chosen = backEndsOf(options["back-ends"]);
        const ours = Cloud.find() === undefined;
        const cloud = await Cloud.up({ onProgress: say });
        const load = machine();
        const runs: Partial<Record<BackEnd, CloudRun>> = {};
        const least: Samples = Object.fromEntries(chosen.map(backEnd => [leastOf(backEnd), []]));
        try {
            const subjects = chosen.map(backEnd => ({
                name: backEnd,
                run: async () => {
                    const run = await runOnCloud({ cloud, backEnd, masters, workers, parallel, say });
                    runs[backEnd] = run;
                    least[leastOf(backEnd)].push(unavoidable(run).end);
                    return run.ready - run.began;
                },
            }));
            const samples = { ...(await interleave(subjects, rounds, say)), ...least };
            return {
                bench: "openstack",
                how: [
                    `${masters} masters + ${workers} workers, Kubernetes ${versions.kubernetes}, n = ${rounds}; ${load}`,
                    `Operations of pulumi up at the same time: ${parallel ?? "its own choice, 4 for each CPU"}.`,
                    "examples/openstack-heat and -nova on the lab's cloud, whose image has Kubernetes; every run on new servers.",
                    "From `pulumi up` until all nodes are Ready and CoreDNS is spread over them.",
                    "Unavoidable: what the cloud needs for the stack or for each server, boot until SSH lets in and cloud-init has ended,",
                    "then the durations of the steps in the nodes' journals, along the edges of the design.",
                ],
                comparisons: questions(chosen).map(question => compare(samples, question)),
                facts: Object.assign({}, ...chosen.map(backEnd => factsOf(backEnd, runs[backEnd]!))),
                samples,
            };
        } finally {
            if (ours && !process.env["PULUMI_NFV_KEEP_CLOUD"]) await cloud.down();
        }
    },
};

/** "heat,nova" → both, in this order. */
export function backEndsOf(text: string): BackEnd[] {
    const words = text.split(",").map(word => word.trim());
    const unknown = words.find(word => !backEnds.includes(word as BackEnd));
    if (unknown !== undefined) {
        throw new Error(`--back-ends takes ${backEnds.join(" and ")}, not "${unknown}"`);
    }
    return backEnds.filter(backEnd => words.includes(backEnd));
}

/** Each back end against its own best; Heat against Nova if both ran. */
export function questions(chosen: readonly BackEnd[]): Question[] {
    const own = chosen.map(backEnd => ({ ours: backEnd, rival: leastOf(backEnd) }));
    return chosen.length > 1 ? [...own, { ours: "heat", rival: "nova" }] : own;
}

/** The facts of the last run. */
export function factsOf(backEnd: BackEnd, run: CloudRun): Record<string, string> {
    const rows = timeline(run).map(({ what, at, least }) => [
        `${backEnd}: ${what}`,
        `${at.toFixed(1)} s after the start, ${least.toFixed(1)} s at the least`,
    ]);
    const whole = `${(run.ended - run.began).toFixed(1)} s, with the network function of the example`;
    return Object.fromEntries([...rows, [`${backEnd}: all of pulumi up`, whole]]);
}
