/** What `kubernetes.upgrade.pauseAfter` calls the control plane. */
export const controlPlaneEntry = "controlPlane";
