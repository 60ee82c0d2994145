import { NfvError } from "../common/errors";
import type { CloudClient } from "./client";

/** Where a cluster was created. Undefined: not known yet. */
export interface ProjectAndRegion {
    /** Id of the project. */
    project?: string | undefined;
    region?: string | undefined;
}

/**
 * Why these credentials must not be used for a cluster. In another project or region each id gives 404, as if
 * everything were deleted. The project's id is compared, and the region's name if one project spans several regions.
 * Keystone's URL is not: it may change while the cloud stays the same.
 */
export async function otherProject(
    cloud: CloudClient,
    { project, region }: ProjectAndRegion,
): Promise<NfvError | undefined> {
    if (project === undefined) return undefined;
    const here = await placeOf(cloud);
    if (here instanceof NfvError) return here;
    const { source, authUrl } = cloud.config;
    if (here.project?.id !== project) {
        const other =
            here.project === undefined ? "no project" : `the project ${here.project.id} ("${here.project.name}")`;
        return new NfvError({
            code: "CLOUD_CONFIG_INVALID",
            cause: `this cluster lives in the project ${project}, and the credentials (${source}, ${authUrl}) are for ${other}`,
            hint:
                "Nothing was changed in the cloud. Give the credentials of the cluster's own project (OS_CLOUD, clouds.yaml, or the cloud in the program) " +
                "and run it again. A cluster cannot move to another project: run pulumi destroy with the credentials of the first one, then pulumi up.",
        });
    }
    if (region === undefined || here.region === undefined || here.region === region) return undefined;
    return new NfvError({
        code: "CLOUD_CONFIG_INVALID",
        cause: `this cluster lives in the region "${region}", and the credentials (${source}, ${authUrl}) are used in the region "${here.region}"`,
        hint:
            `Nothing was changed in the cloud. Set the region "${region}" (OS_REGION_NAME, region_name in clouds.yaml, or region in the program) and ` +
            "run it again. A cluster cannot move to another region: run pulumi destroy in the first one, then pulumi up. Where the cloud's operator " +
            'only renamed the region, write the new name into the state: pulumi stack export, every "region", pulumi stack import.',
    });
}

/**
 * Returns an error if the region does not exist, or if the user must choose one: the plug-in would take the first that
 * it finds.
 */
async function placeOf(cloud: CloudClient) {
    try {
        const { project } = await cloud.session();
        return { project, region: await cloud.region() };
    } catch (error) {
        if (error instanceof NfvError && error.code === "CLOUD_CONFIG_INVALID") return error;
        throw error;
    }
}
