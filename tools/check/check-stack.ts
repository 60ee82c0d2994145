import { FindingsOfRun } from "../../provider/resources/health";
import { RunSession } from "../../provider/run-session";
import { type Properties, serve } from "../../provider/serve";
import type { StateResource } from "./stack-state";
import type { Found } from "./verdict";

/** Types whose refresh finds out how machines and nodes are. */
const asked = ["OperationStart", "Host", "Node", "StorageMachine"];

export interface Checked {
    /** Nodes that the stack has. */
    nodes: number;
    found: Found[];
    /** What could not be asked, and other remarks. */
    remarks: string[];
}

/** Does what a refresh does, and writes nothing: neither state nor machines change. */
export async function checkStack(
    resources: readonly StateResource[],
    report: (text: string) => void = () => {},
): Promise<Checked> {
    const session = new RunSession();
    const remarks: string[] = [];
    const note = (_urn: string, text: string) => remarks.push(text);
    const provider = serve(session, { report: (_urn, text) => report(text), warn: note, note });
    try {
        const looked = await Promise.all(
            resources.filter(({ type }) => asked.includes(type)).map(resource => look(resource, provider)),
        );
        const told = session.part(FindingsOfRun).list;
        const named = new Set(told.map(({ node }) => node));
        // A refresh that changes the state makes `up` act, also where no finding says so.
        const changed = looked.flat().filter(({ node }) => !named.has(node));
        const lines = new Set(told.map(({ node, text }) => `${node}: ${text}`));
        return {
            nodes: resources.filter(({ type }) => type === "Node").length,
            found: [...told, ...changed],
            remarks: remarks.filter(text => ![...lines].some(line => text.startsWith(line))),
        };
    } finally {
        await session.close();
    }
}

async function look({ type, id, urn, outputs }: StateResource, provider: ReturnType<typeof serve>): Promise<Found[]> {
    const node = urn.split("::").at(-1)!;
    try {
        const { id: seen, props } = await provider.read(type, id, outputs as Properties);
        if (seen === undefined || seen === "")
            return [{ node, code: "gone", text: "it is gone", up: "makes it again" }];
        const { missing } = (props ?? {}) as { missing?: Record<string, string> };
        return Object.keys(missing ?? {}).map(name => ({
            node: name,
            code: "server-gone",
            text: "its server is gone",
            up: "makes a new one",
        }));
    } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        return [{ node, code: "unknown", text: `could not be asked: ${text}`, person: "see the message" }];
    }
}
