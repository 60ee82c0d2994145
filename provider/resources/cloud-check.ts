import { NfvError } from "../errors";
import { type CloudNeeds, fetchFacts, findProblems, openCloud, type Problem, problemText } from "../openstack";
import type { CloudSettings } from "../openstack/settings";
import type { CheckFailure, CommonInputs, Context, ResourceType } from "./types";
import { changed, unknownValue } from "./values";

export interface CloudCheckInputs extends CommonInputs {
    /** As a text of JSON (so it travels, if all of it is known), or as it is. */
    needs: CloudNeeds | string;
    cloud: CloudSettings;
}

export interface CloudCheckState extends CloudCheckInputs {
    /** What was looked at, in a sentence. */
    summary: string;
}

/** Compares what a cluster needs with the live cloud, at preview already: nothing is made before all of it is there. */
export const cloudCheck: ResourceType<CloudCheckInputs, CloudCheckState> = {
    check: (_olds, news) => ({ inputs: news }),
    checkLive: async (olds, news, context) => {
        const needs = needsOf(news);
        // A cloud that is not known yet, and one for which credentials are given later, cannot be asked.
        if (needs === undefined || (news.cloud as unknown) === unknownValue) return [];
        try {
            return await liveFailures(needs, needsOf(olds), news.cloud ?? {}, context);
        } catch (error) {
            if (error instanceof NfvError) return [{ property: "", reason: error.message }];
            throw error;
        }
    },
    diff: (_id, olds, news) => ({ changes: changed(olds, news, ["needs", "cloud"]).length > 0, replaces: [] }),
    create: async inputs => ({ id: needsOf(inputs)?.clusterName ?? "cloud", outs: stateOf(inputs) }),
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, _olds, news) => ({ outs: stateOf(news) }),
    delete: async () => {},
};

async function liveFailures(
    needs: CloudNeeds,
    former: CloudNeeds | undefined,
    settings: CloudSettings,
    context: Context,
): Promise<CheckFailure[]> {
    const cloud = openCloud(settings);
    try {
        for (const text of cloud.config.warnings) context.warn(text);
        context.report("compare with the cloud");
        const facts = await fetchFacts(cloud, needs, former === undefined ? [] : [former.owner]);
        const problems = findProblems(needs, facts);
        const isWarning = ({ severity }: Problem) => severity === "warning";
        for (const warning of problems.filter(isWarning)) context.warn(problemText([warning]));
        const errors = problems.filter(each => !isWarning(each));
        if (errors.length === 0) return [];
        const error = new NfvError({ code: "CLOUD_CHECK_FAILED", cause: `\n${problemText(errors)}`.trimStart() });
        // Without a property's name: with one, the engine would print all of its value.
        return [{ property: "", reason: error.message }];
    } finally {
        cloud.close();
    }
}

function needsOf({ needs }: Partial<CloudCheckInputs>): CloudNeeds | undefined {
    if (needs === undefined || needs === unknownValue) return undefined;
    return typeof needs === "string" ? (JSON.parse(needs) as CloudNeeds) : needs;
}

function stateOf(inputs: CloudCheckInputs): CloudCheckState {
    const needs = needsOf(inputs);
    const count = needs?.servers.length ?? 0;
    return { ...inputs, summary: `the cloud has what ${count} ${count === 1 ? "server needs" : "servers need"}` };
}
