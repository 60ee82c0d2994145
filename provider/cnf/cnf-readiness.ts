import { NfvError } from "../common/errors";
import { lookOrKeep } from "../contract/look-or-keep";
import type { CommonInputs, Context, ResourceType } from "../contract/types";
import { changed } from "../contract/values";
import { settle } from "../vim";
import { apiOf, type ClusterAccess, liveSeconds } from "../vim/check-cluster";
import { allKinds, nearKinds } from "../vim/discovery";
import { type ObjectName, objectKey } from "../vim/ownership";
import type { ReadinessRules } from "../vim/readiness/judge";
import { untilReady, untilServed } from "../vim/readiness/until-ready";
import { podsLine } from "./cnf-pods";

export interface CnfReadinessInputs extends CommonInputs {
    /** Name of the network function. */
    cnf: string;
    access: ClusterAccess;
    /** If it changes, everything is created on another cluster. */
    clusterId: string;
    /** Kinds that the cluster must have first. */
    kinds: { apiVersion: string; kind: string }[];
    /** Objects that must become ready, in the order of their `revisions`. */
    objects: ObjectName[];
    /** "UID/GENERATION" of each object: a change is awaited again. */
    revisions: string[];
    rules: ReadinessRules;
    /** How long each of them may take, in seconds. */
    timeoutSeconds: number;
    /** Set by a refresh that found an object that is not ready: the next `up` waits again. */
    pending?: boolean;
}

/**
 * What comes later waits for this resource until objects of a network function are ready. Pulumi's plugin applies them; it waits only for kinds
 * that are part of Kubernetes.
 */
export const cnfReadiness: ResourceType<CnfReadinessInputs, CnfReadinessInputs> = {
    check: (_olds, news) => ({ inputs: news }),
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, ["clusterId"]);
        const update = changed(olds, news, ["access", "kinds", "objects", "revisions", "rules"]).length > 0;
        return { changes: replaces.length > 0 || update || olds.pending === true, replaces };
    },
    create: async (inputs, context) => ({ id: inputs.cnf, outs: await wait(inputs, context) }),
    update: async (_id, _olds, news, context) => ({ outs: await wait(news, context) }),
    read: (id, state, context) =>
        lookOrKeep(`Cnf ${state.cnf}`, { id, props: state }, context, async () => {
            const unready = await look(state, context);
            if (unready.length === 0) return { id, props: { ...state, pending: false } };
            context.warn(`Cnf ${state.cnf}: ${unready.join("\n")}`);
            return { id, props: { ...state, pending: true } };
        }),
    delete: async () => {},
};

async function wait(inputs: CnfReadinessInputs, context: Context): Promise<CnfReadinessInputs> {
    const { cnf, access, kinds, objects, revisions, rules, timeoutSeconds } = inputs;
    const api = apiOf(access);
    const { report, warn, note, signal } = context;
    const node = `Cnf "${cnf}"`;
    const missing = await untilServed(kinds, { api, timeoutSeconds, report, signal });
    if (missing.length > 0) {
        const all = await settle(liveSeconds, () => allKinds(api));
        const cause = missing.map(each => {
            const near = nearKinds(each, all);
            const text = near.length === 0 ? "it has no similar one" : `near it has ${near.join(", ")}`;
            return `${access.endpoint} does not have the kind ${each.kind} of ${each.apiVersion} after ${timeoutSeconds} s: ${text}`;
        });
        const hint = "Look at the operator that should have made its definition, then run pulumi up again.";
        throw new NfvError({ code: "NOT_READY", node, step: "wait for kinds", cause: cause.join("\n"), hint });
    }
    const failures = await untilReady(objects, { api, rules, timeoutSeconds, report, warn, signal });
    if (failures.length > 0) {
        throw new NfvError({ code: "NOT_READY", node, step: "wait until it is ready", cause: failures.join("\n") });
    }
    const pods = await podsLine(api, objects, revisions);
    if (pods !== undefined) note(pods);
    const { pending: _, ...outs } = inputs;
    return outs;
}

/** One look, without waiting: why objects are not ready. */
async function look({ access, objects, rules }: CnfReadinessInputs, { signal }: Context): Promise<string[]> {
    const quiet = { report: () => {}, warn: () => {} };
    const known = new Map(objects.map(object => [objectKey(object), object]));
    const once = { api: apiOf(access), rules: withoutTimeouts(rules), timeoutSeconds: 0, ...quiet, signal };
    return untilReady([...known.values()], once);
}

function withoutTimeouts(rules: ReadinessRules): ReadinessRules {
    return Object.fromEntries(
        Object.entries(rules).map(([pattern, { timeoutSeconds: _, ...rule }]) => [pattern, rule]),
    );
}
