import { type ChildProcess, spawn } from "node:child_process";
import * as path from "node:path";
import type { Lab } from "../../lab";
import { gateway } from "../../lab/names";
import { buildPackage, indexPackages, signIndex } from "../support/debian-repository";

/*
 * A signed repository of Kubernetes' packages in the lab's network, as the community's: the lab's programs under its names and versions. The machines have no
 * other repository, and no program of Kubernetes but the ones of its packages.
 */

const port = 8099;

export interface KubernetesRepository {
    source: { repository: string; key: string };
    stop(): void;
}

const unit = `[Unit]
Description=kubelet: The Kubernetes Node Agent
[Service]
ExecStart=/usr/bin/kubelet
Restart=always
StartLimitInterval=0
RestartSec=10
[Install]
WantedBy=multi-user.target
`;
const dropIn = `[Service]
Environment="KUBELET_KUBECONFIG_ARGS=--bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf"
Environment="KUBELET_CONFIG_ARGS=--config=/var/lib/kubelet/config.yaml"
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
EnvironmentFile=-/etc/default/kubelet
ExecStart=
ExecStart=/usr/bin/kubelet $KUBELET_KUBECONFIG_ARGS $KUBELET_CONFIG_ARGS $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS
`;

/** The package restarts kubelet, as a careless one does. Where a file says so, its installation dies in the middle, once. */
export const diesOnce = "/var/tmp/nfv-dpkg-dies";
const postinst = `[ -z "$2" ] || systemctl restart kubelet.service
if [ -e ${diesOnce} ]; then rm ${diesOnce}; kill -9 $PPID; fi`;

function packagesOf(version: string, bundle: string, into: string): void {
    const common = (name: string) => ({ name, version: `${version}-1.1` });
    const program = (name: string) => ({ [`usr/bin/${name}`]: { from: path.join(bundle, "bin", name) } });
    buildPackage(into, {
        ...common("kubelet"),
        control: "Depends: kubernetes-cni (>= 1.2.0)\n",
        files: {
            ...program("kubelet"),
            "usr/lib/systemd/system/kubelet.service": { text: unit },
            "etc/default/kubelet": { text: `# of ${version}\nKUBELET_EXTRA_ARGS=\n` },
        },
        conffiles: ["/etc/default/kubelet"],
        postinst,
    });
    const file = "usr/lib/systemd/system/kubelet.service.d/10-kubeadm.conf";
    buildPackage(into, { ...common("kubeadm"), files: { ...program("kubeadm"), [file]: { text: dropIn } } });
    buildPackage(into, { ...common("kubectl"), files: program("kubectl") });
}

const server = `
    const [folder, host, port] = process.argv.slice(1);
    const fs = require("node:fs"), path = require("node:path");
    require("node:http").createServer((request, answer) => {
        const file = path.join(folder, path.normalize(decodeURIComponent(request.url)));
        if (!fs.existsSync(file) || !fs.statSync(file).isFile()) { answer.writeHead(404).end(); return; }
        answer.writeHead(200, { "content-length": fs.statSync(file).size });
        fs.createReadStream(file).pipe(answer);
    }).listen(Number(port), host);`;

/** `bundles`: by version, a folder with its programs. `folder`: for the packages. */
export async function serveRepository(
    lab: Lab,
    bundles: Record<string, string>,
    folder: string,
): Promise<KubernetesRepository> {
    for (const [version, bundle] of Object.entries(bundles)) packagesOf(version, bundle, folder);
    buildPackage(folder, { name: "kubernetes-cni", version: "1.7.1-1.1" });
    indexPackages(folder);
    const key = signIndex(folder);
    const [command, ...argv] = lab.enter([process.execPath, "-e", server, folder, gateway, String(port)]);
    const child: ChildProcess = spawn(command!, argv, { stdio: ["ignore", "ignore", "inherit"] });
    await Promise.all(lab.nodes.map(({ name }) => prepareNode(lab, name)));
    return {
        source: { repository: `http://${gateway}:${port}/`, key },
        stop: () => void child.kill(),
    };
}

async function prepareNode(lab: Lab, node: string): Promise<void> {
    await lab.mustSsh(
        node,
        `set -eu
        rm -f /usr/bin/kubelet /usr/bin/kubeadm /usr/bin/kubectl
        systemctl -q disable kubelet.service
        rm -rf /usr/lib/systemd/system/kubelet.service /usr/lib/systemd/system/kubelet.service.d
        systemctl daemon-reload
        rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/*
        echo 'Acquire::http::Proxy::${gateway} "DIRECT";' >/etc/apt/apt.conf.d/91repository`,
    );
}

/** Packages of Kubernetes on a machine → their versions, and the names of those that are held. */
export async function packagesOn(
    lab: Lab,
    node: string,
): Promise<{ versions: Record<string, string>; held: string[] }> {
    const said = await lab.mustSsh(
        node,
        "dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\\n' kubelet kubeadm kubectl; apt-mark showhold",
    );
    const rows = said
        .trim()
        .split("\n")
        .map(line => line.split(" "));
    return {
        versions: Object.fromEntries(
            rows.filter(row => row[2] === "installed").map(([name, version]) => [name!, version!]),
        ),
        held: rows.filter(row => row.length === 1).map(([name]) => name!),
    };
}
