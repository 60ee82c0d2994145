import type { HostSpec } from "../../provider/common/model";
import type { KubernetesClusterArgs } from "../args/args";

/** Whether pods reach the cloud's metadata service. On machines of the user, nothing is done that was not asked for. */
export function metadataService({
    network,
    infrastructure,
}: Pick<KubernetesClusterArgs, "network" | "infrastructure">): Pick<HostSpec, "metadataService"> {
    const isOpen = network?.podsReachMetadata ?? (infrastructure.hosts === undefined ? false : undefined);
    return isOpen === undefined ? {} : { metadataService: isOpen ? "open" : "closed" };
}
