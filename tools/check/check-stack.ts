import type { Properties } from "../../provider/adapters/properties";
import { serve } from "../../provider/adapters/serve";
import { lostLine } from "../../provider/cloud/heat/lost-servers";
import { NfvError } from "../../provider/common/errors";
import { RunSession } from "../../provider/common/run-session";
import { runFacts } from "../../provider/contract/run-facts";
import type { StateResource } from "./stack-state";
import type { Found } from "./verdict";

/** Types whose refresh finds out how machines, nodes and etcd's members are, and what was changed of what our steps made. */
const asked = ["OperationStart", "OperationEnd", "Host", "Node", "ClusterNetwork", "StorageMachine", "EtcdBackup"];

export interface Checked {
    /** Nodes that the stack has. */
    nodes: number;
    found: Found[];
    remarks: string[];
}

/**
 * Does what a refresh does, and writes nothing: neither state nor machines change. What could not be asked is found, too: it may be ill.
 * @throws INVALID_INPUT if there is nothing to ask
 */
export async function checkStack(
    resources: readonly StateResource[],
    report: (text: string) => void = () => {},
): Promise<Checked> {
    const toAsk = resources.filter(({ type }) => asked.includes(type));
    if (toAsk.length === 0)
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: "the stack has no machines of this package",
            hint: "Name the stack of a cluster: nfv check --stack NAME.",
        });
    const session = new RunSession();
    const remarks: string[] = [];
    const warnings: string[] = [];
    const provider = serve(session, {
        report: (_urn, text) => report(text),
        warn: (_urn, text) => warnings.push(text),
        note: (_urn, text) => remarks.push(text),
    });
    try {
        const looked = (await Promise.all(toAsk.map(resource => look(resource, provider)))).flat();
        const told: Found[] = runFacts({ session }).seen.findings;
        const named = new Set(told.map(({ node }) => node));
        // A refresh that changes the state makes `up` act, also where no finding says so.
        const changed = looked.filter(({ node, up }) => up === undefined || !named.has(node));
        const lost = looked.filter(({ code }) => code === "server-gone").map(({ node }) => node);
        const isTold = (text: string) =>
            told.some(each => text.startsWith(`${each.node}: `) && text.includes(each.text)) || text === lostLine(lost);
        const open = [...new Set(warnings)].filter(text => !isTold(text)).map(text => unasked(text, resources));
        return {
            nodes: Math.max(count(resources, "Host"), count(resources, "Node")),
            found: [...told, ...changed, ...open].sort(byNode),
            remarks,
        };
    } finally {
        await session.close();
    }
}

/** Machines answer in any order. What is found on one stays in its order. */
const byNode = (one: Found, other: Found): number => one.node.localeCompare(other.node, "en", { numeric: true });

/** A cluster that is not complete has machines that are no members yet. */
const count = (resources: readonly StateResource[], wanted: string): number =>
    resources.filter(({ type }) => type === wanted).length;

async function look(resource: StateResource, provider: ReturnType<typeof serve>): Promise<Found[]> {
    const { type, id, outputs } = resource;
    const node = nodeOf(resource);
    try {
        const { id: seen, props = {} } = await provider.read(type, id, outputs as Properties);
        if (seen === undefined || seen === "")
            return [{ node, code: "gone", text: "it is gone", up: "makes it again" }];
        const { missing = {}, pending = [] } = props as { missing?: Record<string, string>; pending?: string[] };
        const undone = stepsOf(outputs).filter(step => !stepsOf(props).includes(step));
        const open = [
            ...(undone.length > 0 ? [`not done on the machine any more: ${undone.join(", ")}`] : []),
            ...(pending.length > 0 ? [`still to do: ${pending.join(", ")}`] : []),
        ];
        return [
            ...Object.keys(missing).map(name => ({
                node: name,
                code: "server-gone",
                text: "its server is gone",
                up: "makes a new one",
            })),
            ...(open.length > 0 ? [{ node, code: "changed", text: open.join("; "), up: "does that" }] : []),
        ];
    } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        return [{ node, code: "unknown", text: `could not be asked: ${text}`, person: "look why" }];
    }
}

/** What a refresh warns of, and no finding says: what could not be asked, or what it leaves to a person. */
function unasked(warning: string, resources: readonly StateResource[]): Found {
    const [start = ""] = warning.split(": ");
    const isNode = resources.some(resource => asked.includes(resource.type) && nodeOf(resource) === start);
    const [node, text] = isNode ? [start, warning.slice(start.length + 2)] : ["cluster", warning];
    return { node, code: "unknown", text, person: "look at it" };
}

/** The name of the node, by which findings name it; its resources may be called otherwise. */
function nodeOf({ urn, outputs }: StateResource): string {
    const { name } = opened(outputs["spec"]) as { name?: unknown };
    return typeof name === "string" ? name : urn.split("::").at(-1)!;
}

function stepsOf(properties: object): string[] {
    return Object.keys(opened((properties as Properties)["done"]));
}

/** Stored as a text, see provider/contract/packed.ts. */
function opened(value: unknown): object {
    const plain: unknown = typeof value === "string" ? JSON.parse(value) : value;
    return typeof plain === "object" && plain !== null ? plain : {};
}
