import { randomBytes } from "node:crypto";
import { NfvError } from "../common/errors";
import { atMost } from "../contract/at-most";
import { isGivenUp } from "../contract/give-up";
import type { CommonInputs, Context, ResourceType } from "../contract/types";
import { changed, failuresOf, text, topLevel } from "../contract/values";
import { readJournal } from "../machine/journal";
import { connectTo, isUnreachable, named } from "../machine/machine";
import type { SshTarget } from "../ssh";
import { runAct } from "../steps";
import { registerClient } from "./acts";

export interface StorageClientInputs extends CommonInputs {
    /** Owner of the storage server. */
    owner: string;
    /** Its name. */
    server: string;
    /** Id of the StorageMachine: another one has forgotten its clients. */
    serverId: string;
    /** How the server is reached. Secret. */
    connection: SshTarget;
    /** As the StorageMachine recorded it. */
    hostKey?: string;
    /** Name of the client. */
    client: string;
    addresses: string[];
}

export interface StorageClientState extends StorageClientInputs {
    /**
     * Name of its file on the server, another one for each resource: where one takes the place of another, as after a change of the address, both have
     * access until the former one goes, and that takes nothing from its successor.
     */
    entry: string;
}

/**
 * Access of one machine to the exports for registered clients. A node depends on its own: it may mount before it joins, and loses access only after
 * its pods have left.
 */
export const storageClient: ResourceType<StorageClientInputs, StorageClientState> = {
    check: (_olds, news) => ({ inputs: news, failures: failuresOf(news, { owner: text, server: text, client: text }) }),
    diff: (_id, olds, news) => {
        // A node at another address is another machine: the former one keeps its access until it has left, and pods have written what they hold.
        const replaces = changed(olds, news, ["owner", "server", "client", "addresses"]);
        const update = changed(olds, news, ["serverId", "connection", "hostKey"]).length > 0;
        return { changes: replaces.length > 0 || update, replaces: topLevel(replaces), deleteBeforeReplace: false };
    },
    create: async (inputs, context) => {
        const entry = `${inputs.client}_${randomBytes(4).toString("hex")}`;
        const outs = { ...inputs, entry };
        await register(outs, false, context);
        return { id: `${inputs.owner}/${inputs.server}/${entry}`, outs };
    },
    update: async (_id, { entry }, news, context) => {
        const outs = { ...news, entry };
        await register(outs, false, context);
        return { outs };
    },
    read: async (id, state) => ({ id, props: state }),
    delete: async (_id, state, context) => {
        try {
            const connection = connectTo(context, state.connection, state);
            const journal = await readJournal(context, connection, state.owner, state.server);
            // A server that was rebuilt or given back has no clients.
            if (journal === "blank" || journal === "foreign") return;
            await register(state, true, context);
        } catch (error) {
            if (!isUnreachable(error) || !isGivenUp(state.owner, state.server)) throw error;
            context.warn(`${state.client} was not taken from the clients of ${state.server}: ${error.reason}`);
        }
    },
};

/** One after another: each holds the lease of the server. */
function register(inputs: StorageClientState, goes: boolean, context: Context): Promise<void> {
    const { owner: clusterId, server: node, client, entry, addresses } = inputs;
    const { report, signal } = context;
    return atMost(1, context, `clients of ${clusterId}/${node}`, async () => {
        const connection = connectTo(context, inputs.connection, inputs);
        await named(node, async () => {
            const journal = await readJournal(context, connection, clusterId, node);
            if (journal === "blank" || journal === "foreign") throw notThere(node, client);
            await runAct(registerClient({ client, entry, addresses, goes }), {
                node,
                clusterId,
                connection,
                report,
                signal,
            });
        });
    });
}

function notThere(node: string, client: string): NfvError {
    const cause = `it is no storage server of ours (any more), so ${client} gets no access`;
    return new NfvError({
        code: "FOREIGN_NODE",
        node,
        cause,
        hint: "Run pulumi up --refresh: it sets the server up again.",
    });
}
