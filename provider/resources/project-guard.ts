import type { CloudSettings } from "../openstack/settings";
import { isInProgram, noteInProgram } from "./in-program";
import { refuseOtherProject } from "./server";
import type { CommonInputs, ResourceType } from "./types";
import { changed, failuresOf, text } from "./values";

export interface ProjectGuardInputs extends CommonInputs {
    clusterName: string;
    cloud: CloudSettings;
    /** From CloudCheck: id of the project in which the cluster was created. */
    project?: string;
    /** From CloudCheck: the region in which the cluster was created. */
    region?: string;
}

/** Inputs whose change is noted in the state: delete sees nothing else. `resourceUrn`: an alias renames it, see isInProgram. */
export const compared: readonly string[] = ["clusterName", "cloud", "project", "region", "resourceUrn"];

/**
 * Depends on the servers, so it is deleted before them. It refuses credentials of another project or region: there, the
 * plug-in would find none of the servers and drop them from the state.
 */
export const projectGuard: ResourceType<ProjectGuardInputs, ProjectGuardInputs> = {
    check: (_olds, news, context) => {
        noteInProgram(context, news.resourceUrn);
        return { inputs: news, failures: failuresOf(news, { clusterName: text }) };
    },
    diff: (_id, olds, news) => ({
        changes: changed(olds, news, compared).length > 0,
    }),
    create: async inputs => ({ id: `${inputs.clusterName}/project`, outs: inputs }),
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, _olds, news) => ({ outs: news }),
    delete: async (_id, state, context) => {
        if (isInProgram(context, state.resourceUrn)) return;
        await refuseOtherProject({ ...state, name: state.clusterName }, context);
    },
};
