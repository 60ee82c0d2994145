import { NfvError } from "../errors";
import type { CloudClient } from "./client";

/**
 * Why these credentials must not be used for a cluster. Another project answers 404 for every id of it, as if all of it were deleted.
 * The id of the project is the proof: the address of Keystone may change while the cloud is the same.
 * @param project id of the project in which the cluster was made; undefined: not known yet, which is no error
 */
export async function otherProject(cloud: CloudClient, project: string | undefined): Promise<NfvError | undefined> {
    if (project === undefined) return undefined;
    const { project: asked } = await cloud.session();
    if (asked?.id === project) return undefined;
    const { source, authUrl } = cloud.config;
    const other = asked === undefined ? "no project" : `the project ${asked.id} ("${asked.name}")`;
    return new NfvError({
        code: "CLOUD_CONFIG_INVALID",
        cause: `this cluster lives in the project ${project}, and the credentials (${source}, ${authUrl}) are for ${other}`,
        hint:
            "Nothing was changed in the cloud. Give the credentials of the cluster's own project (OS_CLOUD, clouds.yaml, or the cloud in the program) " +
            "and run it again. A cluster cannot move to another project: run pulumi destroy with the credentials of the first one, then pulumi up.",
    });
}
