import { NfvError } from "../errors";
import { settleLeftovers } from "./cloud-leftovers";
import { type LostServers, lostServers, markLost } from "./lost-servers";
import { madeNow, madeOf, serverNames, withIdsOf } from "./made-of";
import type {
    OperationStartInputs,
    OperationStartSpec,
    OperationStartState,
    StartNode,
} from "./operation-start-inputs";
import { cloudClient, refuseOtherProject } from "./server";
import { deleteOrphan } from "./stack-servers";
import { takeOut } from "./take-out";
import type { ResourceType } from "./types";
import { at, changed, failuresOf, hasUnknown, same, text, unknownValue } from "./values";

/** Programs of this run that still have this resource: what is deleted then is only its former self. */
const inProgram = new Set<string>();

/** What happens before the infrastructure is touched: who leaves is drained and taken out while its server is still there. */
export const operationStart: ResourceType<OperationStartInputs, OperationStartState> = {
    check: (olds, news) => {
        if (news.resourceUrn !== undefined) inProgram.add(news.resourceUrn);
        return {
            inputs: planned(olds, news),
            failures: [
                ...failuresOf(news, { "spec.clusterName": text, "spec.backEnd": backEnd }),
                ...shapeProblems(nodesOf(olds), nodesOf(news), olds.missing ?? {}),
                ...(at(news, "spec.protect") === true ? protectedProblems(olds, news) : []),
            ],
        };
    },
    checkLive: async (olds, news) => {
        const [before, after] = [known(olds), known(news)];
        const fresh = madeNow(before, after);
        if (after.spec.backEnd !== "heat" || fresh.length === 0 || hasUnknown(after.spec.cloud))
            return { failures: [] };
        try {
            const inputs = await withIdsOf(cloudClient(after.spec.cloud), madeOf(before, after), fresh);
            return { failures: [], inputs };
        } catch (error) {
            // CloudCheck says what is wrong with the cloud.
            if (error instanceof NfvError) return { failures: [] };
            throw error;
        }
    },
    // Never a replacement: the infrastructure behind it lives on, whatever changes.
    diff: (_id, olds, news) => ({
        changes:
            Object.keys(olds.missing ?? {}).length > 0 ||
            changed(olds, news, ["spec", "ssh", "seed", "project", "generations", "images", "flavors"]).length > 0,
    }),
    create: async inputs => ({ id: `${inputs.spec.clusterName}/operation-start`, outs: settled(inputs) }),
    update: async (_id, olds, news, context) => {
        if (news.spec.backEnd === "heat") {
            await markLost(olds, news, context);
            await takeOut(olds, news, context);
        }
        return { outs: settled(news) };
    },
    read: async (id, state, context) => {
        await refuseOtherProject(placeOf(state), context);
        const missing = await lostServers(state, context);
        if (same(missing, state.missing ?? {})) return { id, props: state };
        const found = { ...state, missing };
        // Also as inputs: check() of the next operation sees nothing else.
        return { id, props: found, inputs: found };
    },
    delete: async (_id, state, context) => {
        if (state.resourceUrn !== undefined && inProgram.has(state.resourceUrn)) return;
        await refuseOtherProject(placeOf(state), context);
        if (state.spec.backEnd === "heat") await deleteOrphan(state.spec, context);
        await settleLeftovers({ ...state.spec, policy: state.spec.leftovers, last: true }, context);
    },
};

const placeOf = ({ spec: { clusterName: name, cloud }, project }: OperationStartState) => ({ name, cloud, project });

const backEnd = (value: unknown) => (value === "heat" || value === "nova" ? undefined : "must be heat or nova");

type Nodes = Record<string, StartNode>;

function nodesOf(inputs: Partial<OperationStartInputs>): Nodes {
    const nodes = at(inputs, "spec.nodes");
    return nodes === undefined || nodes === unknownValue ? {} : (nodes as Nodes);
}

/** Without nodes and jump server as long as they are not known. */
function known<T extends Partial<OperationStartInputs>>(inputs: T): T & Pick<OperationStartInputs, "spec"> {
    const { spec } = inputs;
    const { jump, ...others } = (hasValue(spec) ? spec : {}) as OperationStartSpec;
    return { ...inputs, spec: { ...others, nodes: nodesOf(inputs), ...(hasValue(jump) && { jump }) } };
}

function hasValue(value: unknown): boolean {
    return value !== undefined && value !== unknownValue;
}

/** The inputs with what preview shall say, and what those behind this resource must know before it acts. */
function planned(olds: Partial<OperationStartInputs>, news: OperationStartInputs): OperationStartInputs {
    const nodes = nodesOf(news);
    const lost = new Set(Object.keys(olds.missing ?? {}));
    const generation = (name: string) => (olds.generations?.[name] ?? 1) + (lost.has(name) ? 1 : 0);
    return {
        ...news,
        leaving: Object.keys(nodesOf(olds)).filter(name => !Object.hasOwn(nodes, name)),
        generations: Object.fromEntries(serverNames(known(news).spec).map(name => [name, generation(name)])),
        ...madeOf(known(olds), known(news)),
    };
}

/** Servers are made once: what they are made of can only be said before. One that is lost is made again, from what is asked for now. */
function shapeProblems(olds: Nodes, news: Nodes, missing: LostServers) {
    return Object.entries(news).flatMap(([name, { shape }]) => {
        const before = olds[name]?.shape;
        if (before === undefined || Object.hasOwn(missing, name)) return [];
        // A key of one side alone: a volume that comes or goes, or something that was not known.
        const differs = Object.keys(shape).filter(
            key =>
                Object.hasOwn(before, key) &&
                ![before[key], shape[key]].includes(unknownValue) &&
                !same(before[key], shape[key]),
        );
        return differs.map(key => ({ property: "", reason: shapeRefusal(name, key, before[key], shape[key]) }));
    });
}

/** What the cloud would delete of what was there before. */
function protectedProblems(olds: Partial<OperationStartInputs>, news: OperationStartInputs) {
    return [...protectedNodes(nodesOf(olds), nodesOf(news)), ...protectedParts(known(olds).spec, known(news).spec)];
}

/** Of a template of the user's. */
function protectedParts({ kept: olds = {} }: OperationStartSpec, { kept: news = {} }: OperationStartSpec) {
    return Object.entries(olds).flatMap(([name, before]) => {
        const after = news[name];
        if (after === before || hasUnknown(after)) return [];
        const what = `the template's ${name} (${before}${after === undefined ? "" : `, now ${after}`})`;
        return [{ property: "", reason: protectedRefusal(what) }];
    });
}

function protectedNodes(olds: Nodes, news: Nodes) {
    return Object.entries(olds).flatMap(([name, { shape }]) => {
        const after = news[name]?.shape;
        if (after === undefined) return [{ property: "", reason: protectedRefusal(`${name}: its server and volumes`) }];
        const volumes = Object.keys(shape).flatMap(key => /^volumes\.(.+)\.type$/.exec(key)?.[1] ?? []);
        return volumes
            .filter(volume => !Object.hasOwn(after, `volumes.${volume}.type`))
            .map(volume => ({
                property: "",
                reason: protectedRefusal(`${name}: its volume ${volume}, with its data,`),
            }));
    });
}

const protectedRefusal = (what: string) =>
    `${what} would be deleted, and deleteProtection is true. Set back what was removed or changed (count, pools, volumes, the template), or set deleteProtection to ` +
    "false, run pulumi up, then remove it.";

const shapeRefusal = (node: string, key: string, from: string | undefined, to: string | undefined) =>
    `${node}: ${key} cannot be changed on an existing server yet: it has ${from}, ${to} is asked for, and the cloud would rebuild the ` +
    "server under the running node. Set it back, or make a pool with the new value, move the pods there, then remove the old pool.";

function settled(inputs: OperationStartInputs): OperationStartState {
    const { missing: _, ...rest } = inputs;
    return { ...rest, generations: inputs.generations ?? {} };
}
