import type { PipelineEvent, Plan } from "../../pipeline";
import { readRecordedSteps } from "../recorded-steps";

/** Events of runs on many nodes, with the times that steps took on real machines (bench/recorded-bundle-steps.json). */

const start = Date.parse("2026-11-27T08:00:00.000Z");
const recorded = readRecordedSteps("bundle").seconds;
const isHostStep = (id: string) => id.startsWith("host.") || id.startsWith("system.");

type Told = PipelineEvent extends infer Event ? (Event extends { time: string } ? Omit<Event, "time"> : never) : never;

/** Events by second; the order of those of one second stays. */
class Script {
    private readonly all: { at: number; event: PipelineEvent }[] = [];

    at(seconds: number, event: Told): void {
        const time = new Date(start + Math.floor(seconds) * 1000).toISOString();
        this.all.push({ at: Math.floor(seconds), event: { ...event, time } as PipelineEvent });
    }

    events(): PipelineEvent[] {
        return this.all
            .map((each, order) => ({ ...each, order }))
            .sort((a, b) => a.at - b.at || a.order - b.order)
            .map(({ event }) => event);
    }
}

export const namesOf = (letter: string, count: number) => Array.from({ length: count }, (_, i) => `${letter}${i + 1}`);

export interface Fleet {
    masters: number;
    workers: number;
    /** This node fails in its join, with the text as the end of its output. */
    failing?: { node: string; text: string };
}

const kindOf = (node: string) => (node === "m1" ? "first" : node.startsWith("m") ? "master" : "worker");

function stepsOf(node: string, resource: "Host" | "Node"): [string, number][] {
    const all = Object.entries(recorded[kindOf(node)]).filter(([id]) => isHostStep(id) === (resource === "Host"));
    // Most steps take less than a second.
    const brief = Array.from({ length: resource === "Host" ? 12 : 5 }, (_, i): [string, number] => [
        `brief step ${i}`,
        0.02,
    ]);
    return [...brief, ...all.map(([id, seconds], i): [string, number] => [id, seconds + ((node.length * 7 + i) % 3)])];
}

export function planOfFleet({ masters, workers }: Fleet, change: "joins" | "changes" = "joins"): Plan {
    const groups = { controlPlane: namesOf("m", masters), workers: namesOf("w", workers) };
    const nodes = Object.entries(groups).flatMap(([group, names]) =>
        names.map(node => ({
            ...{ cluster: "core", node, group, change },
            steps: change === "joins" ? [] : [{ title: "apply kubelet settings", fingerprint: "a" }],
            disruptions: change === "joins" ? [] : ["kubelet restarts: pods go on"],
        })),
    );
    return {
        ...{ stack: "site-1", groups: { core: groups }, wanted: {}, resources: [], warnings: [] },
        operations: [
            change === "joins"
                ? {
                      cluster: "core",
                      names: ["instantiate"],
                      text: `instantiate control plane +${masters}, workers +${workers}`,
                  }
                : { cluster: "core", names: ["modify_information"], text: "modify information: kubelet" },
        ],
        nodes: change === "joins" ? nodes : nodes.filter(({ group }) => group === "workers"),
        hash: "0123456789abcdef01234567",
    };
}

/** A cluster is made: machines all at once, control-plane nodes one after another, workers after them. */
export function instantiated(fleet: Fleet, plan: Plan = planOfFleet(fleet)): PipelineEvent[] {
    const script = new Script();
    const [masters, workers] = [namesOf("m", fleet.masters), namesOf("w", fleet.workers)];
    script.at(0, { type: "stage", stage: "preview" });
    script.at(4, { type: "plan", plan });
    script.at(4, { type: "stage", stage: "up" });
    const run = (node: string, resource: "Host" | "Node", from: number): number => {
        const steps = stepsOf(node, resource);
        let now = from;
        const place = { node, cluster: "core", resource };
        script.at(now, { type: "node", ...place, act: "create", state: "begin" });
        for (const [i, [step, seconds]] of steps.entries()) {
            script.at(now, { type: "step", ...place, step, number: i + 1, of: steps.length });
            const { failing } = fleet;
            if (failing?.node === node && step === "cluster.join") {
                now += 3;
                const { text } = failing;
                script.at(now, { type: "node", ...place, act: "create", state: "failed", seconds: now - from });
                script.at(now, { type: "error", code: "STEP_FAILED", node, step, text, hint: "Run pulumi up again." });
                return now;
            }
            now += seconds;
        }
        script.at(now, { type: "node", ...place, act: "create", state: "end", seconds: now - from });
        return now;
    };
    script.at(9, { type: "phase", phase: "prepare the machines" });
    const prepared = new Map([...masters, ...workers].map(node => [node, run(node, "Host", 9)]));
    let now = Math.max(...masters.map(node => prepared.get(node)!));
    script.at(now, { type: "phase", phase: "control-plane nodes join" });
    for (const node of masters) now = run(node, "Node", now);
    const joined = workers.map(node => run(node, "Node", Math.max(now, prepared.get(node)!)));
    const end = Math.max(now, ...joined);
    if (fleet.failing === undefined) {
        const cnf = { name: "upf", resource: "CnfReadiness", act: "create" as const };
        script.at(end, { type: "resource", ...cnf, state: "begin" });
        script.at(end + 1, {
            type: "progress",
            node: "upf",
            resource: "CnfReadiness",
            text: "1 of 3 ready; Deployment upf/upf: 1 of 2 replicas are ready",
        });
        script.at(end + 9, {
            type: "progress",
            node: "upf",
            resource: "CnfReadiness",
            text: "2 of 3 ready; Deployment upf/upf: 1 of 2 replicas are ready",
        });
        const pods = "pods: upf-7c9d8f6b5-x2k4p on w1, upf-7c9d8f6b5-zz8qk";
        script.at(end + 12, { type: "message", severity: "info", node: "upf", text: pods });
        script.at(end + 12, { type: "resource", ...cnf, state: "end", seconds: 12 });
    }
    const result = fleet.failing === undefined ? "succeeded" : "failed";
    script.at(end + 13, { type: "summary", preview: false, result, seconds: end + 13 - 4, changes: { create: 22 } });
    return script.events();
}

/** A refresh has looked at all nodes and found the kubelet of `node` stopped: the run starts it again. Its hook has ended well. */
export function repaired(fleet: Fleet, node: string): PipelineEvent[] {
    const script = new Script();
    const all = [...namesOf("m", fleet.masters), ...namesOf("w", fleet.workers)];
    const { nodes, ...rest } = planOfFleet(fleet, "changes");
    const steps = [{ title: "start kubelet again: it does not run", fingerprint: "to do" }];
    const plan: Plan = {
        ...rest,
        nodes: nodes.filter(each => each.node === node).map(each => ({ ...each, steps })),
        operations: [{ cluster: "core", names: ["modify_information"], text: "steps of nodes are done again" }],
        endpoints: { core: "https://10.0.0.100:16443" },
    };
    script.at(0, { type: "about", command: "repair", package: "0.1.0", commit: "3f9c2ab41d77", by: "ops@deploy-1" });
    script.at(0, { type: "stage", stage: "preview" });
    script.at(5, { type: "plan", plan });
    script.at(6, { type: "stage", stage: "up" });
    const resource = (name: string, type: string, act: "read" | "update", from: number, until: number) => {
        const its = { type: "resource", name, resource: type, act } as const;
        script.at(from, { ...its, state: "begin" });
        script.at(until, { ...its, state: "end", seconds: until - from });
    };
    const looked = (name: string, type: "Host" | "Node") => {
        const its = { type: "node", node: name, cluster: "core", resource: type, act: "read" } as const;
        script.at(11, { ...its, state: "begin" });
        script.at(14, { ...its, state: "end", seconds: 3 });
    };
    for (const name of all) for (const type of ["Host", "Node"] as const) looked(name, type);
    resource("core", "Masters", "update", 15, 17);
    for (const name of all) resource(`core-${name}`, "NodeEnd", "update", 15, 16);
    resource("core-vim", "OwnerMark", "update", 17, 18);
    const place = { node, cluster: "core", resource: "Node" as const };
    script.at(18, { type: "node", ...place, act: "update", state: "begin" });
    script.at(18, { type: "step", ...place, step: "apply kubelet settings", number: 9, of: 10 });
    script.at(27, { type: "node", ...place, act: "update", state: "end", seconds: 9 });
    resource("core", "OperationEnd", "update", 27, 31);
    const hook = { hook: "audit", event: "modify_information_end", state: "done", seconds: 3 } as const;
    script.at(31, { type: "hook", cluster: "core", ...hook, output: "m1: 128 rules, none violated" });
    script.at(32, {
        type: "summary",
        preview: false,
        result: "succeeded",
        seconds: 25,
        changes: { same: 52, update: 11 },
    });
    return script.events();
}

/** All workers get a setting, `atOnce` at once: each takes `seconds`, and says "waits:" before its turn. */
export function changedInTurn(
    fleet: Fleet,
    atOnce: number,
    seconds = 10,
    plan = planOfFleet(fleet, "changes"),
): PipelineEvent[] {
    const script = new Script();
    script.at(0, { type: "plan", plan });
    script.at(0, { type: "stage", stage: "up" });
    for (const [i, node] of namesOf("w", fleet.workers).entries()) {
        const place = { node, cluster: "core", resource: "Node" as const };
        const begin = 5 + Math.floor(i / atOnce) * seconds;
        const rule = "waits: workers of a pool are interrupted one after another (maxUnavailable)";
        script.at(5, { type: "node", ...place, act: "update", state: "begin" });
        if (begin > 5) script.at(5, { type: "progress", ...place, text: rule });
        script.at(begin, { type: "step", ...place, step: "apply kubelet settings", number: 1, of: 1 });
        script.at(begin + seconds, {
            type: "node",
            ...place,
            act: "update",
            state: "end",
            seconds: begin + seconds - 5,
        });
    }
    const end = 5 + Math.ceil(fleet.workers / atOnce) * seconds;
    script.at(end + 2, {
        type: "summary",
        preview: false,
        result: "succeeded",
        seconds: end + 2,
        changes: { update: fleet.workers },
    });
    return script.events();
}
