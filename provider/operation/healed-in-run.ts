import { runFacts } from "../contract/run-facts";
import type { InSession } from "../contract/types";
import { hasUnknown } from "../contract/values";
import { dueHeal } from "./heals";
import { beforeOperation } from "./hooks/before-operation";
import { naturally } from "./names";
import type { NodeDescription } from "./operation";
import type { OperationStartInputs } from "./operation-start-inputs";

interface Start extends OperationStartInputs {
    /** Set by a refresh, with Heat: servers that are gone. */
    missing?: Record<string, unknown>;
}

/**
 * Names of the nodes that this run heals: the program requests it, or has another machine in their place, or their server is gone, or an earlier run has not
 * carried that out to its end. A request that was stopped in its middle comes after them, so what is wrong with them does not refuse it at preview.
 */
export function healedInRun(context: InSession, clusterId: string, role?: NodeDescription["role"]): string[] {
    const { program } = runFacts(context);
    const start = program.ofCluster<Start>("OperationStart", clusterId);
    if (start === undefined || hasUnknown([start.news.spec.nodes])) return [];
    const { olds, news } = start;
    const [before, after] = [olds.spec?.nodes ?? {}, news.spec.nodes];
    const isMoved = (name: string) => {
        const [from, to] = [before[name]?.machine, after[name]?.machine];
        return from !== undefined && to !== undefined && !hasUnknown([from, to]) && from !== to;
    };
    const lost = [...Object.keys(olds.missing ?? {}), ...beforeOperation(context, clusterId).lost];
    const { openHeals = [] } =
        program.ofCluster<{ clusterId?: string; openHeals?: string[] }>("ClusterRecord", clusterId)?.news ?? {};
    const open = Array.isArray(openHeals) ? openHeals : [];
    const all = [...(dueHeal(olds, news)?.nodes ?? []), ...Object.keys(after).filter(isMoved), ...lost, ...open];
    return naturally([...new Set(all)].filter(name => after[name] && (role ?? after[name].role) === after[name].role));
}
