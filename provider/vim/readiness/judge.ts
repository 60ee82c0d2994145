import { behind, conditionList, conditionsOf, conditionText, field, judgeConditions, notReady, ready } from "./judges";
import { fits, knownRule } from "./known-kinds";
import type { StatusShape } from "./status-shape";
import type { Judge, LiveObject, ReadinessRule, Verdict } from "./types";

/** Rules of a program by kind: "cluster.x-k8s.io/v1beta2/Cluster", in which `*` stands for any text. */
export type ReadinessRules = Readonly<Record<string, ReadinessRule>>;

interface OfKind {
    apiVersion: string;
    kind: string;
}

/** The program's rule for a kind; the first one that fits counts. */
export function programRule({ apiVersion, kind }: OfKind, rules: ReadinessRules): ReadinessRule | undefined {
    return Object.entries(rules).find(([pattern]) => fits(pattern, `${apiVersion}/${kind}`))?.[1];
}

/**
 * Whether an object is ready: by the program's rule, by the table of known kinds, or else by its conditions. `shape`: what its definition
 * says about its status.
 */
export function judge(object: LiveObject, rules: ReadinessRules, shape: StatusShape): Verdict {
    const rule = programRule(object, rules);
    if (rule?.exists) return ready;
    if (object.metadata.deletionTimestamp !== undefined) return notReady("it is being deleted");
    const late = behind(object);
    if (late !== undefined) return notReady(late);
    if (rule !== undefined) return byProgramRule(object, rule);
    const group = object.apiVersion.includes("/") ? object.apiVersion.split("/")[0]! : "";
    const known = knownRule(group, object.kind);
    if (known !== undefined) return known(object) ?? byConditions(object) ?? nothingYet(object);
    return byConditions(object) ?? byShape(object, shape);
}

function byProgramRule(object: LiveObject, rule: ReadinessRule): Verdict {
    if (rule.condition !== undefined) {
        const { status = "True" } = rule;
        const verdict = judgeConditions(object, [rule.condition], { status });
        return verdict ?? notReady(`it has no condition ${rule.condition} yet${seen(object)}`);
    }
    const verdict = field(rule.field!, ...(rule.value === undefined ? [] : [rule.value]))(object);
    return verdict ?? notReady(`it has no ${rule.field} yet`);
}

/**
 * Conditions that say by their name alone that an object is ready, the more telling ones first. Of the first group that an object has, all
 * that it has must be True.
 */
const telling = [
    ["Ready", "Available", "Programmed", "Healthy", "Established"],
    ["Succeeded", "Complete", "Completed"],
    ["Reconciled", "Synced", "Deployed", "Accepted"],
];

/** What kinds have in common: https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md */
const byConditions: Judge = object => {
    const all = conditionsOf(object);
    const isTrue = (type: string) => all.find(each => each.type === type && each.status === "True");
    const stalled = isTrue("Stalled");
    if (stalled !== undefined) return { ...notReady(conditionText(stalled)), stuck: true };
    const reconciling = isTrue("Reconciling");
    if (reconciling !== undefined) return notReady(conditionText(reconciling));
    for (const group of telling) {
        const has = group.filter(type => all.some(each => each.type === type));
        if (has.length === 0) continue;
        const verdict = judgeConditions(object, has);
        if (verdict !== undefined)
            return group === telling[2] && verdict.ready ? { ...verdict, unsure: true } : verdict;
    }
    return undefined;
};

/** There is no condition that says whether it is ready. */
function byShape(object: LiveObject, { has, fields }: StatusShape): Verdict {
    if (has === "none") return ready;
    if (has === "conditions" || conditionsOf(object).length > 0) return nothingYet(object);
    const names = has === "other" ? `a status without conditions (${fields.join(", ")})` : "no conditions";
    return {
        ...ready,
        remark: `has ${names}: it counts as ready because it exists. To wait for a field: ${ruleFor(object, '{ field: "status.…", value: "…" }')}; to say that this is right: ${ruleFor(object, "{ exists: true }")}`,
    };
}

function nothingYet(object: LiveObject): Verdict {
    const all = conditionsOf(object);
    if (all.length === 0) return notReady("it has no conditions yet: is its controller running?");
    return notReady(
        `none of its conditions says whether it is ready${seen(object)}. If one of them does: ${ruleFor(object, '{ condition: "…" }')}`,
    );
}

function seen(object: LiveObject): string {
    const all = conditionsOf(object);
    return all.length === 0 ? "" : `; it has ${conditionList(all)}`;
}

function ruleFor({ apiVersion, kind }: LiveObject, rule: string): string {
    const pattern = apiVersion.includes("/") ? `${apiVersion.split("/")[0]}/*/${kind}` : `${apiVersion}/${kind}`;
    return `readiness: { "${pattern}": ${rule} }`;
}
