import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../../common/errors";
import { acts } from "./act";
import { lookAtBoth, type Scope } from "./look";
import type { Login } from "./noted-login";
import { isCluster, titles } from "./object-key";
import { nextStage, type Stage } from "./stages";
import type { Guard, MoveApi, Sight } from "./types";

export interface Move extends Scope {
    from: MoveApi;
    to: MoveApi;
    /** Of `to`: noted where programs look for what they have made. Undefined on the way back. */
    login?: Login;
    /** After it, nothing is waited for any more, in seconds. */
    timeoutSeconds: number;
    report: (text: string) => void;
    signal?: AbortSignal;
}

/** A controller notes that it has paused within a second. */
export const movePauses = { seconds: 1 };

/** Looks at both sides and does what is next, until nothing is left. A run that was killed is taken up by the next one, wherever it was. */
export async function moveClusters(move: Move): Promise<void> {
    const end = Date.now() + move.timeoutSeconds * 1000;
    let last = "";
    let refused = 0;
    const tell = async (text: string, error = tooLate(text, move)) => {
        // As long as there is something to do, there is no reason to stop halfway.
        if (text !== last) move.report(text);
        else if (Date.now() > end) throw error;
        else await sleep(movePauses.seconds * 1000, undefined, { signal: move.signal });
        last = text;
    };
    for (;;) {
        move.signal?.throwIfAborted();
        try {
            const sight = await lookAtBoth(move.from, move.to, move);
            const stage = nextStage(sight, move);
            if (stage.name === "done") return;
            if (stage.name === "refuse") throw stage.error;
            await tell(textOf(stage, sight));
            if (stage.name !== "wait") await acts[stage.name](move, stage as never, sight);
            refused = 0;
        } catch (error) {
            if (!isPassing(error) || (error.code === "API_REFUSED" && ++refused > mostRefusals)) throw error;
            await tell(error.reason, error);
        }
    }
}

/** A webhook may not know yet what was removed a moment ago. */
const mostRefusals = 5;

/** The next look may find it better. */
const isPassing = (error: unknown): error is NfvError =>
    error instanceof NfvError && ["API_UNREACHABLE", "API_REFUSED"].includes(error.code);

const texts: { [Name in Stage["name"]]: (stage: Extract<Stage, { name: Name }>, sight: Sight) => string } = {
    refuse: ({ error }) => error.message,
    bury: ({ objects }) => `make room for ${titles(objects)}`,
    release: ({ objects }) => `let go on what is being made: ${titles(objects)}`,
    pause: ({ from, to }) => `pause ${titles([...from, ...to])}`,
    wait: ({ text }) => `wait ${text}`,
    create: ({ levels }) => `make copies of ${levels.flat().length} objects`,
    guard: ({ guards }) => `no Cluster can be made any more in ${namesOf(guards)}`,
    delete: ({ levels }) => `remove the ${levels.flat().length} originals`,
    clear: ({ objects }) => `remove the marks of ${objects.length} objects`,
    unguard: ({ guards }) => `Clusters can be made again in ${namesOf(guards)}`,
    resume: ({ objects }) => `go on with ${titles(objects)}`,
    done: (_, { to }) => `${to.objects.filter(isCluster).length} clusters are there`,
};

const namesOf = (guards: readonly Guard[]) => guards.map(({ namespace }) => namespace).join(", ");

const textOf = (stage: Stage, sight: Sight) => texts[stage.name](stage as never, sight);

function tooLate(text: string, { timeoutSeconds }: Move): NfvError {
    return new NfvError({
        code: "WORKLOAD_NOT_READY",
        node: "move of clusters",
        step: text,
        cause: `not done after ${timeoutSeconds} s. Clusters that it has paused stay so until the move is done`,
        hint: "Their machines run on; nothing keeps them meanwhile. Run the same command again: it goes on from here.",
    });
}
