import type * as pulumi from "@pulumi/pulumi";
import { isEngine, programSession, resourceHook } from "../../provider/adapters/hooks";
import { isKnown, promiseOf } from "../../provider/adapters/later";
import { ownState } from "../../provider/adapters/own-state";
import { NfvError, type NfvErrorDetails } from "../../provider/common/errors";
import type { RunSession } from "../../provider/common/run-session";
import { askClusterUid, KubeApi, rightsWaitSeconds, settle } from "../../provider/vim";
import type { ClusterAccess } from "../../provider/vim/check-cluster";
import type { ObjectName } from "../../provider/vim/ownership";
import { refuseReplacement } from "../../provider/vim/replacement";
import { compareUids } from "../../provider/vim/vim-cluster";

/** Hooks that the engine runs before it creates a resource; none if the engine does not support hooks. */
export interface ReplacementHooks {
    object?: pulumi.ResourceHookBinding;
    provider?: pulumi.ResourceHookBinding;
}

/**
 * Refuses `pulumi up --replace` for the objects of network functions and for the provider `name` that applies them: creating an
 * object that exists only updates it, and the engine would then delete it as the old one.
 */
export function replacementHooks(name: string, access: pulumi.Output<ClusterAccess>): ReplacementHooks {
    const session = programSession();
    const object = async ({ urn, newInputs }: pulumi.ResourceHookArgs) => {
        const { metadata } = (await outputsOf(urn, session)) as { metadata?: { uid?: string } };
        if (metadata?.uid === undefined || !(await isKnown(access))) return;
        const to = await promiseOf(access);
        const look = () => refuseReplacement(new KubeApi(to, to.auth), objectName(newInputs as never), metadata.uid!);
        const refused = await settle(rightsWaitSeconds, look);
        if (refused !== undefined) throw refused;
    };
    const provider = async ({ urn, newInputs }: pulumi.ResourceHookArgs) => {
        const before = (await outputsOf(urn, session))["clusterIdentifier"] as string | undefined;
        const { clusterIdentifier: after } = newInputs as { clusterIdentifier?: string };
        if (before === undefined) return;
        const refused = before === after ? asksForIt : await renamed(before, String(after), urn, access, session);
        if (refused !== undefined)
            throw new NfvError({ code: "INVALID_INPUT", node: `the provider ${name}`, ...refused });
    };
    if (!isEngine()) return {};
    return {
        // Not at preview: the plugin's own replacements delete the object first, and at preview it still exists.
        object: { beforeCreate: [resourceHook(`pulumi-nfv-cnf-object-${name}`, object)] },
        provider: { beforeCreate: [resourceHook(`pulumi-nfv-cnf-provider-${name}`, provider, { onDryRun: true })] },
    };
}

type Refusal = Pick<NfvErrorDetails, "cause" | "hint">;

const asksForIt: Refusal = {
    cause: "Pulumi would recreate it, and with it all objects of network functions on this Vim, and would then delete the old ones, which are the same objects",
    hint: "Leave it out of --replace. Changed credentials need no replacement.",
};

/** Why a provider's cluster may not be renamed: it is the same cluster, or may be. */
async function renamed(
    before: string,
    after: string,
    urn: string,
    access: pulumi.Output<ClusterAccess>,
    session: RunSession,
): Promise<Refusal | undefined> {
    const claims = Object.entries(await ownState(session)).filter(([each]) =>
        each.includes("dynamic/nfv:CnfObjects::"),
    );
    const there = claims.map(([, entry]) => entry?.outputs ?? {}).filter(({ clusterId }) => clusterId === before);
    if (there.length === 0 || !(await isKnown(access))) return undefined;
    const seen = await askClusterUid(await promiseOf(access));
    if (there.every(({ clusterUid }) => compareUids(clusterUid as string | undefined, seen) === "other"))
        return undefined;
    const vim = urn.replace(
        /\$pulumi:providers:kubernetes::(.*)-cnf$/,
        "$pulumi-nodejs:dynamic/nfv:VimRegistration::$1",
    );
    return {
        cause: `"${after}" is, or may be, the cluster that is called "${before}" in the state: all objects would be recreated there, and then deleted`,
        hint:
            `If it is the same cluster, give the Vim clusterIdentifier: "${before}"; where the Vim has another name in the state by now, with pulumi up --replace '${vim}'. ` +
            "If it is another one, give the Vim another name.",
    };
}

function objectName(object: ObjectName & { metadata: { name: string; namespace?: string } }): ObjectName {
    const { apiVersion, kind, metadata } = object;
    return { apiVersion, kind, name: metadata.name, ...(metadata.namespace && { namespace: metadata.namespace }) };
}

async function outputsOf(urn: string, session: RunSession): Promise<Record<string, unknown>> {
    return (await ownState(session))[urn]?.outputs ?? {};
}
