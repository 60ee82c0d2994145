import * as pulumi from "@pulumi/pulumi";
import { isKnown, promiseOf, valueIfKnown } from "../../provider/adapters/later";
import { ownState } from "../../provider/adapters/own-state";

type Outputs = Readonly<Record<string, unknown>>;

/** What makes a workload cluster the same one as before. */
export interface SameCluster {
    namespace: string;
    clusterName: string;
    /** Of its management cluster. Undefined: it may have another one, as a cluster that can move. */
    clusterId?: pulumi.Output<string>;
}

/**
 * An output of a cluster's rollout that an update of it leaves as it is. At preview the engine knows no output of a resource that the run updates, and all that
 * uses one would look replaced, network functions too. So what is not known comes from the state then, if that is of the same cluster.
 */
export function asBefore(
    rollout: pulumi.CustomResource,
    same: SameCluster,
): <T>(output: pulumi.Output<T>, name: string) => pulumi.Output<T> {
    if (!pulumi.runtime.isDryRun()) return output => output;
    const former = formerOf(rollout, same);
    return <T>(output: pulumi.Output<T>, name: string) =>
        pulumi.output(
            isKnown(output).then(async known => (known ? output : ((await former)?.[name] ?? output))),
        ) as pulumi.Output<T>;
}

async function formerOf(
    { urn }: pulumi.CustomResource,
    { namespace, clusterName, clusterId }: SameCluster,
): Promise<Outputs | undefined> {
    const [state, known, id] = await Promise.all([ownState(), promiseOf(urn), clusterId && valueIfKnown(clusterId)]);
    const outputs = state[known]?.outputs;
    // without a uid it has not come about yet
    if (outputs === undefined || !outputs["uid"]) return undefined;
    const isSame =
        outputs["namespace"] === namespace &&
        outputs["clusterName"] === clusterName &&
        (clusterId === undefined || outputs["clusterId"] === id);
    return isSame ? outputs : undefined;
}
