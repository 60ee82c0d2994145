import { NfvError } from "../common/errors";
import { isLookOff, noLookVariable } from "../common/no-look";
import { runFacts } from "../contract/run-facts";
import type { Context } from "../contract/types";
import { unknownValue } from "../contract/values";
import { type Findings, lookAtNew, type MachineWish, whyNotReached } from "../host/new-machine";
import { connectTo, type ProgramPath } from "../machine/machine";
import { placeOf, type SshTarget } from "../ssh";

/** A machine of the program, as a preview gives it. */
export interface ProgramMachine extends ProgramPath {
    wish: Omit<MachineWish, "masters" | "clusterId">;
    connection: SshTarget;
}

export interface NewMachines {
    /** Id of the cluster, if it has one already. */
    clusterId?: string;
    /** Name → JSON of ProgramMachine; or not known yet. */
    machines: Readonly<Record<string, string>>;
    /** Those that the state has; undefined: it could not be read. */
    isRecorded(name: string): boolean;
}

/** At most this long for all of them, in seconds. Tests set less. */
export const lookPatience = { seconds: 15, connectSeconds: 10 };

/** Looks at all machines that are new to the state, all at once, and changes nothing there. Undefined: nothing is wrong with any of them. */
export async function lookAtNewMachines(
    { clusterId, machines, isRecorded }: NewMachines,
    context: Context,
): Promise<NfvError | undefined> {
    const named = Object.entries(machines).filter(([name]) => !isRecorded(name));
    const unknown = named.filter(([, text]) => text === unknownValue).map(([name]) => name);
    const known = named
        .filter(([, text]) => text !== unknownValue)
        .map(([, text]) => JSON.parse(text) as ProgramMachine);
    if (named.length === 0) return undefined;
    if (isLookOff()) {
        context.note(`${noLookVariable} is set: no machine was looked at (${listed(named.map(([name]) => name))})`);
        return undefined;
    }
    if (unknown.length > 0)
        context.note(`not looked at, because address or login are not known yet: ${listed(unknown)}`);
    context.report(`look at ${known.length} new machines`);
    const masters = known
        .filter(({ wish }) => wish.role === "controlPlane")
        .map(({ wish: { name, address } }) => ({ name, address }));
    const twice = known.map(machine => claim(machine, clusterId, context));
    const found = await Promise.all(
        known.map(machine =>
            look({ ...machine.wish, masters, ...(clusterId !== undefined && { clusterId }) }, machine, context),
        ),
    );
    found.forEach(({ warning }, i) => {
        if (warning !== undefined) context.warn(`${known[i]!.wish.name}: ${shown(warning)}`);
    });
    const lines = known.flatMap(({ wish, connection }, i) =>
        [...twice[i]!, ...found[i]!.problems]
            .slice(0, longestList)
            .map(problem => `${wish.name} (${placeOf(connection)}): ${shown(problem)}`),
    );
    return lines.length === 0 ? undefined : new NfvError({ code: "MACHINE_CHECK_FAILED", cause: lines.join("\n") });
}

async function look(
    wish: MachineWish,
    { connection: target, programPath }: ProgramMachine,
    context: Context,
): Promise<Findings> {
    const { seconds } = lookPatience;
    const connection = connectTo(context, hurried(target), undefined, {
        ...(programPath !== undefined && { programPath }),
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Findings>(resolve => {
        const problems = [`it was not looked at to the end within ${seconds} s`];
        timer = setTimeout(() => resolve({ problems }), seconds * 1000);
    });
    const looked = lookAtNew(wish, connection).catch((error: unknown) => {
        if (error instanceof NfvError) return { problems: [whyNotReached(error)] };
        throw error;
    });
    try {
        return await Promise.race([looked, late]);
    } finally {
        clearTimeout(timer);
        // A host key that only a preview has seen is not recorded.
        void connection.close();
    }
}

/** Also through jump hosts, the error of a connection comes before the time is over. */
function hurried(target: SshTarget): SshTarget {
    const { connectSeconds } = lookPatience;
    const connectTimeoutSeconds = Math.min(target.connectTimeoutSeconds ?? connectSeconds, connectSeconds);
    return { ...target, connectTimeoutSeconds, ...(target.jump && { jump: hurried(target.jump) }) };
}

/** The machine's place becomes this node's, unless another one of the program has it. */
function claim(
    { wish: { name }, connection }: ProgramMachine,
    clusterId: string | undefined,
    context: Context,
): string[] {
    const { machines } = runFacts(context).program;
    const own = `${context.urn} ${name}`;
    const other = machines.get(placeOf(connection));
    if (other === undefined || other === own) {
        machines.set(placeOf(connection), own);
        return [];
    }
    const [urn = "", node] = other.split(" ");
    const where = urn === context.urn ? "" : ` of ${clusterName(urn)}`;
    return [
        `the program has this machine as ${node}${where}, too${clusterId === undefined ? "" : ` (${clusterId})`}: give each node a machine of its own`,
    ];
}

const clusterName = (urn: string) => urn.split("::").at(-1) ?? urn;

/** Problems of one machine in the list, and signs of one problem: a machine may say what it likes. */
const longestList = 12;
const longestText = 800;

/** A machine's words, for a terminal: without control characters and what turns the direction of text. */
function shown(problem: string): string {
    const text = problem
        .split("\n")
        .map(line => line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "?").trim())
        .filter(line => line !== "")
        .join("; ");
    return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
}

function listed(names: readonly string[]): string {
    const [first, rest] = [names.slice(0, 10), names.length - 10];
    return rest > 0 ? `${first.join(", ")} and ${rest} more` : first.join(", ");
}
