import type { RecordedSteps } from "../recorded-steps";

/** bench/recorded-upgrade-steps.json. */
export interface RecordedUpgrade {
    /** Where the figures come from. */
    source: string;
    /** Of our steps and acts. What is done on a control-plane node for another node counts for that one. */
    ours: RecordedSteps["seconds"];
    /** Of the commands of rivals/upgrade-by-hand.sh. */
    byHand: RecordedSteps["seconds"];
}

/** Node → step → seconds. */
export type Durations = Record<string, Record<string, number>>;

const line = /^(\d+\.\d+) .*nfv-step-(\S+?)(?: for (\S+))? begins$/;

/** Parts of the move of a node, from its first act on. */
const ofMove = /^(upgrade|node)\./;

/**
 * How long each part of a move took, from "SECONDS … nfv-step-ID [for NODE] begins" in systemd's journals of all nodes: until the next one of its
 * node began. `journals`: by node, from the start of the upgrade on. Before its first act and behind its last one a node waits for others.
 */
export function actsIn(journals: Record<string, string>): Durations {
    const begun = Object.entries(journals).flatMap(([node, text]) =>
        text.split("\n").flatMap(each => {
            const [, at, id = "", other] = line.exec(each.trim()) ?? [];
            return ofMove.test(id) ? [{ node: other ?? node, id, at: Number(at) }] : [];
        }),
    );
    const durations: Durations = {};
    for (const node of new Set(begun.map(each => each.node))) {
        const own = begun.filter(each => each.node === node).sort((a, b) => a.at - b.at);
        const [from, end] = ["upgrade.note", "upgrade.end"].map(act => own.findIndex(({ id }) => id === act));
        const move = own.slice(from, end! + 1).filter((_, i) => own[from! + i + 1] !== undefined);
        const ended = move.map(({ id, at }, i) => [id, round(own[from! + i + 1]!.at - at)] as const);
        durations[node] = Object.fromEntries(ended);
    }
    return durations;
}

/** "NODE COMMAND SECONDS" of upgrade-by-hand.sh. */
export function commandsIn(text: string): Durations {
    const durations: Durations = {};
    for (const each of text.split("\n")) {
        const [node, command, seconds] = each.trim().split(" ");
        if (seconds !== undefined) durations[node!] = { ...durations[node!], [command!]: round(Number(seconds)) };
    }
    return durations;
}

const round = (seconds: number) => Math.round(seconds * 100) / 100;
