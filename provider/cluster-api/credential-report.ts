import { createHash } from "node:crypto";
import { parse } from "yaml";
import { NfvError } from "../common/errors";
import { type Deletion, giveUpVariable, unlessGivenUp } from "../contract/give-up";
import { runFacts } from "../contract/run-facts";
import type { CommonInputs, Context, ResourceType } from "../contract/types";
import { changed, hasUnknown, unknownValue } from "../contract/values";
import { deliver, shownUrl } from "../receiver/deliver";
import { secretWords } from "../receiver/secret-words";
import { canonicalJson } from "../steps/fingerprint";
import type { VimConnectionInfo } from "../vim";

/** What the receiver gets: access to a workload cluster. Secret. */
export interface SentCredentials {
    kubeconfig: string;
    vimConnectionInfo?: VimConnectionInfo;
}

export interface CredentialReportInputs extends CommonInputs {
    /** Id of the management cluster. */
    clusterId: string;
    cluster: { name: string; namespace: string; uid: string };
    url: string;
    /** Secret. */
    token?: string;
    caCertificate?: string;
    /** Whether the end of the cluster is reported, too. */
    removal: boolean;
    timeoutSeconds: number;
    /** From the program. `check` takes it out, so that no state holds it. Secret. */
    credentials?: SentCredentials;
    /** Set by `check`: a hash of what is sent. */
    contentHash?: string;
}

export interface CredentialReportState extends Omit<CredentialReportInputs, "credentials"> {
    /** How often this resource has sent something. */
    sent: number;
}

const keyOf = ({ url, cluster }: Pick<CredentialReportInputs, "url" | "cluster">) => canonicalJson([url, cluster]);

/** Sends the credentials of a workload cluster to a URL, once per change. The state notes a hash of what was sent. */
export const credentialReport: ResourceType<CredentialReportInputs, CredentialReportState> = {
    check: (olds, news) => {
        const inputs = withoutCredentials(news);
        return { inputs, notes: olds.contentHash === undefined ? [announced({ ...inputs, contentHash: "" })] : [] };
    },
    diff: (_id, olds, news) => {
        const replaces = changedWhereKnown(olds, news, ["clusterId", "cluster", "url"]);
        const update = changed(olds, news, ["contentHash", "token", "caCertificate", "removal", "timeoutSeconds"]);
        const sends = replaces.length > 0 || update.includes("contentHash");
        return {
            changes: replaces.length + update.length > 0,
            replaces,
            ...(sends && { note: announced(news) }),
        };
    },
    create: async (inputs, context) => {
        const state = await send({ ...inputs, sent: 0 }, context);
        return { id: `${inputs.cluster.namespace}/${inputs.cluster.name}`, outs: state };
    },
    update: async (id, olds, news, context) => {
        const state = { ...news, sent: olds.sent };
        if (olds.contentHash === news.contentHash) return { outs: state };
        try {
            return { outs: await send(state, context) };
        } catch (error) {
            // It may have been received all the same. Without a hash the next run sends what is right then, even if that is the former content.
            const properties = { ...olds, contentHash: "" };
            throw Object.assign(error as Error, { id, properties, reasons: [(error as Error).message] });
        }
    },
    read: async (id, state) => ({ id, props: state }),
    delete: async (_id, state, context) => {
        // pulumi up --replace makes the next one first: the cluster stays.
        const isSame = (news: CredentialReportInputs) => keyOf(news) === keyOf(state);
        if (!state.removal || runFacts(context).program.find("CredentialReport", isSame) !== undefined) return;
        const deletion: Deletion = {
            clusterId: state.clusterId,
            name: `report:${state.cluster.name}`,
            mayLive: error => notReported(error, state),
            leave: reason => context.warn(`the removal of cluster ${state.cluster.name} was not reported: ${reason}`),
        };
        await unlessGivenUp(deletion, () => post(state, { event: "removed" }, [], context));
    },
};

function withoutCredentials(news: CredentialReportInputs): CredentialReportInputs {
    const { credentials, ...others } = news;
    if (hasUnknown([credentials, news.cluster])) return { ...others, contentHash: unknownValue };
    return credentials === undefined ? others : { ...others, contentHash: hashOf([credentials, news.cluster]) };
}

/** An input that is unknown at preview is that of the cluster, which stays in most cases. */
const changedWhereKnown = (olds: object, news: object, names: (keyof CredentialReportInputs)[]) =>
    changed(olds, news, names).filter(name => !hasUnknown(news[name as never]));

function announced({
    cluster,
    url,
    contentHash,
}: Pick<CredentialReportInputs, "cluster" | "url" | "contentHash">): string {
    const where = hasUnknown(url) ? "the given URL" : shownUrl(url);
    const condition = contentHash === unknownValue ? ", if they are others than before" : "";
    return `the credentials of workload cluster "${cluster.name}" will be sent to ${where}${condition}`;
}

async function send(state: CredentialReportState, context: Context): Promise<CredentialReportState> {
    // The engine calls `check` before, in the same process.
    const isIt = (news: CredentialReportInputs) => withoutCredentials(news).contentHash === state.contentHash;
    const credentials = runFacts(context).program.find("CredentialReport", isIt)?.news.credentials;
    if (credentials === undefined) {
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `the credentials of workload cluster "${state.cluster.name}" are not in this run, which leaves them out (--target or --exclude)`,
            hint: "Run pulumi up without --target and --exclude.",
        });
    }
    const { kubeconfig, vimConnectionInfo } = credentials;
    const secrets = secretWords([parse(kubeconfig), vimConnectionInfo]);
    const next = { ...state, sent: state.sent + 1 };
    await post(next, { event: "credentials", ...credentials }, secrets, context);
    return next;
}

/** The same message has the same key, so a receiver recognizes one that was sent by a run that could not note it. */
function post(
    state: CredentialReportState,
    message: object,
    secrets: readonly string[],
    context: Context,
): Promise<void> {
    const { cluster, url, token, caCertificate, timeoutSeconds, contentHash, sent } = state;
    context.report(`send to ${shownUrl(url)}`);
    const delivery = {
        ...{ url, timeoutSeconds, secrets },
        ...(token !== undefined && { token }),
        ...(caCertificate !== undefined && { caCertificate }),
        idempotencyKey: hashOf([cluster.uid, contentHash, sent, (message as { event: string }).event]),
        body: { ...message, cluster },
    };
    return deliver(delivery, context.report, context.signal);
}

/** Tokens and keys are long and random: the hash does not give them away. */
const hashOf = (value: unknown) => createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);

function notReported({ code, reason, hint }: NfvError, { clusterId, cluster }: CredentialReportState): NfvError {
    return new NfvError({
        code,
        node: `workload cluster "${cluster.name}"`,
        step: "report its removal",
        cause: reason,
        hint: `${hint}\nIf the receiver is gone for good: ${giveUpVariable}=${clusterId}/report:${cluster.name} pulumi destroy`,
    });
}
