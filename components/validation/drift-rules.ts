import { acceptedOf, comparedStep, comparedTitles, isOfCluster } from "../../provider/cluster/known-steps";
import { didYouMean } from "../../provider/common/did-you-mean";
import type { KubernetesClusterArgs } from "../args/args";
import type { PlainArgs } from "../common/plain-args";
import { members } from "../infrastructure/hosts/members";
import type { Problem, Rule } from "./rule";

/** `acceptDrift`: a name that is wrong would accept nothing, and the change would be put back. */
export const driftRules: Rule<PlainArgs> = args =>
    (args.acceptDrift ?? []).flatMap((entry, i, all): Problem[] => {
        const place = `acceptDrift.${i}`;
        const { node, step } = acceptedOf(entry);
        const id = comparedStep(step);
        if (all.indexOf(entry) !== i) return [[place, `"${entry}" is named twice`]];
        if (id === undefined) return [[place, `"${step}" is no step that a refresh looks at${hintFor(step)}`]];
        if (node === undefined) return [];
        if (isOfCluster(id)) return [[place, `"${step}" is done once for the cluster: write it without a node`]];
        const nodes = nodesOf(args);
        if (nodes.length === 0 || nodes.includes(node)) return [];
        return [[place, `there is no node ${node}${didYouMean(node, nodes)}`]];
    });

function hintFor(step: string): string {
    return didYouMean(step, comparedTitles) || `; the steps are: ${comparedTitles.join(", ")}`;
}

/** Servers of a cloud may have names that only the cloud's template knows: they are not compared. */
function nodesOf(args: PlainArgs): string[] {
    return args.infrastructure.hosts ? members(args as KubernetesClusterArgs).map(({ name }) => name) : [];
}
