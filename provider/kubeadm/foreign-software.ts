import { NfvError } from "../common/errors";
import type { HostSpec } from "../common/model";
import { ownSigns } from "../shell/own-signs";
import { kubeadmScript } from "./kubeadm-script";

/** Software of others on a machine, which ours would remove, replace or fight with. */
export interface ForeignSoftware {
    /** Processes and files of a Docker daemon or of another Kubernetes, and what a cluster has left: "process dockerd", "link cni0". */
    running: string[];
    /** Packages of a container runtime with which the distribution's containerd conflicts. */
    packages: string[];
    /** A unit of kubelet that somebody wrote: it hides the one that a package brings. */
    units: string[];
    /** Load balancers at work with settings that are not ours: "haproxy with /etc/haproxy/haproxy.cfg". */
    balancers: string[];
}

/** Files of RKE1, which leaves nothing where kubeadm has its files. We never create them. */
const softwareFiles = ["/etc/kubernetes/ssl/kube-ca.pem", "/opt/rke"];

/** Shell: prints them as lines "name=value". Changes nothing. */
export const softwareScript = `${kubeadmScript("kubeadm/print-software.sh", {
    SOFTWARE_FILES: softwareFiles.join(" "),
    ...ownSigns,
})}${kubeadmScript("kubeadm/print-left-overs.sh")}`;

export function parseSoftware(lines: readonly (readonly [name: string, value: string])[]): ForeignSoftware {
    const all = (name: string) => lines.filter(([key]) => key === name).map(([, value]) => value.trim());
    return {
        ...{ running: all("software"), packages: all("softwarePackage") },
        ...{ units: all("softwareUnit"), balancers: all("balancer") },
    };
}

/** What of it is in the way of a machine's preparation. Pure. */
export function inTheWay(
    { running, packages, units, balancers }: ForeignSoftware,
    { source }: Pick<HostSpec, "source">,
    next: {
        /** Nothing of ours was ever on the machine. Later, what else is there came with the knowledge that it is a node. */
        isEmpty: boolean;
        /** Our load balancer is to be installed for the first time. */
        getsBalancer: boolean;
    },
): string[] {
    return [
        ...(next.isEmpty ? running : []),
        // an image brings the containerd that we use; otherwise we install the distribution's
        ...(next.isEmpty && !source.image ? packages.map(name => `package ${name}`) : []),
        // an image may have one, and a bundle replaces it
        ...(next.isEmpty && (source.apt || source.dnf) ? units : []),
        ...(next.getsBalancer ? balancers : []),
    ];
}

/** @throws FOREIGN_SOFTWARE if something is in the way */
export function refuseSoftware(node: string, found: readonly string[]): void {
    if (found.length === 0) return;
    const cause = `somebody else's software, or what another cluster left, is on this machine; nothing on it was changed\nfound: ${found.join(", ")}`;
    throw new NfvError({ code: "FOREIGN_SOFTWARE", node, cause });
}
