import * as pulumi from "@pulumi/pulumi";
import { hasRuntime } from "../../provider/common/bundle";
import type { NodeMachine } from "../infrastructure/infrastructure";
import type { ClusterPlan, HostDraft } from "./cluster-plan";

/**
 * The machines that exist, for the look of a preview at those that are new. Each is a text of its own, so that one whose address is not known yet keeps
 * no other from being looked at. A run looks at each machine when it begins there.
 */
export function toLookAt(nodes: readonly NodeMachine[], { hosts }: Pick<ClusterPlan, "hosts">) {
    const existing = nodes.filter(({ server }) => server === undefined);
    if (!pulumi.runtime.isDryRun() || existing.length === 0) return {};
    const texts = existing.map(({ name, connection, programPath }) => [
        name,
        pulumi.jsonStringify({ wish: wishOf(hosts[name]!), connection, programPath }),
    ]);
    return { toLookAt: Object.fromEntries(texts) as Record<string, pulumi.Output<string>> };
}

/** Without what names other machines, holds logins or is long. */
function wishOf({ source, proxy, ...host }: HostDraft) {
    const { name, role, address, kubernetesVersion, endpoint, resolvConf, oldCgroups } = host;
    const { bundle } = source;
    return {
        ...(proxy && { proxied: true }),
        ...(hasRuntime(bundle?.files) && { runtimeFromBundle: true }),
        ...{ name, role, address, kubernetesVersion, endpoint, resolvConf, oldCgroups },
        source: bundle === undefined ? source : { bundle: { path: bundle.path } },
    };
}
