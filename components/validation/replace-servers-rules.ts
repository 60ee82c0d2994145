import type { PlainArgs } from "../common/plain-args";
import type { Problem, Rule } from "./rule";
import { runProblem } from "./storage/snapshot-rules";

/** `replaceServers`. Whether the nodes exist is checked when a replacement is due: see provider/operation/replacements.ts. */
export const replaceServersRules: Rule<PlainArgs> = ({ replaceServers, infrastructure }) => {
    if (replaceServers === undefined) return [];
    const { run, nodes, all } = replaceServers;
    const twice = nodes?.find((name, i) => nodes.indexOf(name) !== i);
    const rows: [isRight: boolean, place: string, problem: string][] = [
        [runProblem(run) === undefined, ".run", runProblem(run) ?? ""],
        [(nodes !== undefined) !== (all === true), "", "needs exactly one of nodes and all: true"],
        [nodes === undefined || nodes.length > 0, ".nodes", "names no node"],
        [twice === undefined, ".nodes", `${twice} is named twice`],
        [
            infrastructure.hosts === undefined,
            "",
            "needs servers of a cloud (nova): machines of hosts are not ours to make",
        ],
        [
            infrastructure.heat === undefined,
            "",
            'is only for nova: Heat deletes all servers of a run together, before the first new one has joined. Use heal with cure "server", which gives one node per run a new server from the present image',
        ],
    ];
    return rows.flatMap(([isRight, where, problem]): Problem[] =>
        isRight ? [] : [[`replaceServers${where}`, problem]],
    );
};
