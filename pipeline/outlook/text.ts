import type { Plan } from "../plan/plan";
import { serviceText } from "../plan/service";
import { aboutSeconds } from "./estimate";

/**
 * What users of the clusters notice and how long it takes, a line for each cluster: "core: about 4 min; API of the cluster available throughout; pods of w1 move
 * once". The time is that of the whole run. Empty: nothing of it is known. Pure.
 */
export function outlookLines({ service = {}, estimate, operations }: Plan): string[] {
    const time = estimate === undefined ? [] : [aboutSeconds(estimate.seconds)];
    const clusters = Object.entries(service);
    const [only] = clusters;
    if (clusters.length === 1 && operations.every(({ cluster }) => cluster === only![0]))
        return [`${only![0]}: ${[...time, ...serviceText(only![1])].join("; ")}`];
    return [...time, ...clusters.map(([cluster, each]) => `${cluster}: ${serviceText(each).join("; ")}`)];
}
