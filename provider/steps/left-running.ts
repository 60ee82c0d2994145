import { script } from "../shell/script-file";
import type { Connection } from "../ssh/types";
import { query } from "./query";
import type { Step } from "./types";

/** What a run that was stopped has left running on a machine. */
export interface LeftRunning {
    /** Id of the first step that was sent with it; its systemd unit is named after it. */
    batch: string;
    /** Id of the step that it has come to. Undefined: none yet. */
    step?: string;
    /** By the machine's clock. */
    began?: Date;
    /** The machine ends it then. */
    until?: Date;
}

/** As agent.ts has it. */
export const runFolder = "/run/pulumi-nfv";

/** Looks at what runs there, and changes nothing. A machine that cannot be asked tells nothing: this is for messages only. */
export async function leftRunning(connection: Connection, node: string, folder = runFolder): Promise<LeftRunning[]> {
    const text = script("steps/left-running.sh", { RUN_FOLDER: folder });
    const asked = { script: text, timeoutSeconds: 30, step: "look at what runs", node };
    const said = await query(connection, asked).catch(() => "");
    return said
        .split("\n")
        .filter(line => /^\S+ \S+ \S+ \S+$/.test(line))
        .map(line => {
            const [batch, step, began, limit] = line.split(" ") as [string, string, string, string];
            const [from, seconds] = [Number(began), Number(limit)];
            return {
                batch,
                ...(step !== "-" && { step }),
                ...(from > 0 && { began: new Date(from * 1000) }),
                ...(from > 0 && seconds > 0 && { until: new Date((from + seconds) * 1000) }),
            };
        });
}

const shown = (date: Date) =>
    date
        .toISOString()
        .replace("T", " ")
        .replace(/\.\d+Z$/, " UTC");

/** Steps that may be ended at any moment: what they have begun is done again from its beginning. */
const mayEnd: Record<string, string> = {
    "storage.restore": "what it has restored so far is deleted, and the next run that has this restore does it again",
    "storage.backup": "a backup that has begun goes on",
};

/** "restore folders from backups, since …, until … at the latest. To end it …". `steps`: for their titles. */
export function whatRuns(
    { batch, step, began, until }: LeftRunning,
    node: string,
    steps: readonly Pick<Step, "id" | "title">[] = [],
): string {
    const title = steps.find(({ id }) => id === (step ?? batch))?.title ?? step ?? batch;
    const since = began ? `, since ${shown(began)}` : "";
    const end = until ? `, until ${shown(until)} at the latest` : "";
    const then = step === undefined ? undefined : mayEnd[step];
    const way = then && `. To end it, on ${node}: systemctl stop nfv-batch-${batch} (${then})`;
    return `${title}${since}${end}${way ?? ""}`;
}
