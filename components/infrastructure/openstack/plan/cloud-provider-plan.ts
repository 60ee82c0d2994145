import type { DeepInput } from "../../../../provider/adapters/dynamic";
import type { CloudProviderSpec } from "../../../../provider/cloud-provider/cloud-provider";
import { cloudVersion } from "../../../../provider/cloud-provider/images";
import type { KubernetesClusterArgs } from "../../../args/args";
import type { CinderCsiArgs, CloudProviderArgs } from "../../../args/cloud-provider-args";
import { cloudOf } from "./cloud-args";

/** Replaces the cloud's answers where they are not known yet. */
export const sampleAccess = {
    authUrl: "https://preview",
    applicationCredentialId: "preview",
    applicationCredentialSecret: "preview",
};

/** The parts as the user wants them. */
export function partsOf(args: KubernetesClusterArgs, given: CloudProviderArgs) {
    const part = <T extends { enabled?: boolean; version?: string }>(settings: T) => {
        const enabled = settings.enabled ?? true;
        // For a component that is removed only the names matter.
        const version = enabled ? cloudVersion(args.kubernetes.version, settings.version) : (settings.version ?? "");
        return { ...settings, enabled, version };
    };
    return {
        ...(given.imageRepository !== undefined && { imageRepository: given.imageRepository }),
        ...(given.cloudControllerManager && { cloudControllerManager: part(given.cloudControllerManager) }),
        ...(given.cinderCsi && { cinderCsi: cinderOf(part(given.cinderCsi)) }),
    };
}

/** The classes of snapshots are made elsewhere; the driver only learns that there are any. */
function cinderOf<T extends CinderCsiArgs>({ snapshotClasses = {}, ...settings }: T) {
    return { ...settings, ...(Object.keys(snapshotClasses).length > 0 && { snapshots: true }) };
}

/** The spec with `sampleAccess` for what the cloud answers: known before the cloud is asked. */
export function givenCloudProvider(
    args: KubernetesClusterArgs,
    given: CloudProviderArgs,
): DeepInput<Omit<CloudProviderSpec, "clusterId">> {
    const { authUrl, caCertificate, credentials = {} } = given;
    const region = given.region ?? cloudOf(args)?.region;
    const { applicationCredentialId: id, applicationCredentialSecret: secret } = credentials;
    const access = {
        ...sampleAccess,
        ...(authUrl !== undefined && { authUrl }),
        ...(region !== undefined && { region }),
        ...(id !== undefined && { applicationCredentialId: id }),
        ...(secret !== undefined && { applicationCredentialSecret: secret }),
        ...(caCertificate !== undefined && { caCertificate }),
    };
    return { access, ...partsOf(args, given) } as DeepInput<Omit<CloudProviderSpec, "clusterId">>;
}
