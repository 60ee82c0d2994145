import { NfvError } from "../common/errors";
import type { Context } from "../contract/types";
import type { Finding } from "../health/findings";
import { tell } from "../machine/health";
import type { Peer } from "../machine/machine";
import { readyControlPlaneNode } from "../machine/machine-statuses";
import { addOnsScript } from "../network/scripts";
import { query } from "../steps/query";

/** The command that asks; fake nodes in tests recognise it. */
export const addOnsArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-add-ons"];

/** What kubeadm and we put into a cluster. A cluster has some of them. */
const addOns = [
    ...[
        ...["coredns", "kube-proxy", "podnet", "openstack-cloud-controller-manager", "csi-cinder-controllerplugin"],
        ...["csi-cinder-nodeplugin", "csi-nfs-controller", "csi-nfs-node", "snapshot-controller"],
    ].map(name => `kube-system/${name}`),
    "kube-flannel/kube-flannel-ds",
];

/** What `print-add-ons.sh` printed, as findings. Pure. */
export function addOnFindings(printed: string): Finding[] {
    const all = (name: string) =>
        printed.split("\n").flatMap(line => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1).trim()] : []));
    const finding = (code: string, text: string, person: string): Finding => ({
        ...{ code, text, cure: "repair by hand", person },
    });
    const logs =
        "kubectl -n kube-system logs -l k8s-app=kube-dns --previous says why; a loop: /etc/resolv.conf on the nodes names the loopback address";
    // A node that is not Ready takes its pods with it, and is a finding of its own.
    if (all("notReady").length > 0) return [];
    const silent = all("dns").filter(said => said.startsWith("silent"));
    const crashing = all("crashing");
    const failing = all("failing").map(said => said.split(" ") as [place: string, node: string, reason: string]);
    return [
        ...all("unavailable").map(what => {
            const [kind = "", place = ""] = what.split(" ");
            const [namespace, name] = place.split("/");
            return finding(
                `unavailable-${name}`,
                `the add-on ${place} is not available`,
                `kubectl -n ${namespace} describe ${kind.toLowerCase()} ${name} says why`,
            );
        }),
        ...[...new Set(failing.map(([place]) => place))].map(place => {
            const [namespace, name] = place.split("/");
            const where = failing.filter(([each]) => each === place).map(([, node, reason]) => `${node}: ${reason}`);
            return finding(
                `failing-${name}`,
                `the add-on ${place} does not run on some nodes (${where.join(", ")})`,
                `kubectl -n ${namespace} describe daemonset ${name}, and kubectl logs --previous of its pods there, say why`,
            );
        }),
        ...(crashing.length > 0
            ? [finding("dns-crashing", `CoreDNS ends again and again (${crashing.join(", ")})`, logs)]
            : []),
        ...silent.map(said =>
            finding("dns-silent", `the cluster's DNS does not answer (${said.replace(/^silent: /, "")})`, logs),
        ),
    ];
}

/** Tells which add-ons do not work, and whether the cluster's DNS answers. An error here does not fail the refresh. */
export async function tellOfAddOns(clusterId: string, masters: readonly Peer[], context: Context): Promise<void> {
    try {
        const { name, connection } = await readyControlPlaneNode(context, clusterId, masters, "any");
        const printed = await query(connection, {
            step: "look at the cluster's add-ons",
            node: name,
            script: addOnsScript,
            argv: addOnsArgv,
            env: { ADD_ONS: addOns.join(" ") },
            timeoutSeconds: 60,
            ...(context.signal && { signal: context.signal }),
        });
        tell("cluster", addOnFindings(printed), context);
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        // The masters themselves say so where none of them is ready.
        if (error.code === "NO_CONTROL_PLANE") return;
        context.warn(
            `whether the cluster's add-ons work was not found out: ${error.reason.trimEnd().replaceAll("\n", "; ")}`,
        );
    }
}
