import { createHash } from "node:crypto";
import { NfvError } from "../common/errors";
import type { CheckedLive, CommonInputs, Context, ResourceType } from "../contract/types";
import { changed, hasUnknown, unknownValue } from "../contract/values";
import { refuseOtherProject } from "../machine/server";
import {
    type CloudRequirements,
    type CloudUser,
    type Former,
    fetchInventory,
    findProblems,
    type GivenNames,
    type GoneName,
    givenNames,
    goneNames,
    type Owner,
    openCloud,
    otherProject,
    type Problem,
    problemText,
    withIds,
} from "../openstack";
import type { CloudSettings } from "../openstack/settings";
import { canonicalJson } from "../steps/fingerprint";

export interface CloudCheckInputs extends CommonInputs {
    /** JSON text, if all of it is known, or an object. */
    needs: CloudRequirements | string;
    cloud: CloudSettings;
    /** Set by check: ids of what the user gave by name, from when the cluster first used them. */
    names?: GivenNames;
    /** Set by check: id of the project in which the cluster was created. */
    project?: string;
    /** Set by check: the region in which the cluster was created, if the cloud names one. */
    region?: string;
    /** Set by check: the user of the first run. Some things in OpenStack belong to users, not to projects. */
    user?: CloudUser;
}

/**
 * The summary of the needs for the preview and the state: the owner, and a fingerprint that shows whether they changed.
 */
export interface RequirementsSeen {
    backEnd: CloudRequirements["backEnd"];
    clusterName: string;
    owner: Owner;
    servers: number;
    /** With Heat: name of the stack. */
    stack?: string;
    fingerprint: string;
}

/** Before check the whole needs, after it what is seen of them; unknownValue while they are not known. */
type Checked = Omit<CloudCheckInputs, "needs"> & { needs: CloudRequirements | RequirementsSeen | string };

export interface CloudCheckState extends Checked {
    /** One sentence: what was checked. */
    summary: string;
}

export interface CloudCheckOutputs {
    summary: string;
    /** Ids of the objects that the user gave by name: see GivenNames. Known at preview. */
    names: Record<string, string>;
    /** Id of the project in which the cluster was created. Undefined if the cloud could not be queried. */
    project: string | undefined;
    /** The region in which the cluster was created. Undefined if the cloud could not be queried or names no region. */
    region: string | undefined;
}

/**
 * Compares a cluster's needs with the live cloud, already at preview: nothing is created unless the cloud can provide
 * everything.
 */
export const cloudCheck: ResourceType<Checked, CloudCheckState> = {
    check: (olds, news) => ({
        inputs: {
            ...shortened(news),
            names: olds.names ?? {},
            ...(olds.project !== undefined && { project: olds.project }),
            ...(olds.region !== undefined && { region: olds.region }),
            ...(olds.user !== undefined && { user: olds.user }),
        },
    }),
    checkInCloud: async (olds, news, context) => {
        const needs = parsed(news.needs);
        // The cloud cannot be asked if it is unknown yet, or if its credentials come later.
        if (needs === undefined || (news.cloud as unknown) === unknownValue) return { failures: [] };
        try {
            return await compare(needs, olds, news.cloud ?? {}, context);
        } catch (error) {
            if (error instanceof NfvError) return { failures: [{ property: "", reason: error.message }] };
            throw error;
        }
    },
    diff: (_id, olds, news) => ({
        changes: changed(olds, news, ["needs", "cloud", "names", "project", "region"]).length > 0,
        replaces: [],
    }),
    create: async inputs => ({ id: (inputs.needs as RequirementsSeen).clusterName, outs: stateOf(inputs) }),
    // A refresh in another project or region would drop every server from the state.
    read: async (id, state, context) => {
        const { cloud = {}, project, region } = state;
        await refuseOtherProject({ name: id, cloud, project, region }, context);
        return { id, props: state };
    },
    update: async (_id, _olds, news) => ({ outs: stateOf(news) }),
    delete: async () => {},
};

async function compare(
    given: CloudRequirements,
    olds: Partial<Checked>,
    settings: CloudSettings,
    context: Context,
): Promise<CheckedLive<Checked>> {
    const former = seen(olds);
    const cloud = openCloud(settings);
    try {
        const wrong = await otherProject(cloud, olds);
        if (wrong !== undefined) throw wrong;
        for (const text of cloud.config.warnings) context.warn(text);
        context.report("compare with the cloud");
        const facts = await fetchInventory(cloud, given, former);
        const names = givenNames(given, facts, olds.names);
        const needs = withIds(given, names);
        const gone = goneNames(names, facts);
        const problems = [...gone, ...findProblems(needs, facts).filter(each => !isSaidBy(gone, each))];
        const isWarning = ({ severity }: Problem) => severity === "warning";
        for (const warning of problems.filter(isWarning)) context.warn(problemText([warning]));
        const errors = problems.filter(each => !isWarning(each));
        if (errors.length === 0) {
            // With a token without project, all lists are empty, which proves nothing.
            const project = olds.project ?? (facts.projectId || undefined);
            const region = olds.region ?? (await cloud.region());
            const user = olds.user ?? facts.user;
            return {
                failures: [],
                inputs: {
                    names,
                    ...(project !== undefined && { project }),
                    ...(region !== undefined && { region }),
                    ...(user !== undefined && { user }),
                },
            };
        }
        const error = new NfvError({
            code: "CLOUD_CHECK_FAILED",
            cause: problemText(errors),
            ...(facts.kept !== undefined && {
                hint: `What ${needs.backEnd} makes is there before what ${former!.backEnd} made is deleted: the cloud must hold both. Or run pulumi destroy first.`,
            }),
        });
        // No property name: otherwise the engine would print the property's whole value.
        return { failures: [{ property: "", reason: error.message }] };
    } finally {
        cloud.close();
    }
}

/** Whether `gone` explains the problem: the checks look for the recorded id and do not find it either. */
function isSaidBy(gone: readonly GoneName[], { message }: Problem): boolean {
    return gone.some(({ kept }) => message.includes(`"${kept}"`));
}

function seen({ needs, user }: Partial<Checked>): Former | undefined {
    if (needs === undefined) return undefined;
    const { backEnd, owner, stack } = needs as RequirementsSeen;
    return { backEnd, owner, ...(stack !== undefined && { stack }), ...(user !== undefined && { user }) };
}

/** The needs as the program gives them. Undefined: not known yet. */
function parsed(needs: Checked["needs"]): CloudRequirements | undefined {
    if (needs === unknownValue) return undefined;
    return (typeof needs === "string" ? JSON.parse(needs) : needs) as CloudRequirements;
}

/** The needs of a large cluster are thousands of lines, and the engine would print all of them. */
function shortened(inputs: Checked): Checked {
    const needs = parsed(inputs.needs);
    if (needs === undefined) return inputs;
    const { backEnd, clusterName, owner, servers, stack } = needs;
    // Which servers a run replaces is no need of the cluster: the next run would find another one.
    const lasting = () => ({ ...needs, servers: servers.map(({ replaced: _, ...server }) => server) });
    const fingerprint = hasUnknown(needs)
        ? unknownValue
        : createHash("sha256").update(canonicalJson(lasting())).digest("hex").slice(0, 12);
    const short = { backEnd, clusterName, owner, servers: servers.length, ...(stack && { stack: stack.name }) };
    return { ...inputs, needs: { ...short, fingerprint } };
}

function stateOf(inputs: Checked): CloudCheckState {
    const { servers: count } = inputs.needs as RequirementsSeen;
    return {
        ...inputs,
        summary: `the cloud has what ${count} ${count === 1 ? "server needs" : "servers need"}`,
    };
}
