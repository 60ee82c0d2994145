import type { CheckFailure } from "../contract/types";
import { at, hasUnknown, same, unknownValue } from "../contract/values";
import { unknownSetting } from "../operation/operation-start-inputs";
import { dueReplacement } from "../operation/replacements";
import type { CloudStartInputs, CloudStartSpec, StartNode } from "./cloud-start-inputs";

/** The state has these inputs from before the cloud made anything. */
const noClusterYet = "Has no cluster come up yet: pulumi destroy, then pulumi up.";

type Nodes = Record<string, StartNode>;
type Seen = Partial<CloudStartInputs>;

/** Why the existing servers cannot become the wanted ones, for both back ends. */
export function refusedServerChanges(olds: Seen, news: CloudStartInputs): CheckFailure[] {
    const replaced = new Set(dueReplacement(olds, news)?.nodes);
    const shapes = shapeProblems(
        { before: nodesOf(olds), after: nodesOf(news), backEnd: at(news, "spec.backEnd") },
        olds.missing ?? {},
        replaced,
    );
    return [
        ...otherServers(nodesOf(olds), nodesOf(news)),
        // Parts contain the shape as well, but cannot show its values.
        ...(shapes.length > 0 ? shapes : partProblems(olds, news)),
        ...(at(news, "spec.protect") === true ? protectedProblems(olds, news) : []),
    ];
}

/** The nodes of the program; empty if they are not known yet. */
export function nodesOf(inputs: Seen): Nodes {
    const nodes = at(inputs, "spec.nodes");
    return hasValue(nodes) ? (nodes as Nodes) : {};
}

/** The inputs with a spec that leaves out nodes and jump server while they are unknown. */
export function known<T extends Seen>(inputs: T): T & Pick<CloudStartInputs, "spec"> {
    const { spec } = inputs;
    const { jump, ...others } = (hasValue(spec) ? spec : {}) as CloudStartSpec;
    return { ...inputs, spec: { ...others, nodes: nodesOf(inputs), ...(hasValue(jump) && { jump }) } };
}

function hasValue(value: unknown): boolean {
    return value !== undefined && value !== unknownValue;
}

interface Shapes {
    before: Nodes;
    after: Nodes;
    backEnd: unknown;
}

/** What a new server takes on while the node's port, server group and further volumes stay. */
const ofServer: ReadonlySet<string> = new Set(["flavor", "availabilityZone", "bootVolume", "configDrive"]);

/**
 * A server's properties are fixed at its creation. A lost server is recreated with the current inputs, and so is one that this run replaces on purpose.
 */
function shapeProblems(
    { before: olds, after: news, backEnd }: Shapes,
    missing: Record<string, string>,
    replaced: ReadonlySet<string>,
): CheckFailure[] {
    return Object.entries(news).flatMap(([name, { shape }]) => {
        const before = olds[name]?.shape;
        if (before === undefined || Object.hasOwn(missing, name)) return [];
        // If only one side has the key, a volume comes or goes, or the value was unknown.
        const differs = Object.keys(shape).filter(
            key =>
                Object.hasOwn(before, key) &&
                !(replaced.has(name) && ofServer.has(key)) &&
                ![before[key], shape[key]].includes(unknownValue) &&
                !same(before[key], shape[key]),
        );
        const [gone, come] = [volumesBeside(before, shape), volumesBeside(shape, before)];
        return [
            ...differs.map(key => ({
                property: "",
                reason: shapeRefusal(name, key, [before[key], shape[key]], backEnd === "nova"),
            })),
            ...(gone.length > 0 && come.length > 0 ? [{ property: "", reason: renamedVolume(name, gone, come) }] : []),
        ];
    });
}

/**
 * With a template of the user: a node whose server has another name in the template is another server, and Heat deletes
 * the former one undrained.
 */
function otherServers(olds: Nodes, news: Nodes): CheckFailure[] {
    const former = new Map(Object.entries(olds).map(([name, { stack }]) => [stack?.server, name]));
    return Object.entries(news).flatMap(([name, { stack }]) => {
        const before = olds[name]?.stack?.server;
        const holder = stack && former.get(stack.server);
        if (stack === undefined || hasUnknown([before, stack.server])) return [];
        if (before !== undefined && before !== stack.server) return [refusedServer(name, before, stack.server)];
        if (before === undefined && holder !== undefined)
            return [refusedServer(holder, stack.server, `that of ${name}`)];
        return [];
    });
}

const refusedServer = (node: string, before: string, after: string): CheckFailure => ({
    property: "",
    reason:
        `infrastructure.heat.template: the server of ${node} is the resource ${before}, and the program now says ${after}: Heat would delete it, ` +
        "with the node on it. Nothing was touched. Set names and their order back (resources, groups, VDUs, lists of outputs), or make a pool " +
        "with the new ones, move the pods there, then remove the old pool. " +
        noClusterYet,
});

/** With a template of the user: its values may be outputs or secrets, so only their hashes are known. */
function partProblems(olds: Seen, news: CloudStartInputs): CheckFailure[] {
    const [before, after] = [partsOf(olds), partsOf(news)];
    const nodes = nodesOf(olds);
    // A lost server is made again from the present template.
    const free = new Set(
        Object.keys(olds.missing ?? {}).flatMap(name => nodes[name]?.stack?.healed ?? nodes[name]?.stack?.server ?? []),
    );
    const known = (parts: Record<string, string>, resource: string) => Object.hasOwn(parts, `${resource}/type`);
    const isNewUse = (name: string) => before[name] === undefined && name.includes("/used by ");
    const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(name => {
        const resource = resourceOf(name);
        if (free.has(resource) || !known(before, resource) || !known(after, resource) || isNewUse(name)) return false;
        return before[name] !== after[name] && ![before[name], after[name]].includes(unknownSetting);
    });
    return changed.sort().map(name => ({ property: "", reason: partRefusal(name) }));
}

function partsOf(inputs: Seen): Record<string, string> {
    const parts = at(inputs, "spec.parts");
    return hasValue(parts) ? (parts as Record<string, string>) : {};
}

function resourceOf(part: string): string {
    return part.slice(0, part.lastIndexOf("/"));
}

const partRefusal = (part: string) =>
    `infrastructure.heat.template: ${part.slice(part.lastIndexOf("/") + 1)} of ${resourceOf(part)} has another value than in the stack that exists (in ` +
    "the template, or by a parameter), and Heat would replace or disconnect servers under their running nodes. Nothing was touched. Set " +
    "it back, or make a pool with the new value, move the pods there, then remove the old pool. " +
    noClusterYet;

/** What the cloud would delete although it is protected. */
function protectedProblems(olds: Seen, news: CloudStartInputs): CheckFailure[] {
    return [...protectedNodes(nodesOf(olds), nodesOf(news)), ...protectedParts(known(olds).spec, known(news).spec)];
}

/** With a template of the user. */
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

/** Keys of volumes that only the first shape has. */
function volumesBeside(shape: Record<string, string>, other: Record<string, string>): string[] {
    return Object.keys(shape).flatMap(key => {
        const [, volume] = /^volumes\.(.+)\.type$/.exec(key) ?? [];
        return volume === undefined || Object.hasOwn(other, key) ? [] : [volume];
    });
}

const renamedVolume = (node: string, gone: readonly string[], come: readonly string[]) =>
    `${node}: volumes.${gone.join(", volumes.")} would be deleted with all data, and an empty ${come.join(", ")} made: another name is another ` +
    "volume. Nothing was touched. Keep the name. Should the data go: take the volume out in one run, and add the other one in the next.";

function shapeRefusal(
    node: string,
    key: string,
    [from, to]: readonly (string | undefined)[],
    mayBeReplaced: boolean,
): string {
    const ways = [
        "Set it back",
        ...(mayBeReplaced && ofServer.has(key)
            ? [
                  `give it a new server in its turn: replaceServers: { run: "new-${key}", nodes: ["${node}"] } in the program, with all nodes or pools that get it`,
              ]
            : []),
        "make a pool with the new value, move the pods there, then remove the old pool",
    ];
    return (
        `${node}: ${key} cannot be changed on an existing server yet: it has ${from}, ${to} is asked for, and the cloud would rebuild the ` +
        `server under the running node. ${ways.slice(0, -1).join(", or ")}, or ${ways.at(-1)}. ${noClusterYet}`
    );
}
