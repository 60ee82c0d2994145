import { kubeadmScript } from "../../kubeadm/kubeadm-script";
import type { Act } from "../../steps/types";
import { addressOf } from "../reached";
import { type ReachedTarget, requestDeadlines } from "./procedure";

/** Services of a node that we set up, beside kubelet. */
export const osServices = { OS_SERVICES: "containerd haproxy keepalived" };

/** Waits until they run, and kubelet, and the API server of a control-plane node. */
export const checkServices = (target: ReachedTarget): Act => ({
    id: "node.check-services",
    title: "wait for the services of the node",
    target: "self",
    run: kubeadmScript("procedures/node-by-node/check-services.sh", osServices),
    env: { ROLE: target.role, ADDRESS: addressOf(target), SECONDS_TO_WAIT: String(requestDeadlines.services) },
    timeoutSeconds: requestDeadlines.services + 60,
});
