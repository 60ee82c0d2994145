import { contains, parseCidr, usualSpelling } from "../cidr";
import { NfvError } from "../errors";
import { connectedClients } from "../storage/connected-clients";
import { type ExportSpec, inOrder } from "../storage/spec";
import { connectTo } from "./machine";
import { type StorageMachineInputs, type StorageMachineState, servedBy } from "./storage-machine-state";
import { guardedOf, inUse, type Leaving } from "./storage-users";
import type { Context } from "./types";
import { hasUnknown } from "./values";

/** Why what goes must stay. */
export function whyInUse(
    olds: Partial<StorageMachineInputs>,
    news: StorageMachineInputs,
    context: Context,
): Promise<NfvError | undefined> {
    const access = hasUnknown(news.access) ? olds.access : news.access;
    const { force } = news;
    const clients = hasUnknown(news.clients) ? olds.clients : news.clients;
    return whoUses({ ...olds, access, force, clients }, leavingOf(olds, news), context);
}

/** Of a cluster's server the cluster says who uses what. Of another one the machine says at least who is connected. */
export async function whoUses(
    state: Partial<StorageMachineState>,
    leaving: readonly Leaving[],
    context: Context,
    /** A server that no longer exists has no clients. */
    gone = false,
): Promise<NfvError | undefined> {
    const { access, force = [], spec } = state;
    const used = access && (await inUse({ leaving, access, force, node: spec?.name ?? "" }));
    return used ?? whoElseUses(state, leaving, context, gone);
}

/** The same without the cluster's own claims and nodes. */
export async function whoElseUses(
    state: Partial<StorageMachineState>,
    leaving: readonly Leaving[],
    context: Context,
    gone = false,
): Promise<NfvError | undefined> {
    const { access, force = [], spec, connection, clients } = state;
    const guarded = guardedOf(leaving, force).filter(each => access === undefined || hasOthers(state, each));
    if (gone || guarded.length === 0 || spec === undefined || connection === undefined) return undefined;
    const what = guarded.map(each => each.what).join(", ");
    const refuse = (cause: string) => new NfvError({ code: "DATA_IN_USE", node: spec.name, cause });
    try {
        const connected = await connectedClients(connectTo(context, connection, state, state), spec);
        const nodes = new Set(
            access &&
                Object.values(clients ?? {})
                    .flat()
                    .map(usualSpelling),
        );
        const others = connected.filter(each => !nodes.has(usualSpelling(each)));
        if (others.length === 0) return undefined;
        return refuse(
            `${what}: these clients are connected, and may use it: ${others.join(", ")}; nothing was changed`,
        );
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return refuse(`${what}: who mounts it cannot be asked, so it counts as used: ${error.reason}`);
    }
}

/** Whether it names clients that are no nodes: their cluster knows nothing of them. */
function hasOthers(state: Partial<StorageMachineState>, { names: [path] }: Leaving): boolean {
    return (servedBy(state)[path!]?.clients ?? []).length > 0;
}

/** What was served and will not be: exports, and volumes with theirs. Another address is another server: clients do not follow. */
export function leavingOf(olds: Partial<StorageMachineState>, news?: StorageMachineInputs): Leaving[] {
    const { address = "" } = olds.spec ?? {};
    return inOrder(servedBy(olds))
        .filter(([path, each]) => {
            const after = news?.spec.address === address ? news.spec.exports[path] : undefined;
            const closed =
                each.registeredClients && after?.registeredClients === false && !takesNodes(after, news?.clients);
            return after === undefined || after.volume !== each.volume || after.folder !== each.folder || closed;
        })
        .map(([path, each]: [string, ExportSpec]) => ({
            what: `export ${path}`,
            names: [path, each.volume],
            asked: { export: { addresses: [address], path } },
        }));
}

/** Whether an export that names its clients names the nodes, too. */
function takesNodes({ clients }: ExportSpec, nodes: StorageMachineInputs["clients"] = {}): boolean {
    const isIn = (address: string) =>
        clients.some(each => {
            const net = parseCidr(each);
            return net === undefined ? usualSpelling(each) === usualSpelling(address) : contains(net, address);
        });
    const addresses = hasUnknown(nodes) ? [] : Object.values(nodes).flat();
    return addresses.length > 0 && addresses.every(isIn);
}
