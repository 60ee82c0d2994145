import { runFacts } from "../contract/run-facts";
import type { CheckFailure, CommonInputs, Context, InSession, ResourceType } from "../contract/types";
import { failuresOf, text } from "../contract/values";

/** A request that a run carries out. */
export interface RunOfRequest<Inputs, State> {
    /** Undefined where this is the first request of its kind. */
    olds: State | undefined;
    /** Inputs of the program in this run, also those that are not stored. Undefined where --target leaves its resource out. */
    program: Inputs | undefined;
    context: Context;
}

/** A request of day 2, as data: what the state keeps of it, when there is something to do, and who does it. */
export interface Request<Inputs, State>
    extends Pick<ResourceType<Inputs & object, never>, "needsCheckInCloud" | "checkInCloud"> {
    /** Its resource type. */
    type: string;
    /** Last part of the resource's id. */
    name: string;
    /** Inputs that only the run needs, or that are secret: the state does not keep them. */
    ofRun: readonly (keyof Inputs)[];
    /** Input with the id of the request. */
    id: keyof Inputs & string;
    /** Why the program is refused, and what is to be noted of it. Pure, but for what the session records. */
    refuse?(news: Inputs, context: InSession | undefined): CheckFailure[];
    /** What preview says where the resource is made, because Pulumi asks for no difference then. @default nothing */
    lineOfFirst?(news: Inputs): string | undefined;
    /** What the run would do, for preview; "": something of which there is nothing to say; undefined: nothing. Pure, but for what the session records. */
    due(olds: State, news: Inputs, program: Inputs | undefined, context: InSession | undefined): string | undefined;
    carryOut(stored: Inputs, run: RunOfRequest<Inputs, State>): Promise<State>;
}

interface OfCluster extends CommonInputs {
    clusterId: string;
}

/** The resource of a request. How far it is stands on the nodes, so it looks at nothing by itself, and a program without it undoes nothing. */
export function requestResource<Inputs extends OfCluster, State extends object>(
    request: Request<Inputs, State>,
): ResourceType<Inputs, State> {
    const { type, name, ofRun, id: idInput, needsCheckInCloud, checkInCloud } = request;
    const inProgram = (context: InSession | undefined, { clusterId }: Inputs) =>
        context && runFacts(context).program.ofCluster<Inputs>(type, clusterId)?.news;
    const carryOut = (stored: Inputs, olds: State | undefined, context: Context) =>
        request.carryOut(stored, { olds, program: inProgram(context, stored), context });
    return {
        check: (olds, news, context) => {
            const stored = Object.entries(news).filter(([input]) => !ofRun.includes(input as keyof Inputs));
            const needed = { clusterId: text, [idInput]: text };
            const line = Object.keys(olds).length > 0 ? undefined : request.lineOfFirst?.(news);
            return {
                inputs: Object.fromEntries(stored) as unknown as Inputs,
                failures: [...failuresOf(news, needed), ...(request.refuse?.(news, context) ?? [])],
                ...(line !== undefined && { notes: [line] }),
            };
        },
        ...(needsCheckInCloud && { needsCheckInCloud }),
        ...(checkInCloud && { checkInCloud }),
        diff: (_id, olds, news, context) => {
            const line = request.due(olds, news, inProgram(context, news), context);
            return { changes: line !== undefined, ...(line && { note: line }) };
        },
        create: async (inputs, context) => ({
            id: `${inputs.clusterId}/${name}`,
            outs: await carryOut(inputs, undefined, context),
        }),
        update: async (_id, olds, news, context) => ({ outs: await carryOut(news, olds, context) }),
        read: async (id, state) => ({ id, props: state }),
        delete: async () => {},
    };
}

/** For preview: what happens on each node. */
export const nodeLines = (nodes: Record<string, string>): string =>
    Object.entries(nodes)
        .map(([node, what]) => `${node}: ${what}`)
        .join("\n");
