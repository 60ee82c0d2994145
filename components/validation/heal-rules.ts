import type { PlainArgs } from "../common/plain-args";
import { cloudOf } from "../infrastructure/openstack/plan/cloud-args";
import type { Problem, Rule } from "./rule";
import { runProblem } from "./storage/snapshot-rules";

const cures = ["rejoin", "server"];

/** `heal`. Whether the nodes exist and can be healed is checked only when a heal is due: see provider/operation/heals.ts. */
export const healRules: Rule<PlainArgs> = args => {
    const { heal } = args;
    if (heal === undefined) return [];
    const { run, nodes, all, cure } = heal;
    const twice = nodes?.find((name, i) => nodes.indexOf(name) !== i);
    const rows: [isRight: boolean, place: string, problem: string][] = [
        [runProblem(run) === undefined, "heal.run", runProblem(run) ?? ""],
        [(nodes !== undefined) !== (all === true), "heal", "needs exactly one of nodes and all: true"],
        [nodes === undefined || nodes.length > 0, "heal.nodes", "names no node"],
        [twice === undefined, "heal.nodes", `${twice} is named twice`],
        [cure === undefined || cures.includes(cure), "heal.cure", `"${cure}" is not allowed: "rejoin" or "server"`],
        [
            cure !== "server" || cloudOf(args) !== undefined,
            "heal.cure",
            '"server" needs a cloud that makes servers (heat or nova); with hosts the node joins again on its own machine ("rejoin")',
        ],
    ];
    return rows.flatMap(([isRight, where, problem]): Problem[] => (isRight ? [] : [[where, problem]]));
};
