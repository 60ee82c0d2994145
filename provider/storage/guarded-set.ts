import type { NfvError } from "../common/errors";
import { isGivenUp } from "../contract/give-up";
import { runFacts } from "../contract/run-facts";
import type { CommonInputs, Context, ResourceType } from "../contract/types";
import { changed, hasUnknown } from "../contract/values";
import { readOwned, refuseForeign, requireOwned, setDiff } from "../objects/owned-objects";
import { type KubeObject, settle } from "../vim";
import { apiOf, asFailures, type ClusterAccess } from "../vim/check-cluster";
import { type GuardQuestion, inUse, type Leaving } from "./storage-users";
import { untilUnused } from "./until-unused";

export interface GuardedSetInputs extends CommonInputs {
    /** Name of the resource, for messages. */
    name: string;
    /** Mark on the objects. */
    owner: string;
    /** Of the cluster. */
    clusterId: string;
    /** Secret. */
    access: ClusterAccess;
    /** Names of those that may go although they are in use. */
    force?: string[];
    /** How long a change may take until it works, in seconds. */
    timeoutSeconds: number;
}

/** `pending`: the last run failed on the way, and the objects are all that may be there. */
export type GuardedSetState<Inputs> = Inputs & { pending: boolean };

/** Objects in the cluster that stay while claims, pods or snapshots use them. */
export interface GuardedSet<Inputs extends GuardedSetInputs> {
    /** Inputs that are objects, in a list or by name. */
    parts: readonly (keyof Inputs & string)[];
    /** Begins the name by which it is given up: "classes". */
    kind: string;
    /** For messages: "the storage classes". */
    what: string;
    /** What to do where a name belongs to others. */
    hint?: string;
    /** The question whether anybody uses objects that leave; undefined: nobody need be asked. Without `news`: all of them leave. */
    guard(olds: Partial<Inputs>, news: Inputs | undefined): Promise<GuardQuestion | undefined>;
    /** The set is made again in this run. Used, it stays as it is instead. @default it goes, used or not */
    staysIfUsed?: boolean;
    /** For preview. */
    warnings?(olds: Partial<Inputs>, news: Inputs): string[];
    change(olds: Partial<Inputs>, news: Inputs, context: Context): Promise<void>;
    /** What may be there where a change failed on the way, so that the next run goes on, or removes it. */
    mayBeThere(olds: Partial<Inputs>, news: Inputs): Partial<Inputs>;
    remove(state: Inputs, context: Context): Promise<void>;
}

/** Whether anybody uses what leaves, where the user's `force` allows that by name. `inputs`: of the program, or of the state where the set goes. */
export const questionOf = (
    leaving: readonly Leaving[],
    { access, force = [], name: node = "" }: Partial<GuardedSetInputs>,
): GuardQuestion => ({ leaving, access, force, node });

export function guardedSet<Inputs extends GuardedSetInputs>(
    set: GuardedSet<Inputs>,
): ResourceType<Inputs, GuardedSetState<Inputs>> {
    const { parts, kind, what, hint } = set;
    const whyInUse = async (olds: Partial<Inputs>, news?: Inputs): Promise<NfvError | undefined> => {
        const question = await set.guard(olds, news);
        return question && inUse(question);
    };
    /** Paths of our objects that exist. @throws NOT_OURS */
    const requireFree = (inputs: Inputs) => {
        const { access, owner, name: node } = inputs;
        const objects = parts.flatMap(part => Object.values(inputs[part] as Objects));
        return requireOwned(apiOf(access), objects, { owner, node, ...(hint !== undefined && { hint }) });
    };
    const apply = async (id: string, olds: Partial<Inputs>, news: Inputs, context: Context) => {
        context.report(`look whether the names of ${what} are free`);
        await settle(news.timeoutSeconds, () => requireFree(news));
        try {
            await set.change(olds, news, context);
            return { ...news, pending: false };
        } catch (error) {
            const properties = { ...news, ...set.mayBeThere(olds, news), pending: true };
            throw Object.assign(error as Error, { id, properties, reasons: [(error as Error).message] });
        }
    };
    return {
        check: (_olds, news) => ({ inputs: news }),
        needsCheckInCloud: (olds, news) =>
            !hasUnknown([...parts.map(part => news[part]), news.access]) && changed(olds, news, [...parts]).length > 0,
        checkInCloud: async (olds, news, context) => {
            for (const warning of set.warnings?.(olds, news) ?? []) context.warn(warning);
            return {
                failures: [
                    ...asFailures(await whyInUse(olds, news)),
                    ...(await refuseForeign(() => requireFree(news), "the names", context)),
                ],
            };
        },
        diff: (_id, olds, news) => setDiff(olds, news, [...parts, "access", "force"]),
        create: async (inputs, context) => {
            const id = `${inputs.clusterId}/${inputs.name}`;
            return { id, outs: await apply(id, {}, inputs, context) };
        },
        update: async (id, olds, news, context) => {
            const used = await whyInUse(olds, news);
            if (used !== undefined) throw used;
            return { outs: await apply(id, olds, news, context) };
        },
        read: async (id, state, context) => ({
            id,
            props: await readOwned(
                state,
                () => requireFree(state),
                ({ list, byName }) => {
                    const existing = (objects: Objects) => (Array.isArray(objects) ? list(objects) : byName(objects));
                    const all = parts.map(part => [part, existing(state[part] as Objects)]);
                    return Object.fromEntries(all) as Partial<GuardedSetState<Inputs>>;
                },
                context,
            ),
        }),
        delete: async (_id, state, context) => {
            // With the whole cluster its objects go, and nobody would serve the finalizers of volumes; data stays on the storage server.
            const { clusterId, resourceUrn } = state;
            const name = `${kind}:${state.name}`;
            const run = runFacts(context);
            if (run.isEnding(clusterId) || isGivenUp(clusterId, name)) return;
            const isMadeAgain = run.program.has(resourceUrn);
            if (isMadeAgain && set.staysIfUsed) {
                const used = await whyInUse(state);
                if (used !== undefined) {
                    context.warn(`${state.name}: ${what} stay as they are: ${used.reason}`);
                    return;
                }
            }
            const question = isMadeAgain ? undefined : await set.guard(state, undefined);
            if (question !== undefined) await untilUnused(question, { what, clusterId, name }, context);
            await set.remove(state, context);
        },
    };
}

type Objects = Record<string, KubeObject> | KubeObject[];
