import { NfvError } from "../common/errors";
import { ApiRefused, type KubeApi, type KubeObject } from "./api";
import { NotYet, settle } from "./client";
import { applyNamespace, findOrMakeNamespace, removeNamespace } from "./namespaces";
import {
    type AccountObjects,
    accountName,
    accountNamespaces,
    accountObjects,
    listed,
    type Placed,
    tokenLife,
} from "./objects";
import { ownerOf } from "./ownership";
import { enforceLabel, guardingLevels } from "./pod-security";
import type { ServiceAccountSpec } from "./types";

/** How long to retry requests to an API that has just started, in seconds. */
export const rightsWaitSeconds = 60;
/**
 * How long to retry if rights are missing, in seconds: a new API server creates its default role bindings a moment
 * after it answers.
 */
const rightsSeconds = 10;

interface Right {
    verb: string;
    group?: string;
    resource: string;
    namespace?: string;
}

/** The rights that our credentials need to create the account. Pure. */
export function neededRights(spec: ServiceAccountSpec): Right[] {
    const { namespace } = accountName(spec);
    const group = "rbac.authorization.k8s.io";
    const rights = (resource: string, where: Partial<Right>) =>
        ["get", "create", "patch", "delete"].map(verb => ({ verb, resource, ...where }));
    const ownRole = spec.clusterAdmin !== true && spec.clusterRole === undefined;
    const places = accountNamespaces(spec);
    return [
        ...rights("serviceaccounts", { namespace }),
        ...rights("secrets", { namespace }),
        ...(tokenLife(spec) > 0 ? [{ verb: "create", resource: "serviceaccounts/token", namespace }] : []),
        ...rights("clusterrolebindings", { group }),
        ...(ownRole ? rights("clusterroles", { group }) : []),
        ...places.flatMap(place => rights("rolebindings", { group, namespace: place })),
        ...(places.length > 0 ? rights("namespaces", {}) : []),
        ...(spec.quota ? places.flatMap(place => rights("resourcequotas", { namespace: place })) : []),
    ];
}

/** @throws API_REFUSED with a list of the missing rights */
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
            spec: { resourceAttributes: { verb, group, namespace, ...parts(resource) } },
        },
    );
    return review.status?.allowed === true;
}

/** "serviceaccounts/token" is a resource and a subresource. */
function parts(resource: string): { resource: string; subresource?: string } {
    const [name, subresource] = resource.split("/");
    return { resource: name!, ...(subresource !== undefined && { subresource }) };
}

function describe({ verb, group, resource, namespace }: Right): string {
    return `${verb} ${resource}${group ? `.${group}` : ""}${namespace ? ` in namespace ${namespace}` : ""}`;
}

/** Reads the rights of these credentials in a namespace; proves that the API accepts the credentials. */
export async function reviewRules(api: KubeApi, namespace: string): Promise<number> {
    const review = await api.post<{ status?: { resourceRules?: unknown[] } }>(
        "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
        { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace } },
    );
    return review.status?.resourceRules?.length ?? 0;
}

/** How often in a row a new token must be accepted: each request may reach another API server behind the endpoint. */
const acceptances = 5;

/** Waits until all API servers accept a new token: each of them learns of the account and its secret a moment later. */
export function untilAccepted(api: KubeApi, namespace: string): Promise<void> {
    return settle(rightsWaitSeconds, async () => {
        for (let times = 0; times < acceptances; times++) {
            await reviewRules(api, namespace).catch(error => {
                if (!(error instanceof ApiRefused) || error.status !== 401) throw error;
                throw new NotYet({ code: "API_REFUSED", cause: error.reason });
            });
        }
    });
}

export interface MadeAccount {
    token: string;
    /** Namespaces that existed before and whose pod security does not stop pods from taking over their node. */
    unguarded: string[];
}

/** Creates the account with its namespaces, and gets a token. Changes only what carries the owner's mark. */
export async function makeAccount(
    api: KubeApi,
    spec: ServiceAccountSpec,
    generation: number,
    owner: string,
): Promise<MadeAccount> {
    const { namespace } = accountName(spec);
    const objects = accountObjects(spec, generation, owner);
    // A load balancer that drops an API server breaks its connections, so each of these requests is safe to repeat.
    for (const placed of listed(objects)) await settle(rightsWaitSeconds, () => requireOwn(api, placed, owner));
    await settle(rightsWaitSeconds, () => findOrMakeNamespace(api, namespace, owner));
    const unguarded: string[] = [];
    for (const place of accountNamespaces(spec)) {
        if (!(await settle(rightsWaitSeconds, () => prepareNamespace(api, place, spec, owner)))) unguarded.push(place);
    }
    for (const placed of listed(objects)) {
        await settle(rightsWaitSeconds, async () => {
            await requireOwn(api, placed, owner);
            await api.apply(placed.path, placed.object);
        });
    }
    return { token: await settle(rightsWaitSeconds, () => tokenOf(api, spec, objects)), unguarded };
}

/** @returns whether its pods are prevented from taking over their node */
async function prepareNamespace(
    api: KubeApi,
    name: string,
    { podSecurity = "baseline" }: ServiceAccountSpec,
    owner: string,
): Promise<boolean> {
    const found = await findOrMakeNamespace(api, name, owner);
    if (ownerOf(found) !== owner) return guardingLevels.includes(found.metadata.labels?.[enforceLabel] ?? "");
    const metadata = { name, labels: { [enforceLabel]: podSecurity } };
    await applyNamespace(api, { apiVersion: "v1", kind: "Namespace", metadata }, owner);
    return true;
}

async function tokenOf(api: KubeApi, spec: ServiceAccountSpec, objects: AccountObjects): Promise<string> {
    if (tokenLife(spec) === 0) return tokenIn(await api.get(objects.tokenSecret.path));
    const { name } = objects.tokenSecret.object.metadata;
    const answer = await api.post<{ status: { token: string } }>(`${objects.account.path}/token`, {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        // Bound to the secret: deleting the secret ends all tokens of this generation.
        spec: { expirationSeconds: tokenLife(spec), boundObjectRef: { apiVersion: "v1", kind: "Secret", name } },
    });
    return answer.status.token;
}

/** Refuses objects that others made: they would be deleted with the Vim. */
async function requireOwn(api: KubeApi, { path, object }: Placed, owner: string): Promise<void> {
    const existing = await api.metadata(path);
    if (existing !== undefined && ownerOf(existing) !== owner) {
        const who = ownerOf(existing) ? `made by ${ownerOf(existing)}` : "not made by pulumi-nfv";
        throw new NfvError({
            code: "NOT_OURS",
            cause: `${object.kind} ${object.metadata.name} exists already: ${who}`,
            hint: "Give serviceAccount another name.",
        });
    }
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

/** Deletes the owner's objects of `old`, except those that `kept` still has. */
export async function removeAccount(
    api: KubeApi,
    old: AccountObjects,
    owner: string,
    kept?: AccountObjects,
): Promise<void> {
    const keep = new Set(kept ? listed(kept).map(({ path }) => path) : []);
    for (const { path } of listed(old).reverse()) {
        if (keep.has(path)) continue;
        const existing = await api.metadata(path);
        if (existing !== undefined && ownerOf(existing) === owner) await api.delete(path);
    }
}

/** @returns why namespaces stay */
export async function removeNamespaces(
    api: KubeApi,
    old: ServiceAccountSpec,
    owner: string,
    kept?: ServiceAccountSpec,
): Promise<string[]> {
    const keep = kept ? [...accountNamespaces(kept), accountName(kept).namespace] : [];
    const stay: string[] = [];
    for (const name of [...accountNamespaces(old), accountName(old).namespace]) {
        if (!keep.includes(name)) stay.push(await removeNamespace(api, name, owner));
    }
    // It is normal that a namespace that others made stays.
    return stay.filter(why => why !== "" && !why.includes("is not the one"));
}
