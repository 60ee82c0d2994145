import { contains, covers, parseCidr, usualSpelling } from "../common/cidr";
import { NfvError } from "../common/errors";
import type { Context } from "../contract/types";
import { hasUnknown } from "../contract/values";
import { connectTo } from "../machine/machine";
import { connectedClients } from "./connected-clients";
import { type ExportSpec, inOrder } from "./spec";
import { type StorageMachineInputs, type StorageMachineState, servedBy } from "./storage-machine-state";
import { guardedOf, inUse, type Leaving } from "./storage-users";

/** Why what goes must stay. */
export async function whyInUse(
    olds: Partial<StorageMachineInputs>,
    news: StorageMachineInputs,
    context: Context,
): Promise<NfvError | undefined> {
    const access = hasUnknown(news.access) ? olds.access : news.access;
    const { force } = news;
    const clients = hasUnknown(news.clients) ? olds.clients : news.clients;
    const used = await whoUses({ ...olds, access, force, clients }, leavingOf(olds, news), context);
    return used ?? whoLosesAccess(olds, { ...news, clients }, context);
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
    const paths = guarded.flatMap(({ names: [path] }) => path ?? []);
    const nodes = new Set(access && addressesOf(clients).map(usualSpelling));
    return refuseConnected(state, { what, paths }, each => !nodes.has(usualSpelling(each)), context);
}

/** Of exports that stay: who is connected and may not mount any more. */
async function whoLosesAccess(
    olds: Partial<StorageMachineState>,
    { spec, force, clients }: StorageMachineInputs,
    context: Context,
): Promise<NfvError | undefined> {
    const narrowed = inOrder(servedBy(olds)).flatMap(([path, before]) => {
        const after = spec.exports[path];
        if (after === undefined || [path, after.volume].some(name => force.includes(name))) return [];
        if (before.clients.every(each => isCovered(each, after.clients))) return [];
        return [
            {
                path,
                before: before.clients,
                after: [...after.clients, ...(after.registeredClients ? addressesOf(clients) : [])],
            },
        ];
    });
    if (narrowed.length === 0 || olds.spec === undefined || olds.connection === undefined) return undefined;
    const loses = (address: string) => narrowed.some(each => isIn(address, each.before) && !isIn(address, each.after));
    const paths = narrowed.map(({ path }) => path);
    return refuseConnected(olds, { what: `access to ${paths.join(", ")}`, paths }, loses, context);
}

async function refuseConnected(
    state: Partial<StorageMachineState>,
    { what, paths }: { what: string; paths: string[] },
    counts: (address: string) => boolean,
    context: Context,
): Promise<NfvError | undefined> {
    const { spec, connection } = state;
    if (spec === undefined || connection === undefined) return undefined;
    const goOn = `To go on all the same: force: ${JSON.stringify(paths)}.`;
    const refuse = (cause: string, hint: string) => new NfvError({ code: "DATA_IN_USE", node: spec.name, cause, hint });
    try {
        const connected = await connectedClients(connectTo(context, connection, state, state), spec);
        const found = connected.filter(counts);
        if (found.length === 0) return undefined;
        return refuse(
            `${what}: these clients are connected, and may use it: ${found.join(", ")}; nothing was changed`,
            `Unmount it on these clients, then run again; or undo the change. ${goOn}`,
        );
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        return refuse(
            `${what}: who mounts it cannot be asked, so it counts as used: ${error.reason}`,
            `Make the server reachable, then run again. ${goOn}`,
        );
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
        .map(([path, each]: [string, ExportSpec]) => exportLeaving(address, path, each.volume));
}

export function exportLeaving(address: string, path: string, volume: string): Leaving {
    return { what: `export ${path}`, names: [path, volume], asked: { export: { addresses: [address], path } } };
}

/** Whether an export that names its clients names the nodes, too. */
function takesNodes({ clients }: ExportSpec, nodes: StorageMachineInputs["clients"] = {}): boolean {
    const addresses = addressesOf(nodes);
    return addresses.length > 0 && addresses.every(address => isIn(address, clients));
}

function addressesOf(clients: StorageMachineInputs["clients"] = {}): string[] {
    return hasUnknown(clients) ? [] : Object.values(clients).flat();
}

function isCovered(client: string, clients: readonly string[]): boolean {
    const net = parseCidr(client);
    if (net === undefined) return isIn(client, clients);
    return clients.some(each => {
        const around = parseCidr(each);
        return around !== undefined && covers(around, net);
    });
}

function isIn(address: string, clients: readonly string[]): boolean {
    return clients.some(each => {
        const net = parseCidr(each);
        return net === undefined ? usualSpelling(each) === usualSpelling(address) : contains(net, address);
    });
}
