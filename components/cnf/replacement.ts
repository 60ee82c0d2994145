import * as pulumi from "@pulumi/pulumi";
import { NfvError } from "../../provider/errors";
import { isKnown } from "../../provider/later";
import { type ClusterAccess, liveSeconds } from "../../provider/resources/check-cluster";
import { compareUids } from "../../provider/resources/vim-cluster";
import { askClusterUid, KubeApi, settle, settleSeconds } from "../../provider/vim";
import type { ObjectName } from "../../provider/vim/ownership";
import { refuseReplacement } from "../../provider/vim/replacement";

/** What the state has, by URN. */
type StateOutputs = Record<string, { outputs?: Record<string, unknown> } | undefined>;

/** Hooks that the engine runs before it makes something, also at preview. */
export interface ReplacementHooks {
    object: pulumi.ResourceHook;
    provider: pulumi.ResourceHook;
}

/**
 * Refuse what `pulumi up --replace` would do to the objects of network functions and to the provider by which they are applied: as an
 * object that exists is taken up, it would be deleted right after it was "made". `name`: of the provider.
 */
export function replacementHooks(name: string, access: pulumi.Output<ClusterAccess>): ReplacementHooks {
    const known = readStateOnce();
    const object = async ({ urn, newInputs }: pulumi.ResourceHookArgs) => {
        const { metadata } = (await outputsOf(known, urn)) as { metadata?: { uid?: string } };
        if (metadata?.uid === undefined || !(await isKnown(access))) return;
        const to = await promised(access);
        const look = () => refuseReplacement(new KubeApi(to, to.auth), objectName(newInputs as never), metadata.uid!);
        const refused = await settle(pulumi.runtime.isDryRun() ? liveSeconds : settleSeconds, look);
        if (refused !== undefined) throw refused;
    };
    const provider = async ({ urn, newInputs }: pulumi.ResourceHookArgs) => {
        const before = (await outputsOf(known, urn))["clusterIdentifier"] as string | undefined;
        const { clusterIdentifier: after } = newInputs as { clusterIdentifier?: string };
        if (before === undefined) return;
        const refused =
            before === after
                ? [asksForIt, leaveItOut]
                : await renamed(before, String(after), urn, await known(), access);
        if (refused === undefined) return;
        const [cause, hint] = refused as [string, string];
        throw new NfvError({ code: "INVALID_INPUT", node: `the provider ${name}`, cause, hint });
    };
    const hook = (kind: string, look: pulumi.ResourceHookFunction) =>
        new pulumi.ResourceHook(uniqueName(`pulumi-nfv-cnf-${kind}-${name}`), look, { onDryRun: true });
    return { object: hook("object", object), provider: hook("provider", provider) };
}

const asksForIt =
    "Pulumi is to make it anew, and with it all objects of network functions on this Vim, which it would delete then";
const leaveItOut = "Leave it out of --replace. Changed credentials need no replacement.";

/** Why a provider may not be another one for a cluster with another name: it is the same cluster, or may be. */
async function renamed(
    before: string,
    after: string,
    urn: string,
    state: StateOutputs,
    access: pulumi.Output<ClusterAccess>,
): Promise<[cause: string, hint: string] | undefined> {
    const claims = Object.entries(state).filter(([each]) => each.includes("dynamic/nfv:CnfObjects::"));
    const there = claims.map(([, entry]) => entry?.outputs ?? {}).filter(({ clusterId }) => clusterId === before);
    if (there.length === 0 || !(await isKnown(access))) return undefined;
    const seen = await askClusterUid(await promised(access));
    if (there.every(({ clusterUid }) => compareUids(clusterUid as string | undefined, seen) === "other"))
        return undefined;
    const vim = urn.replace(/\$pulumi:providers:kubernetes::(.*)-cnf$/, "$pulumi-nodejs:dynamic/nfv:Vim::$1");
    return [
        `"${after}" is, or may be, the cluster that is called "${before}" in the state: all objects would be made anew there, and then deleted`,
        `If it is the same cluster, give the Vim clusterIdentifier: "${before}"; where the Vim has another name in the state by now, with pulumi up --replace '${vim}'. ` +
            "If it is another one, give the Vim another name.",
    ];
}

function promised<T>(output: pulumi.Output<T>): Promise<T> {
    return (output as unknown as { promise(): Promise<T> }).promise();
}

/** Names of hooks that a program has, by its stack: Vims below different components may have one name, hooks may not. */
const names = new WeakMap<object, Map<string, number>>();

function uniqueName(name: string): string {
    const program = pulumi.runtime.getStackResource() ?? pulumi;
    const counts = names.get(program) ?? new Map<string, number>();
    names.set(program, counts);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name}-${count}`;
}

function objectName(object: ObjectName & { metadata: { name: string; namespace?: string } }): ObjectName {
    const { apiVersion, kind, metadata } = object;
    return { apiVersion, kind, name: metadata.name, ...(metadata.namespace && { namespace: metadata.namespace }) };
}

async function outputsOf(known: () => Promise<StateOutputs>, urn: string): Promise<Record<string, unknown>> {
    return (await known())[urn]?.outputs ?? {};
}

/** A hook is not told what the state has; the engine tells any program what is in a stack's, also in its own. */
function readStateOnce(): () => Promise<StateOutputs> {
    let state: Promise<StateOutputs> | undefined;
    return () => {
        const stackName = `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
        state ??= pulumi.runtime
            .invoke("pulumi:pulumi:readStackResourceOutputs", { stackName })
            .then(({ outputs }) => outputs as StateOutputs);
        return state;
    };
}
