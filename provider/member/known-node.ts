import { NfvError } from "../common/errors";
import { askTogether } from "../contract/questions";
import type { Context } from "../contract/types";
import type { Peer } from "../machine/machine";
import { readyControlPlaneNode } from "../machine/machine-statuses";
import type { Connection } from "../ssh";
import { cordonedAnnotation } from "./set-labels";

/**
 * Prints "answer:node/NAME NOTE", where NOTE shows that our drain cordoned it, and "ready:STATUS SINCE"; "answer:" if the
 * cluster does not have the node. NAME
 */
const whetherKnown =
    'nfv_node=$(kubectl --kubeconfig /etc/kubernetes/admin.conf --request-timeout=10s get node "$1" --ignore-not-found ' +
    `-o 'jsonpath=node/{.metadata.name} {.metadata.annotations.${cordonedAnnotation.replace(".", "\\.")}}` +
    `{range .status.conditions[?(@.type=="Ready")]}{"\\n"}ready:{.status} {.lastTransitionTime}{end}') && echo "answer:$nfv_node"`;

/** The same of all nodes: "node/NAME NOTE" and "ready:STATUS SINCE" of each, then "answer". */
const whichKnown =
    "kubectl --kubeconfig /etc/kubernetes/admin.conf --request-timeout=20s get nodes -o 'jsonpath={range .items[*]}node/{.metadata.name} " +
    `{.metadata.annotations.${cordonedAnnotation.replace(".", "\\.")}}{"\\n"}` +
    `{range .status.conditions[?(@.type=="Ready")]}ready:{.status} {.lastTransitionTime}{"\\n"}{end}{end}' && echo answer`;

/** The command that asks for all nodes; fake nodes in tests recognise it. */
export const knownNodesArgv: readonly string[] = ["sh", "-c", whichKnown, "pulumi-nfv-known-nodes"];

export interface KnownNode {
    /** The cluster answered that it does not have this node. */
    forgotten: boolean;
    /** Our drain has cordoned it. */
    cordoned: boolean;
    /** Its condition Ready, and since when. */
    ready?: { status: string; since: string };
    /** The control-plane node that answered. */
    master: Connection;
}

interface Asking {
    spec: { clusterId: string; name: string };
    controlPlane: readonly Peer[];
}

/** The cluster's answer about this node; undefined if it could not be asked. */
export function askCluster({ spec, controlPlane }: Asking, context: Context): Promise<KnownNode | undefined> {
    return orWarn(spec.name, context, async () => {
        const { connection: master } = await readyControlPlaneNode(context, spec.clusterId, controlPlane, "any");
        const { stdout } = await master.exec(["sh", "-c", whetherKnown, "pulumi-nfv-known", spec.name], {
            timeoutSeconds: 30,
        });
        const said = stdout.trim();
        const known = said.startsWith("answer:node/") ? [said.slice("answer:".length)] : [];
        return { ...nodeIn(known, spec.name), forgotten: said === "answer:", master };
    });
}

interface Answer {
    /** "node/NAME NOTE", and the next line its condition. */
    nodes: string[];
    complete: boolean;
    master: Connection;
}

/** For a refresh, which reads all nodes at the same time: those of a cluster that ask while it is being asked share one question. */
export function askClusterTogether(asking: Asking, context: Context): Promise<KnownNode | undefined> {
    const { clusterId, name } = asking.spec;
    const asked = askTogether(context, `nodes of ${clusterId}`, () => askForAll(asking, context));
    return orWarn(name, context, async () => {
        const { nodes, complete, master } = await asked;
        const isThere = nodes.some(each => nameIn(each) === name);
        return { ...nodeIn(nodes, name), forgotten: complete && !isThere, master };
    });
}

async function askForAll({ spec, controlPlane }: Asking, context: Context): Promise<Answer> {
    const { connection: master } = await readyControlPlaneNode(context, spec.clusterId, controlPlane, "any");
    const { code, stdout } = await master.exec(knownNodesArgv, { timeoutSeconds: 30 });
    return parseKnownNodes(stdout, code, master);
}

function parseKnownNodes(stdout: string, code: number, master: Connection): Answer {
    const nodes = stdout.split(/^(?=node\/)/m).filter(each => each.startsWith("node/"));
    return { nodes, complete: code === 0 && /^answer$/m.test(stdout), master };
}

const nameIn = (text: string) => /^node\/(\S+)/.exec(text)?.[1];

function nodeIn(nodes: readonly string[], name: string): Pick<KnownNode, "cordoned" | "ready"> {
    const said = nodes.find(each => nameIn(each) === name) ?? "";
    const [, status, since] = /^ready:(\S+) (\S+)$/m.exec(said) ?? [];
    const ready = status && since ? { status, since } : undefined;
    return { cordoned: /^node\/\S+ \S/.test(said), ready };
}

async function orWarn(name: string, context: Context, ask: () => Promise<KnownNode>): Promise<KnownNode | undefined> {
    try {
        return await ask();
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        context.warn(`${name}: whether the cluster knows this node was not found out: ${error.reason}`);
        return undefined;
    }
}
