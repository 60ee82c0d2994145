import { usualPath } from "./script";

/** kubeadm's kubeconfig for administrators; on control-plane nodes only. */
export const adminConfig = "/etc/kubernetes/admin.conf";

/** First lines of a script that uses kubectl on a control-plane node. */
export const asAdministrator = `${usualPath}\nexport KUBECONFIG=${adminConfig}\n`;
