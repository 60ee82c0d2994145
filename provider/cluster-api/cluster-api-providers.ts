import { readFile } from "node:fs/promises";
import { NfvError } from "../common/errors";
import { type Deletion, giveUpVariable, unlessGivenUp } from "../contract/give-up";
import { lookOrKeep } from "../contract/look-or-keep";
import type { CommonInputs, Context, ResourceType } from "../contract/types";
import { changed, hasUnknown, same, topLevel } from "../contract/values";
import { type KubeObject, settle } from "../vim";
import { apiOf, asFailures, type ClusterAccess, liveSeconds } from "../vim/check-cluster";
import {
    checkProviders,
    checkReleases,
    endingContracts,
    newWebhookKeys,
    type ProviderSpec,
    providerObjects,
    renewalDue,
    renewedWebhookKeys,
    type WebhookKeys,
} from ".";
import { inventoryDefinition } from "./inventory";
import { inOrder, labelOf } from "./provider-names";
import { ManagementObjects, type ObjectReference, referenceOf } from "./provider-objects";
import { availableProvider } from "./provider-pods";
import { trustedAuthorities } from "./trusted-authorities";
import { answeringWebhooks } from "./webhook-answers";

/** A provider, with a file in place of its text: definitions have a megabyte. */
export interface ClusterApiProviderInput extends Omit<ProviderSpec, "components" | "variables"> {
    /** Where the file is on this machine; not compared. */
    componentsFile: string;
    componentsHash: string;
}

export interface ClusterApiProvidersInputs extends CommonInputs {
    /** Name of the resource, for messages. */
    name: string;
    /** Mark on the objects. */
    owner: string;
    /** Of the cluster. */
    clusterId: string;
    /** Kubernetes of the cluster: "v1.36.3". */
    serverVersion: string;
    /** Secret. */
    access: ClusterAccess;
    providers: ClusterApiProviderInput[];
    /** Values of variables by the provider's label. Secret: some infrastructure providers get their login to the cloud so. */
    variables?: Record<string, Record<string, string>>;
    imageRepository?: string;
    /** How long a provider may take until its pods are available, in seconds. */
    timeoutSeconds: number;
}

export interface ClusterApiProvidersState extends ClusterApiProvidersInputs {
    /** Secret. */
    keys: WebhookKeys;
    /** Our objects by provider: what is removed with it. */
    objects: Record<string, ObjectReference[]>;
    /** Versions by provider. */
    versions: Record<string, string>;
    /** ISO 8601. */
    renewalDue: string;
    /** The last run failed on the way, or a refresh missed objects: the next `up` applies all again. */
    pending?: boolean;
}

/** The providers of Cluster API on a management cluster, with clusterctl's inventory. */
export const clusterApiProviders: ResourceType<ClusterApiProvidersInputs, ClusterApiProvidersState> = {
    check: (_olds, news) => ({
        inputs: news,
        failures: hasUnknown([news.providers, news.serverVersion]) ? [] : asFailures(misfit(news)),
        notes: hasUnknown(news.providers) ? [] : endingContracts(news.providers),
    }),
    needsCheckInCloud: (olds, news) =>
        !hasUnknown([news.providers, news.variables, news.access, news.owner]) && !same(compared(olds), compared(news)),
    checkInCloud: async (_olds, news, context) => {
        try {
            const specs = await specsOf(news);
            const keys = await newWebhookKeys(specs);
            return { failures: asFailures(await foreign(objectsOf(news, specs, keys).flat(), news)) };
        } catch (error) {
            if (!(error instanceof NfvError) || error.code === "INVALID_INPUT") throw error;
            context.report(`whether the names are free is asked later: ${error.reason}`);
            return { failures: [] };
        }
    },
    diff: (_id, olds, news) => {
        const replaces = changed(olds, news, ["clusterId", "owner"]);
        const isDue = olds.renewalDue !== undefined && Date.parse(olds.renewalDue) <= Date.now();
        const changes =
            replaces.length > 0 ||
            isDue ||
            olds.pending === true ||
            !same(compared(olds), compared(news)) ||
            changed(olds, news, ["access", "timeoutSeconds"]).length > 0;
        return {
            changes,
            replaces: topLevel(replaces),
            deleteBeforeReplace: true,
            ...(isDue && { note: `certificates of its webhooks are due since ${olds.renewalDue}` }),
        };
    },
    create: async (inputs, context) => {
        const specs = await specsOf(inputs);
        const id = `${inputs.clusterId}/${inputs.name}`;
        const keys = await keysAfterKill(inputs, specs, await newWebhookKeys(specs));
        return { id, outs: await install(id, {}, inputs, { specs, keys }, context) };
    },
    update: async (id, olds, news, context) => {
        const specs = await specsOf(news);
        const keys = await renewedWebhookKeys(olds.keys, specs);
        return { outs: await install(id, olds.objects, news, { specs, keys }, context) };
    },
    read: (id, state, context) =>
        lookOrKeep(state.name, { id, props: state }, context, async () => {
            const missing = await settle(liveSeconds, () =>
                new ManagementObjects(apiOf(state.access)).missing(Object.values(state.objects).flat(), state.owner),
            );
            if (missing.length > 0)
                context.warn(`${state.name}: missing in the cluster: ${missing.map(titleOf).join(", ")}`);
            return { id, props: { ...state, ...(missing.length > 0 && { pending: true }) } };
        }),
    delete: async (_id, state, context) => {
        const deletion: Deletion = {
            clusterId: state.clusterId,
            name: `management:${state.name}`,
            mayLive: error => mayLive(error, state),
            leave: reason => context.warn(`${state.name} was given up: Cluster API was not removed: ${reason}`),
        };
        await unlessGivenUp(deletion, () => remove(state, context));
    },
};

/** What decides whether something is applied again. */
const compared = ({ providers, variables, imageRepository }: Partial<ClusterApiProvidersInputs>) => ({
    providers: providers?.map(({ componentsFile: _, ...rest }) => rest),
    variables,
    imageRepository,
});

const titleOf = ({ kind, name }: ObjectReference) => `${kind} ${name}`;

function misfit({ providers, serverVersion }: ClusterApiProvidersInputs): NfvError | undefined {
    try {
        checkProviders(providers);
        checkReleases(providers, { management: serverVersion.replace(/^v/, "") });
        return undefined;
    } catch (error) {
        if (error instanceof NfvError) return error;
        throw error;
    }
}

async function specsOf({ providers, variables = {} }: ClusterApiProvidersInputs): Promise<ProviderSpec[]> {
    return Promise.all(
        providers.map(async ({ componentsFile, componentsHash: _, ...rest }) => ({
            ...rest,
            variables: variables[labelOf(rest)] ?? {},
            components: await readFile(componentsFile, "utf8"),
        })),
    );
}

/** In the order of installation; the first row is the inventory's kind. */
function objectsOf(
    { imageRepository }: ClusterApiProvidersInputs,
    providers: ProviderSpec[],
    keys: WebhookKeys,
): KubeObject[][] {
    const all = providerObjects({ providers, keys, ...(imageRepository !== undefined && { imageRepository }) });
    return [[inventoryDefinition()], ...all.map(({ objects }) => objects)];
}

async function foreign(
    objects: readonly KubeObject[],
    { access, owner, name }: ClusterApiProvidersInputs,
): Promise<NfvError | undefined> {
    const others = await settle(liveSeconds, () =>
        new ManagementObjects(apiOf(access)).ofOthers(objects.map(referenceOf), owner),
    );
    if (others.length === 0) return undefined;
    const shown = others.slice(0, 10).map(titleOf).join(", ");
    return new NfvError({
        code: "NOT_OURS",
        node: `ManagementCluster "${name}"`,
        cause: `these objects exist already, and were made by others: ${shown}${others.length > 10 ? ` and ${others.length - 10} more` : ""}`,
        hint: "Cluster API is installed there already: leave this resource out, and give WorkloadCluster the input managementVim. It cannot be on a cluster twice.",
    });
}

/** Kinds that name an authority of webhooks. */
const trusting = ["Secret", "ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"];

/** A run that was killed has left webhooks of ours, whose keys no state has. Their pods go on with them for about a minute, so their authorities stay trusted. */
async function keysAfterKill(
    inputs: ClusterApiProvidersInputs,
    specs: ProviderSpec[],
    keys: WebhookKeys,
): Promise<WebhookKeys> {
    const asked = objectsOf(inputs, specs, keys)
        .flat()
        .filter(({ kind }) => trusting.includes(kind));
    const cluster = new ManagementObjects(apiOf(inputs.access));
    const left = await settle(liveSeconds, () => cluster.whole(asked.map(referenceOf), inputs.owner));
    return { ...keys, formerAuthorities: trustedAuthorities(left) };
}

interface Material {
    specs: ProviderSpec[];
    keys: WebhookKeys;
}

/**
 * One provider after the other, each awaited: the next one uses the kinds of the one before. An error keeps what may be there, so that the next run goes
 * on, or removes it.
 */
async function install(
    id: string,
    former: Record<string, ObjectReference[]>,
    inputs: ClusterApiProvidersInputs,
    { specs, keys }: Material,
    context: Context,
): Promise<ClusterApiProvidersState> {
    const rows = objectsOf(inputs, specs, keys);
    context.report("look whether the names are free");
    const problem = await foreign(rows.flat(), inputs);
    if (problem !== undefined) throw problem;
    const labels = ["inventory", ...inOrder(specs).map(labelOf)];
    const objects = Object.fromEntries(rows.map((row, i) => [labels[i]!, row.map(referenceOf)]));
    const versions = Object.fromEntries(specs.map(spec => [labelOf(spec), spec.version]));
    const state: ClusterApiProvidersState = {
        ...inputs,
        keys,
        objects,
        versions,
        renewalDue: renewalDue(keys),
        pending: false,
    };
    const cluster = new ManagementObjects(apiOf(inputs.access));
    const without = Object.entries(former).filter(([label]) => objects[label] === undefined);
    const used = await settle(liveSeconds, () => cluster.inUse(without.flatMap(([, each]) => each)));
    if (used.length > 0) throw providerInUse(inputs.name, used);
    try {
        for (const [i, row] of rows.entries()) {
            await cluster.applyAll(row, inputs, { title: labels[i]!, context });
            const wait = { ...inputs, title: labels[i]! };
            await availableProvider(apiOf(inputs.access), row, wait, context);
            await answeringWebhooks(apiOf(inputs.access), row, wait, context);
        }
        await cluster.removeAll(leftOut(former, objects), inputs.owner, context);
        return state;
    } catch (error) {
        const properties = { ...state, objects: joined(former, objects), pending: true };
        throw Object.assign(error as Error, { id, properties, reasons: [(error as Error).message] });
    }
}

const providerInUse = (name: string, used: readonly string[]) =>
    new NfvError({
        code: "CLUSTER_IN_USE",
        node: `ManagementCluster "${name}"`,
        cause: `a provider is not in the program any more, and the cluster has objects of its kinds: ${used.join(", ")}`,
        hint: "Only its controllers keep them, and remove what they have in a cloud. Remove them first, or give the provider again.",
    });

const keyOf = ({ apiVersion, kind, namespace = "", name }: ObjectReference) =>
    [apiVersion.split("/")[0], kind, namespace, name].join(" ");

/** Objects that no provider has any more. Definitions stay: with one, all objects of its kind would go. */
function leftOut(former: Record<string, ObjectReference[]>, now: Record<string, ObjectReference[]>): ObjectReference[] {
    const wanted = new Set(Object.values(now).flat().map(keyOf));
    return Object.values(former)
        .flat()
        .filter(each => each.kind !== "CustomResourceDefinition" && !wanted.has(keyOf(each)));
}

function joined(
    former: Record<string, ObjectReference[]>,
    now: Record<string, ObjectReference[]>,
): Record<string, ObjectReference[]> {
    return { ...now, former: leftOut(former, now) };
}

/** @throws CLUSTER_IN_USE */
async function remove(state: ClusterApiProvidersState, context: Context): Promise<void> {
    const cluster = new ManagementObjects(apiOf(state.access));
    context.report("look for workload clusters");
    const left = await settle(liveSeconds, () => cluster.workloadClusters());
    if (left.length > 0) {
        throw new NfvError({
            code: "CLUSTER_IN_USE",
            node: `ManagementCluster "${state.name}"`,
            step: "remove Cluster API",
            cause: `it keeps these workload clusters: ${left.join(", ")}`,
            hint: "Only Cluster API can remove their servers from the cloud: destroy them first, or move them to another management cluster (MovedClusters, or clusterctl move). Then run the same command again. If you only took the ManagementCluster out of the program: put it back, it is still there and unchanged.",
        });
    }
    await cluster.removeAll(inOrderOfRemoval(state), state.owner, context);
}

/** The last that was installed goes first, and the inventory's kind last. The state does not keep the order of its keys. */
function inOrderOfRemoval({ objects, providers }: ClusterApiProvidersState): ObjectReference[] {
    const installed = ["inventory", ...inOrder(providers).map(labelOf)];
    const others = Object.keys(objects).filter(label => !installed.includes(label));
    return [...installed, ...others].flatMap(label => objects[label] ?? []).reverse();
}

function mayLive(error: NfvError, { name, clusterId, access }: ClusterApiProvidersState): NfvError {
    if (error.code === "CLUSTER_IN_USE") return error;
    const { code, step, reason, output } = error;
    const hint =
        `${error.hint}\nMake ${access.endpoint} answer, then run the same command again. If this cluster is gone for good, and no workload cluster of it is left in a cloud, ` +
        `say so by name: ${giveUpVariable}=${clusterId}/management:${name} pulumi destroy`;
    return new NfvError({ code, node: `ManagementCluster "${name}"`, step, cause: reason, hint, output });
}
