import type { CloudStartInputs, CloudStartSpec, StartNode } from "./cloud-start-inputs";
import type { CheckFailure } from "./types";
import { at, hasUnknown, same, unknownValue } from "./values";

type Nodes = Record<string, StartNode>;
type Seen = Partial<CloudStartInputs>;

/** Why the servers that there are cannot become those that the program has: for either back end. */
export function refusedServerChanges(olds: Seen, news: CloudStartInputs): CheckFailure[] {
    return [
        ...shapeProblems(nodesOf(olds), nodesOf(news), olds.missing ?? {}),
        ...(at(news, "spec.protect") === true ? protectedProblems(olds, news) : []),
    ];
}

/** The nodes of the program, none where they are not known yet. */
export function nodesOf(inputs: Seen): Nodes {
    const nodes = at(inputs, "spec.nodes");
    return hasValue(nodes) ? (nodes as Nodes) : {};
}

/** The inputs with a spec in which nodes and jump server are left out as long as they are not known. */
export function known<T extends Seen>(inputs: T): T & Pick<CloudStartInputs, "spec"> {
    const { spec } = inputs;
    const { jump, ...others } = (hasValue(spec) ? spec : {}) as CloudStartSpec;
    return { ...inputs, spec: { ...others, nodes: nodesOf(inputs), ...(hasValue(jump) && { jump }) } };
}

function hasValue(value: unknown): boolean {
    return value !== undefined && value !== unknownValue;
}

/** Servers are made once: what they are made of can only be said before. One that is lost is made again, from what is asked for now. */
function shapeProblems(olds: Nodes, news: Nodes, missing: Record<string, string>): CheckFailure[] {
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
function protectedProblems(olds: Seen, news: CloudStartInputs): CheckFailure[] {
    return [...protectedNodes(nodesOf(olds), nodesOf(news)), ...protectedParts(known(olds).spec, known(news).spec)];
}

/** Of a template of the user's. */
function protectedParts({ kept: olds = {} }: CloudStartSpec, { kept: news = {} }: CloudStartSpec): CheckFailure[] {
    return Object.entries(olds).flatMap(([name, before]) => {
        const after = news[name];
        if (after === before || hasUnknown(after)) return [];
        const what = `the template's ${name} (${before}${after === undefined ? "" : `, now ${after}`})`;
        return [{ property: "", reason: protectedRefusal(what) }];
    });
}

function protectedNodes(olds: Nodes, news: Nodes): CheckFailure[] {
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
