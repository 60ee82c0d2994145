import type { StepBody } from "../../../../provider/steps/types";
import { plannedCluster } from "../../components/planned-cluster";
import { triedChanges } from "../../components/schema/tried-changes";
import { stepLists } from "./step-lists";

/** The same data with one of its leaves changed, for each leaf. */
function* withEachLeafChanged(value: unknown): Generator<unknown> {
    if (typeof value === "string") yield* [`${value}9`, ""];
    else if (typeof value === "number") yield value + 1;
    else if (typeof value === "boolean") yield !value;
    else if (Array.isArray(value)) {
        if (value.length > 0) yield value.slice(1);
        for (const [i, each] of value.entries()) {
            for (const changed of withEachLeafChanged(each)) yield value.map((old, at) => (at === i ? changed : old));
        }
    } else if (value !== null && typeof value === "object") {
        for (const [key, each] of Object.entries(value)) {
            for (const changed of withEachLeafChanged(each)) yield { ...value, [key]: changed };
            const { [key]: _, ...others } = value as Record<string, unknown>;
            yield others;
        }
    }
}

/** A factory may fail for a spec that validation would refuse; this test ignores it. */
function bodiesOrNone(make: () => StepBody[]): StepBody[] {
    try {
        return make();
    } catch {
        return [];
    }
}

/** Steps of all lists: for the samples, for samples with one value changed, and for a change of each input of a cluster. */
export async function variedBodies(): Promise<StepBody[]> {
    const ofLists = Object.values(await stepLists()).flatMap(({ specs, bodiesOf }) =>
        specs.flatMap(spec => [spec, ...withEachLeafChanged(spec)].flatMap(each => bodiesOrNone(() => bodiesOf(each)))),
    );
    // Most changes begin with the same cluster.
    const clusters = Object.values(triedChanges).flatMap(({ before, after }) => [before, after]);
    const different = new Map(clusters.map(args => [JSON.stringify(args), args]));
    const ofClusters = [...different.values()].flatMap(args => plannedCluster(args).steps.map(({ step }) => step));
    return [...ofLists, ...ofClusters];
}
