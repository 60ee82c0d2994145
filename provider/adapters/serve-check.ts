import { isAsBefore } from "../contract/packed";
import { runFacts } from "../contract/run-facts";
import type { Checked } from "../contract/types";
import { isMachine } from "../machine/stored-machine";
import { resourceType } from "./descriptors";
import { isMemory, refusedReplacement } from "./irreplaceable";
import { noteInputs } from "./noted-inputs";
import {
    closed,
    isDecidedByInputs,
    isSameQuestion,
    isText,
    machineInputs,
    open,
    type Properties,
    plain,
    urnIn,
    withoutProvider,
} from "./properties";
import { leavesRequest } from "./repair-run";
import type { ServedRun } from "./served-run";

/** Notes what the program has of the resource, and answers what is wrong with it. `all`: as the program sends it. */
export async function checkIn(
    run: ServedRun,
    type: string,
    olds: Properties,
    all: Properties,
): Promise<Checked<object>> {
    const { program } = runFacts(run);
    const news = open(type, all);
    const urn = urnIn(news);
    // Few ask for the stored ones, and to unpack those of all machines takes time.
    const given = {
        news,
        get olds() {
            return open(type, olds ?? {});
        },
    };
    program.note(type, urn, given);
    noteInputs(urn, withoutProvider(all), process.env, program.freshMarks);
    try {
        return run.noted(await answer(run, type, olds ?? {}, all));
    } catch (error) {
        return run.failed(error);
    }
}

function answer(
    run: ServedRun,
    type: string,
    olds: Properties,
    all: Properties,
): Checked<object> | Promise<Checked<object>> {
    const { known, ...others } = all;
    const news = isMemory(type) ? others : all;
    const refused = refusedReplacement(type, olds, known, news.resourceUrn);
    if (refused.length > 0) return { inputs: news, failures: refused };
    const machine = isMachine(type) ? machineInputs(type, news) : undefined;
    if (machine !== undefined && isAsBefore(olds, machine)) return { inputs: machine, failures: [] };
    if (isDecidedByInputs(type) && isSameQuestion(type, olds, news))
        return { inputs: withoutProvider(news), failures: [] };
    if (isText(news.problems)) return { inputs: news, failures: [{ property: "", reason: news.problems }] };
    const resource = resourceType(type);
    const [before, after] = [open(type, olds), open(type, news)];
    const { notes = [], ...checked } = resource.check(before, after, { session: run.session });
    const found = plain({ ...checked, inputs: machine ?? closed(type, news, checked.inputs) });
    if ((checked.failures ?? []).length > 0) return found;
    for (const text of notes) run.messages.note(run.contextOf(type, news).urn, text);
    if (leavesRequest(type) || resource.checkInCloud === undefined) return found;
    if (resource.needsCheckInCloud?.(before, after) === false) return found;
    return resource.checkInCloud(before, after, run.contextOf(type, news)).then(live =>
        plain({
            inputs: machine ?? closed(type, news, { ...checked.inputs, ...live.inputs }),
            failures: live.failures,
        }),
    );
}
