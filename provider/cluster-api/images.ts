import { defaultRepository } from "../common/add-on-objects";

/** The managers' images, below the repository. */
export const managerImages = {
    core: "cluster-api/cluster-api-controller",
    bootstrap: "cluster-api/kubeadm-bootstrap-controller",
    controlPlane: "cluster-api/kubeadm-control-plane-controller",
    openstack: "capi-openstack/capi-openstack-controller",
} as const;

/** Full name of a manager's image. `version`: with "v". */
export function managerImage(
    image: keyof typeof managerImages,
    version: string,
    repository: string = defaultRepository,
): string {
    return `${repository}/${managerImages[image]}:${version}`;
}
