import { runFacts } from "../contract/run-facts";
import type { InSession } from "../contract/types";
import { hasUnknown } from "../contract/values";
import { dueHeal } from "./heals";
import { beforeOperation } from "./hooks/before-operation";
import { naturally } from "./names";
import type { OperationStartInputs } from "./operation-start-inputs";

interface Start extends OperationStartInputs {
    /** Set by a refresh, with Heat: servers that are gone. */
    missing?: Record<string, unknown>;
}

/**
 * Names of the nodes that this run heals: the program requests it, or has another machine in their place, or their server is gone. A request that was stopped in its
 * middle comes after them, so what is wrong with them does not refuse it at preview.
 */
export function healedInRun(context: InSession, clusterId: string): string[] {
    const start = runFacts(context).program.ofCluster<Start>("OperationStart", clusterId);
    if (start === undefined) return [];
    const { olds, news } = start;
    const [before, after] = [olds.spec?.nodes ?? {}, news.spec.nodes];
    if (hasUnknown(after)) return [];
    const isMoved = (name: string) => {
        const [from, to] = [before[name]?.machine, after[name]?.machine];
        return from !== undefined && to !== undefined && from !== to;
    };
    const lost = [...Object.keys(olds.missing ?? {}), ...beforeOperation(context, clusterId).lost];
    const requested = dueHeal(olds, news)?.nodes ?? [];
    const all = [...requested, ...Object.keys(after).filter(isMoved), ...lost];
    return naturally([...new Set(all)].filter(name => Object.hasOwn(after, name)));
}
