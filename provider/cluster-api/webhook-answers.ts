import { setTimeout as sleep } from "node:timers/promises";
import type { NfvError } from "../common/errors";
import type { Context } from "../contract/types";
import { ApiRefused, type KubeApi, type KubeObject, NotYet } from "../vim";
import { notReady, type ProviderWait } from "./provider-pods";

/** A request that one webhook judges and that stores nothing. */
export interface Probe {
    /** "capi-system/capi-webhook-service" */
    service: string;
    path: string;
    body: object;
}

interface Rule {
    operations?: string[];
    apiGroups?: string[];
    apiVersions?: string[];
    resources?: string[];
}

interface Webhook {
    clientConfig: { service?: { namespace: string; name: string } };
    rules?: Rule[];
}

interface Definition {
    spec: { group: string; scope?: string; names: { plural: string; kind: string } };
}

/** Mutating ones are asked before the API server judges the object itself. */
const configurations = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/** One for each Service that has webhooks for kinds of these objects. Pure. */
export function probesOf(objects: readonly KubeObject[]): Probe[] {
    const definitions = objects
        .filter(({ kind }) => kind === "CustomResourceDefinition")
        .map(object => (object as unknown as Definition).spec);
    const webhooks = configurations
        .flatMap(wanted => objects.filter(({ kind }) => kind === wanted))
        .flatMap(object => (object["webhooks"] as Webhook[] | undefined) ?? []);
    const probes = new Map<string, Probe>();
    for (const { clientConfig, rules = [] } of webhooks) {
        const { namespace, name } = clientConfig.service ?? {};
        const service = `${namespace}/${name}`;
        if (namespace === undefined || probes.has(service)) continue;
        const probe = rules.map(rule => requestOf(rule, namespace, definitions)).find(each => each !== undefined);
        if (probe !== undefined) probes.set(service, { service, ...probe });
    }
    return [...probes.values()];
}

function requestOf(
    { operations = [], apiGroups: [group] = [], apiVersions: [version] = [], resources = [] }: Rule,
    namespace: string,
    definitions: readonly Definition["spec"][],
): Omit<Probe, "service"> | undefined {
    if (!operations.some(each => each === "CREATE" || each === "*")) return undefined;
    const definition = definitions.find(each => each.group === group && resources.includes(each.names.plural));
    if (definition === undefined || version === undefined || version === "*") return undefined;
    const { scope = "Namespaced", names } = definition;
    const place = scope === "Namespaced" ? `namespaces/${namespace}/` : "";
    return {
        path: `/apis/${group}/${version}/${place}${names.plural}?dryRun=All`,
        body: { apiVersion: `${group}/${version}`, kind: names.kind, metadata: { generateName: "pulumi-nfv-asks-" } },
    };
}

/** So often in a row: another API server may answer each time, and each has its own rules of kube-proxy. */
const enough = 3;

/**
 * Waits until the API servers reach the webhooks of these objects: available pods are not yet known to kube-proxy on each node, and a
 * call in between is refused for good. @throws PROVIDER_NOT_READY with the API server's words
 */
export async function answeringWebhooks(
    api: KubeApi,
    objects: readonly KubeObject[],
    { name, title, timeoutSeconds }: ProviderWait,
    context: Context,
): Promise<void> {
    const end = Date.now() + timeoutSeconds * 1000;
    for (const probe of probesOf(objects)) {
        for (let answers = 0; answers < enough; ) {
            const failure = await askOnce(api, probe);
            answers = failure === undefined ? answers + 1 : 0;
            if (failure === undefined) continue;
            context.report(`${title}: wait for its webhooks: ${failure.reason}`);
            if (Date.now() > end) {
                const what = `the API server does not reach its webhooks (Service ${probe.service})`;
                throw notReady({ name, title }, `${what} after ${timeoutSeconds} s: ${failure.reason}`);
            }
            await sleep(500, undefined, { signal: context.signal });
        }
    }
}

/** What the API server says of a webhook that answered, although with status 500: it does not like the empty object. */
const reached = /denied the request|an error on the server/;

/** A refusal is an answer, too: of the webhook, or of the API server behind it. */
async function askOnce(api: KubeApi, { path, body }: Probe): Promise<NfvError | undefined> {
    try {
        await api.post(path, body);
        return undefined;
    } catch (error) {
        if (error instanceof NotYet) return reached.test(error.reason) ? undefined : error;
        if (error instanceof ApiRefused) return undefined;
        throw error;
    }
}
