import { NfvError } from "../errors";
import { ApiRefused, type KubeApi, type KubeObject } from "./api";
import { NotYet, settle } from "./client";
import { type AccountObjects, accountName, accountObjects, listed, ownLabels, type Placed } from "./objects";
import type { ServiceAccountSpec } from "./types";

/** How long a fresh API is waited for, in seconds. */
export const settleSeconds = 60;
/** How long missing rights are asked for again: a fresh API server binds its own roles a moment after it answers. */
const rightsSeconds = 10;

interface Right {
    verb: string;
    group?: string;
    resource: string;
    namespace?: string;
}

/** Pure: what making the account asks of whom we are. */
export function neededRights(spec: ServiceAccountSpec): Right[] {
    const { namespace } = accountName(spec);
    const group = "rbac.authorization.k8s.io";
    const rights = (resource: string, where: Partial<Right>) =>
        ["get", "create", "patch", "delete"].map(verb => ({ verb, resource, ...where }));
    const ownRole = spec.clusterAdmin !== true && spec.clusterRole === undefined;
    return [
        ...rights("serviceaccounts", { namespace }),
        ...rights("secrets", { namespace }),
        ...rights("clusterrolebindings", { group }),
        ...(ownRole ? rights("clusterroles", { group }) : []),
    ];
}

/** @throws API_REFUSED with the list of what is missing */
export async function requireRights(api: KubeApi, spec: ServiceAccountSpec): Promise<void> {
    const missing = async () => {
        const asked = neededRights(spec).map(async right => ({ right, allowed: await isAllowed(api, right) }));
        return (await Promise.all(asked)).filter(({ allowed }) => !allowed).map(({ right }) => describe(right));
    };
    const end = Date.now() + rightsSeconds * 1000;
    let lacks = await missing();
    while (lacks.length > 0 && Date.now() < end) {
        await new Promise(resolve => setTimeout(resolve, 2000));
        lacks = await missing();
    }
    if (lacks.length > 0) {
        throw new NfvError({
            code: "API_REFUSED",
            cause: `the credentials given lack these rights:\n${lacks.join("\n")}`,
            hint: "Give credentials that may do this, or leave serviceAccount out to hand out the credentials themselves.",
        });
    }
}

async function isAllowed(api: KubeApi, { verb, group = "", resource, namespace }: Right): Promise<boolean> {
    const review = await api.post<{ status?: { allowed?: boolean } }>(
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        {
            apiVersion: "authorization.k8s.io/v1",
            kind: "SelfSubjectAccessReview",
            spec: { resourceAttributes: { verb, group, resource, namespace } },
        },
    );
    return review.status?.allowed === true;
}

function describe({ verb, group, resource, namespace }: Right): string {
    return `${verb} ${resource}${group ? `.${group}` : ""}${namespace ? ` in namespace ${namespace}` : ""}`;
}

/** What whoever asks may do in a namespace: proves that credentials are accepted. */
export async function reviewRules(api: KubeApi, namespace: string): Promise<number> {
    const review = await api.post<{ status?: { resourceRules?: unknown[] } }>(
        "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
        { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace } },
    );
    return review.status?.resourceRules?.length ?? 0;
}

/** How often in a row a new token must be accepted: each request may meet another API server behind the endpoint. */
const acceptances = 5;

/** Waits until a token made just now is known to the API servers: each of them learns of the account and its secret a moment later. */
export function untilAccepted(api: KubeApi, namespace: string): Promise<void> {
    return settle(settleSeconds, async () => {
        for (let times = 0; times < acceptances; times++) {
            await reviewRules(api, namespace).catch(error => {
                if (!(error instanceof ApiRefused) || error.status !== 401) throw error;
                throw new NotYet({ code: "API_REFUSED", cause: error.reason });
            });
        }
    });
}

/** Makes the account and returns its token. */
export async function makeAccount(api: KubeApi, spec: ServiceAccountSpec, generation: number): Promise<string> {
    const { namespace } = accountName(spec);
    const objects = accountObjects(spec, generation);
    // A load balancer cuts what runs on an API server that it takes out: each of these can be said twice.
    await settle(settleSeconds, () => ensureNamespace(api, namespace));
    for (const placed of listed(objects)) {
        await settle(settleSeconds, () => applyOwn(api, placed));
    }
    return settle(settleSeconds, async () => tokenIn(await api.get(objects.tokenSecret.path)));
}

async function ensureNamespace(api: KubeApi, namespace: string): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}`;
    if ((await api.get(path)) === undefined) {
        await api.apply(path, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    }
}

/** What others made is not taken over: it would be deleted with the Vim. */
async function applyOwn(api: KubeApi, { path, object }: Placed): Promise<void> {
    const existing = await api.get(path);
    if (existing !== undefined && !isOwn(existing)) {
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `${object.kind} ${object.metadata.name} exists already and was not made by pulumi-nfv`,
            hint: "Give serviceAccount another name.",
        });
    }
    await api.apply(path, object);
}

function isOwn({ metadata }: KubeObject): boolean {
    return Object.entries(ownLabels).every(([label, value]) => metadata.labels?.[label] === value);
}

function tokenIn(secret: KubeObject | undefined): string {
    const token = (secret?.data as Record<string, string> | undefined)?.token;
    if (token === undefined) {
        throw new NotYet({
            code: "API_UNREACHABLE",
            cause: "the account's secret was not filled with a token",
            hint: "The controller manager does that: check that it runs on the control plane.",
        });
    }
    return Buffer.from(token, "base64").toString();
}

/** Deletes what is ours of `old`, except what `kept` still has. */
export async function removeAccount(api: KubeApi, old: AccountObjects, kept?: AccountObjects): Promise<void> {
    const keep = new Set(kept ? listed(kept).map(({ path }) => path) : []);
    for (const { path } of listed(old).reverse()) {
        if (keep.has(path)) continue;
        const existing = await api.get(path);
        if (existing !== undefined && isOwn(existing)) await api.delete(path);
    }
}
