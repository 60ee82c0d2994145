import { NfvError } from "../common/errors";
import { isLookOff } from "../common/no-look";
import { type Deletion, giveUpVariable, unlessGivenUp } from "../contract/give-up";
import { inPlaceOf, notePresent } from "../contract/present";
import { runFacts } from "../contract/run-facts";
import type { CheckedLive, Context, InSession, ResourceType } from "../contract/types";
import { changed, failuresOf, hasUnknown, text } from "../contract/values";
import { renderKubeconfig } from "../identity";
import {
    type AccountObjects,
    ApiRefused,
    accountName,
    accountNamespaces,
    accountObjects,
    askClusterUid,
    isInsecure,
    KubeApi,
    leftObjects,
    makeAccount,
    readClusterUid,
    removeAccount,
    removeLeft,
    removeNamespaces,
    requireRights,
    reviewRules,
    rightsWaitSeconds,
    type ServiceAccountSpec,
    settle,
    untilAccepted,
    type VimAuth,
    vimConnectionInfo,
} from ".";
import { liveSeconds } from "./check-cluster";
import { signerOf, signingKeysOf } from "./signing-keys";
import { tokenEnd, tokenTimes } from "./token-times";
import {
    compareUids,
    isAsked,
    isHeldBack,
    isRenamed,
    isStillNamed,
    isUidStale,
    mustBeAsked,
    nameCluster,
    refusedCluster,
} from "./vim-cluster";
import type { VimInputs, VimOutputs } from "./vim-inputs";

export interface VimState extends VimInputs, Omit<VimOutputs, "clusterId"> {
    /** Why the access no longer works, found by a refresh; "" if it works. */
    problem: string;
}

const inputNames = [
    "name",
    "endpoint",
    "clusterIdentifier",
    "caCertificate",
    "sslCaCert",
    "auth",
    "serviceAccount",
    "owner",
    "tokenGeneration",
] as const;

/** Access to a Kubernetes cluster, ours or any other, verified against its live API. */
export const vim: ResourceType<VimInputs, VimState> = {
    check: (olds, news) => ({
        inputs: nameCluster(olds, news),
        failures: [
            ...failuresOf(news, {
                name: text,
                endpoint: value => (/^https:\/\/[^/]+\/?$/.test(String(value)) ? undefined : "must be an https URL"),
                auth: authProblem,
            }),
            ...verificationProblem(news),
        ],
    }),
    checkInCloud: (olds, news, context) => {
        if (changed(olds, news, ["endpoint", "sslCaCert"]).length > 0) warnUnverified(news, context);
        return lookAtCluster(olds, news, context);
    },
    diff: (_id, olds, news, context) => {
        const replaces = changed(olds, news, ["clusterId"]);
        // The next run deletes a former Vim that a killed run did not delete.
        if (replaces.length === 0) notePresent(olds, context);
        const update =
            changed(olds, news, inputNames).length > 0 ||
            olds.problem !== "" ||
            isRenewalDue(olds) ||
            isOfFormerKey(olds, news, context);
        return { changes: replaces.length > 0 || update, replaces };
    },
    create: async (inputs, context) => {
        const outs = await register(inputs, context);
        await removeLeftOf(inputs, context);
        return { id: inputs.name, outs };
    },
    update: async (_id, olds, news, context) => {
        const outs = await register(news, context, olds);
        if (olds.serviceAccount !== undefined) {
            const kept = news.serviceAccount && accountObjects(news.serviceAccount, generationOf(news), ownerOf(news));
            const former = accountObjects(olds.serviceAccount, generationOf(olds), ownerOf(olds));
            await settle(rightsWaitSeconds, () => removeAccount(apiOf(news), former, ownerOf(olds), kept));
            await leaveNamespaces(olds.serviceAccount, news, ownerOf(olds), context, news.serviceAccount);
        }
        await removeLeftOf(news, context);
        return { outs };
    },
    read: async (id, state, context) => ({ id, props: await observe(state, context) }),
    delete: async (_id, state, context) => {
        if (state.serviceAccount === undefined) return;
        const owner = ownerOf(state);
        const objects = accountObjects(state.serviceAccount, generationOf(state), owner);
        const now = successorOf(state, context);
        const kept = now?.serviceAccount && accountObjects(now.serviceAccount, generationOf(now), owner);
        const deletion: Deletion = {
            clusterId: state.clusterId ?? state.endpoint,
            name: vimName(state),
            mayLive: error => accountMayLive(error, state),
            leave: reason =>
                context.warn(`${state.name}: it was given up, its service account was not removed: ${reason}`),
        };
        await unlessGivenUp(deletion, async () => {
            await settle(liveSeconds, () => removeAccount(apiOf(state), objects, owner, kept));
            await leaveNamespaces(state.serviceAccount!, state, owner, context, now?.serviceAccount);
        });
    },
};

/** The program's replacement for a former Vim: it has the same mark and is not known to be on another cluster. */
function successorOf(former: VimState, context: Context): VimState | undefined {
    const now = inPlaceOf(former, context);
    if (now === undefined || ownerOf(now) !== ownerOf(former)) return undefined;
    const answer = compareUids(former.clusterUid, now.clusterUid);
    if (answer === "other") return undefined;
    if (answer === "unknown" && now.clusterId !== former.clusterId && now.endpoint !== former.endpoint) {
        context.warn(
            `${former.name}: whether ${former.endpoint} and ${now.endpoint} are one cluster cannot be told: the service account on ` +
                `${former.endpoint} stays. If it is another cluster, delete it there: its token works on`,
        );
    }
    return now;
}

/**
 * Asks which cluster it is if that may have changed; whether the access works shows, too. A cluster that this run may make or repair is asked again by
 * `up`, before any change.
 */
async function lookAtCluster(
    olds: Partial<VimInputs>,
    news: VimInputs,
    context: Context,
): Promise<CheckedLive<VimInputs>> {
    const { endpoint, caCertificate, sslCaCert, auth, clusterIdentifier } = news;
    if (hasUnknown([endpoint, caCertificate, sslCaCert, auth, clusterIdentifier])) return { failures: [] };
    if (!isUidStale(olds, news)) return { failures: [] };
    const matters = mustBeAsked(olds, news);
    let seen: string | undefined;
    try {
        const seconds = matters || mustAnswer(olds, news) ? liveSeconds : 0;
        seen = await settle(seconds, () => readClusterUid(apiOf(news)));
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        if (mustAnswer(olds, news)) return { failures: [{ property: "", reason: accessFails(news, error).message }] };
        if (!matters) return { failures: [] };
        context.warn(`${news.name}: which cluster it is cannot be asked now: ${error.reason}`);
        // If unclear, the name stays: an update asks again, a replacement would not.
        return { failures: [], ...(isHeldBack(olds, news) && { inputs: { clusterId: olds.clusterId } }) };
    }
    const former = matters ? await formerUid(olds) : olds.clusterUid;
    const refused = refusedCluster(olds, news, former, seen);
    if (refused !== undefined) return { failures: [{ property: "", reason: refused.message }] };
    const inputs = { clusterUid: seen, ...(isStillNamed(news, former, seen) && { clusterId: olds.clusterId }) };
    return { failures: [], inputs };
}

/** A new access, or a changed one, of a cluster that nothing in this run makes or repairs. */
function mustAnswer(olds: Partial<VimInputs>, news: VimInputs): boolean {
    if (news.dependent === true || isLookOff()) return false;
    return changed(olds, news, ["endpoint", "caCertificate", "sslCaCert", "auth"]).length > 0;
}

function accessFails({ name }: VimInputs, { code, reason: cause, hint, output }: NfvError): NfvError {
    const made = `${hint}\nNothing has been touched. If this run makes or repairs that cluster, let the Vim depend on it: the option dependsOn.`;
    return new NfvError({ code, node: name, step: "ask the cluster", cause, hint: made, output });
}

/** uid of the cluster in the state: as last read, otherwise as read now. */
async function formerUid({ clusterUid, endpoint, auth, ...olds }: Partial<VimInputs>): Promise<string | undefined> {
    if (clusterUid !== undefined || endpoint === undefined || auth === undefined) return clusterUid;
    return askClusterUid({ ...olds, endpoint, auth });
}

/**
 * Repeats the check when the cluster answers; `news` has the result of the first one. If the cluster did not answer
 * then, it must now prove to be the cluster in the state before anything changes.
 */
async function requireSameCluster(olds: Partial<VimState>, news: VimInputs, seen: string | undefined): Promise<void> {
    if (!isAsked(olds, news) || (isRenamed(olds, news) && news.clusterId !== olds.clusterId)) return;
    const former = news.clusterUid ?? (await formerUid(olds));
    const refused = refusedCluster(olds, news, former, seen);
    if (refused !== undefined) throw refused;
    if (!isRenamed(olds, news) || compareUids(former, seen) === "same") return;
    const cause = `${news.endpoint} did not answer when it was asked which cluster it is, and is another one than the state has`;
    const hint = "Run pulumi up again: it makes everything anew on the other cluster.";
    throw new NfvError({ code: "INVALID_INPUT", node: news.name, cause, hint });
}

/** The name by which a person gives up a Vim; no machine can have it. */
const vimName = ({ name }: VimState) => `vim:${name}`;

/**
 * A cluster that cannot be asked, or refuses, may still exist, and the account's token may still work. When our whole
 * cluster is destroyed, this is not called: the Vim is deleted with it.
 */
function accountMayLive(error: NfvError, state: VimState): NfvError {
    const { clusterId = state.endpoint, endpoint } = state;
    const { code, reason, output } = error;
    const hint =
        `The service account may still be in the cluster, and its token may work. Make ${endpoint} answer, or correct \`auth\` and run pulumi up (a deletion ` +
        `uses what the last up was given). If this cluster is gone for good, say so by name: ${giveUpVariable}=${clusterId}/${vimName(state)} pulumi destroy`;
    return new NfvError({ code, node: state.name, step: "remove the service account", cause: reason, hint, output });
}

function authProblem(value: unknown): string | undefined {
    const { clientCertificate, clientKey, bearerToken, oidc } = (value ?? {}) as VimAuth;
    const given = [clientCertificate, bearerToken, oidc].filter(each => each !== undefined).length;
    if (given !== 1) return "must have exactly one of clientCertificate (with clientKey), bearerToken, oidc";
    if ((clientCertificate === undefined) !== (clientKey === undefined)) return "clientCertificate needs clientKey";
    if (oidc !== undefined && (oidc.issuerUrl === undefined) === (oidc.tokenUrl === undefined)) {
        return "oidc must have exactly one of issuerUrl and tokenUrl";
    }
    const plain = [oidc?.issuerUrl, oidc?.tokenUrl].find(url => url !== undefined && !url.startsWith("https://"));
    return plain === undefined ? undefined : "oidc: the provider must be reached by https";
}

/** The user must switch verification off explicitly: a missing authority is a mistake. */
function verificationProblem({ caCertificate, sslCaCert }: VimInputs) {
    if (hasUnknown([caCertificate, sslCaCert])) return [];
    if (sslCaCert !== undefined && !isInsecure(sslCaCert)) {
        return [
            { property: "sslCaCert", reason: 'may only be the word "none"; a certificate goes into caCertificate' },
        ];
    }
    if ((caCertificate === undefined) === (sslCaCert === undefined)) {
        const reason = 'give caCertificate (PEM), or sslCaCert: "none" to leave the server unverified';
        return [{ property: "caCertificate", reason }];
    }
    return [];
}

/** Preview and `up` warn when they check the inputs; an `up` that only renews the token, when it does. */
function warnUnverified({ name, endpoint, sslCaCert }: VimInputs, context: Context): void {
    const { said } = runFacts(context).did;
    const key = `unverified ${name}`;
    if (!isInsecure(sslCaCert) || said.has(key)) return;
    said.add(key);
    const server = hasUnknown(endpoint) ? "the API" : endpoint;
    context.warn(
        `${name}: the certificate of ${server} is not verified: whoever sits in between can read the credentials`,
    );
}

/** Without an account of its own, an OpenID Connect login hands out a token that expires soon. */
function isLent({ auth, serviceAccount }: VimInputs): boolean {
    return auth?.oidc !== undefined && serviceAccount === undefined;
}

/** How long such a token must still be valid when an operation begins, in seconds. */
const leastTokenSeconds = 300;

/** An account's token is renewed after half of its lifetime, so that its users get the new one in time. */
function isRenewalDue(state: VimState, now = Date.now() / 1000): boolean {
    const times = tokenTimes(state.bearerToken);
    if (times === undefined) return false;
    if (state.serviceAccount !== undefined) return now > (times.issued + times.ends) / 2;
    return isLent(state) && times.ends < now + leastTokenSeconds;
}

/**
 * A rotation of the service-account key has another key sign. A token that ends by itself is exchanged at once, so that its users have time; a lasting one when
 * the former key ends, because until then its Secret has it.
 */
function isOfFormerKey(state: VimState, { clusterId = "" }: VimInputs, context: InSession | undefined): boolean {
    const { signs, alone } = signingKeysOf(context, clusterId);
    const key = tokenTimes(state.bearerToken) === undefined ? alone : signs;
    const signer = signerOf(state.bearerToken);
    return state.serviceAccount !== undefined && key !== undefined && signer !== undefined && signer !== key;
}

const ownerOf = ({ owner }: VimInputs) => owner ?? "";

async function leaveNamespaces(
    account: ServiceAccountSpec,
    inputs: VimInputs,
    owner: string,
    context: Context,
    kept?: ServiceAccountSpec,
): Promise<void> {
    const stay = await settle(rightsWaitSeconds, () => removeNamespaces(apiOf(inputs), account, owner, kept));
    for (const why of stay) context.warn(`${inputs.name}: ${why}`);
}

function apiOf(inputs: VimInputs, auth = inputs.auth): KubeApi {
    return new KubeApi(inputs, auth);
}

function generationOf(inputs: VimInputs): number {
    return inputs.tokenGeneration ?? 1;
}

async function register(inputs: VimInputs, context: Context, olds: Partial<VimState> = {}): Promise<VimState> {
    const { name, endpoint, caCertificate: ca, auth, serviceAccount } = inputs;
    warnUnverified(inputs, context);
    const api = apiOf(inputs);
    context.report(`ask ${endpoint} for its version`);
    const serverVersion = await settle(rightsWaitSeconds, () => versionOf(api));
    const clusterUid = await settle(rightsWaitSeconds, () => readClusterUid(api));
    await requireSameCluster(olds, inputs, clusterUid);
    // An OpenID Connect token is short-lived; each `up` renews it before it expires.
    let access: VimAuth = auth.oidc === undefined ? auth : { bearerToken: await api.token() };
    let namespace = "default";
    if (serviceAccount !== undefined) {
        context.report("check the rights");
        await settle(rightsWaitSeconds, () => requireRights(api, serviceAccount));
        context.report("make the service account");
        const made = await makeAccount(api, serviceAccount, generationOf(inputs), ownerOf(inputs));
        access = { bearerToken: made.token };
        for (const place of made.unguarded) {
            context.warn(
                `${name}: namespace ${place} was there before and does not keep pods from being privileged: who has this token can ` +
                    `become root on nodes. Guard it: kubectl label namespace ${place} pod-security.kubernetes.io/enforce=baseline`,
            );
        }
        namespace = accountName(serviceAccount).namespace;
    }
    context.report("try the access");
    const handedOut = apiOf(inputs, access);
    if (serviceAccount === undefined) await settle(rightsWaitSeconds, () => reviewRules(handedOut, namespace));
    else await untilAccepted(handedOut, namespace);
    const token = access.bearerToken ?? "";
    const kubeconfig = {
        name,
        endpoint,
        ca,
        user: serviceAccount === undefined ? "user" : accountName(serviceAccount).name,
        ...(serviceAccount && { namespace: accountNamespaces(serviceAccount)[0] }),
    };
    const outs = {
        ...inputs,
        clusterUid,
        serverVersion,
        bearerToken: token,
        tokenExpires: tokenEnd(token),
        kubeconfig: renderKubeconfig(
            token !== ""
                ? { ...kubeconfig, token }
                : { ...kubeconfig, clientCert: auth.clientCertificate, clientKey: auth.clientKey },
        ),
        vimConnectionInfo: vimConnectionInfo(name, inputs, accessInfo(isLent(inputs) ? auth : access)),
        problem: "",
    };
    return notePresent(outs, context);
}

/** What a restore of etcd has brought back of this Vim, or a run has left that was killed. */
async function removeLeftOf(inputs: VimInputs, context: Context): Promise<void> {
    const api = apiOf(inputs);
    const left = await lookForLeft(inputs, account =>
        settle(rightsWaitSeconds, () => removeLeft(api, ownerOf(inputs), account)),
    );
    if (typeof left === "string") context.warn(`${inputs.name}: ${left}`);
    else if (left.length > 0)
        context.note(`${inputs.name}: deleted what was left of former registrations: ${left.join(", ")}`);
}

/** A string: why it was not found out. */
async function lookForLeft(
    inputs: VimInputs,
    look: (account: AccountObjects) => Promise<string[]>,
): Promise<string[] | string> {
    const owner = ownerOf(inputs);
    // A mark that others may have, too, names nobody.
    if (inputs.serviceAccount === undefined || owner === "") return [];
    try {
        return await look(accountObjects(inputs.serviceAccount, generationOf(inputs), owner));
    } catch (error) {
        if (!(error instanceof ApiRefused)) throw error;
        return `whether something of former registrations is left, such as a token that was ended, was not found out: ${error.reason}`;
    }
}

/** The field names of Tacker's accessInfo. */
function accessInfo({ bearerToken, clientCertificate, clientKey, oidc }: VimAuth): Record<string, string> {
    if (bearerToken !== undefined) return { bearer_token: bearerToken };
    if (oidc === undefined) return { client_certificate: clientCertificate!, client_key: clientKey! };
    return {
        oidc_token_url: oidc.tokenUrl ?? oidc.issuerUrl!,
        client_id: oidc.clientId,
        ...(oidc.clientSecret !== undefined && { client_secret: oidc.clientSecret }),
        username: oidc.username,
        password: oidc.password,
    };
}

async function versionOf(api: KubeApi): Promise<string> {
    return (await api.get<{ gitVersion: string }>("/version"))?.gitVersion ?? "";
}

/** Nothing is dropped from the state because of a network failure. The next `up` renews a token that is refused. */
async function observe(state: VimState, context: Context): Promise<VimState> {
    // Tries what was handed out, not the credentials behind it.
    const access = state.bearerToken === "" ? state.auth : { bearerToken: state.bearerToken };
    try {
        const api = apiOf(state, access);
        await reviewRules(api, "default");
        const left = await lookForLeft(state, async account =>
            (await leftObjects(apiOf(state), ownerOf(state), account)).map(({ title }) => title),
        );
        const problem =
            typeof left === "string" || left.length === 0
                ? ""
                : `the cluster has what was left of former registrations: ${left.join(", ")}`;
        return { ...state, serverVersion: await versionOf(api), problem };
    } catch (error) {
        if (error instanceof ApiRefused && error.status === 401) {
            return { ...state, problem: "the API refuses the credentials that were handed out" };
        }
        context.warn(`${state.name}: kept as it was: ${reasonOf(error)}`);
        return state;
    }
}

function reasonOf(error: unknown): string {
    return error instanceof NfvError ? error.reason : error instanceof Error ? error.message : String(error);
}
