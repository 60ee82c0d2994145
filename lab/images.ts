import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { arch, release } from "node:os";
import { join } from "node:path";
import { ensureLayer, type Layer, type Report, runOnLayers, scriptInputs } from "./layers";
import { scripts } from "./paths";
import { run } from "./process";

/**
 * "plain": the packages of a Debian cloud image. "kubernetes": also the runtime, load balancer, Kubernetes and its images.
 * "machine": a virtual machine with a kernel of its own and the packages of a node (machine.ts).
 */
export const imageNames = ["plain", "kubernetes", "machine"] as const;
export type ImageName = (typeof imageNames)[number];

/** Codenames of the systems that nodes can have. */
export const systems = { "debian-12": "bookworm", "debian-13": "trixie" } as const;
export type SystemName = keyof typeof systems;

/** A word of a command line. */
export function checkSystem(word: string | undefined): SystemName | undefined {
    if (word !== undefined && !Object.hasOwn(systems, word)) {
        throw new Error(`--system is one of ${Object.keys(systems).join(", ")}`);
    }
    return word as SystemName | undefined;
}

export interface Image {
    /** Top first, the order that overlayfs expects. */
    layers: Layer[];
    /** /var/lib/containerd with imported images; nodes get hard links to it. */
    containerd?: string;
}

/** The distribution's packages in the golden image: all that a kubeadm node with a load balancer needs. */
export const kubernetesPackages = [
    ...["containerd", "runc", "containernetworking-plugins", "haproxy", "keepalived"],
    ...["iptables", "nftables", "conntrack", "ebtables", "ethtool", "socat", "ipset", "nfs-common", "arping"],
];

const servicePackages = ["apt-cacher-ng", "docker-registry", "socat"];

/** The machine's package sources, as lines of a sources.list for a Debian release: its own, or the same places for another one. */
export async function machineSources(suite = debianRelease()): Promise<string[]> {
    const format = "$(CODENAME)|$(RELEASE)|$(REPO_URI)|$(COMPONENT)|$(ORIGIN)";
    const { stdout } = await run(["apt-get", "indextargets", "--format", format, "Created-By: Packages"]);
    return pickSources(stdout, debianRelease(), suite);
}

export function pickSources(targets: string, codename: string, wanted = codename): string[] {
    const lines = targets
        .split("\n")
        .map(line => line.split("|"))
        .filter(([, suite, , , origin]) => suite?.startsWith(codename) && (origin === "Debian" || origin === ""))
        .map(([, suite, uri, component]) => `deb ${uri} ${suite!.replace(codename, wanted)} ${component}`);
    if (lines.length === 0) {
        throw new Error(`apt of this machine has no Debian source for ${codename}: nodes cannot be made`);
    }
    return [...new Set(lines)];
}

function debianRelease(): string {
    const codename = /^VERSION_CODENAME=(.*)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
    if (!codename) {
        throw new Error("the lab runs on Debian: /etc/os-release names no release");
    }
    return codename;
}

export async function baseLayer(report: Report, system?: SystemName): Promise<Layer> {
    const suite = system === undefined ? debianRelease() : systems[system];
    const sources = await machineSources(suite);
    return ensureLayer(
        {
            name: "base",
            what: "Debian for the nodes (about half a minute)",
            inputs: { suite, sources, arch: arch(), scripts: scriptInputs("layer-base.sh") },
            build: async (folder, draft) => {
                const list = join(draft, "sources.list");
                await writeFile(list, `${sources.join("\n")}\n`);
                await run([join(scripts, "layer-base.sh"), folder, suite, list]);
            },
        },
        report,
    );
}

/** @param system by default the machine's own */
export async function plainLayers(report: Report, system?: SystemName): Promise<Layer[]> {
    const base = await baseLayer(report, system);
    const lab = await ensureLayer(
        {
            name: "lab",
            what: "the lab's own part of a node",
            inputs: { kernel: release(), scripts: scriptInputs("layer-lab.sh", "guest/") },
            below: [base],
            build: (folder, draft) => runOnLayers([base], folder, draft, "layer-lab.sh", [join(scripts, "guest")]),
        },
        report,
    );
    return [lab, base];
}

export function packageLayer(name: string, what: string, packages: readonly string[], below: Layer[], report: Report) {
    return ensureLayer(
        {
            name,
            what,
            inputs: { packages, scripts: scriptInputs("layer-packages.sh") },
            below,
            build: (folder, draft) => runOnLayers(below, folder, draft, "layer-packages.sh", packages),
        },
        report,
    );
}

/** Root of the lab's own services, package cache and registry, so that they need not be installed on the machine. */
export async function serviceLayers(report: Report): Promise<Layer[]> {
    const plain = await plainLayers(report);
    return [await packageLayer("services", "package cache and registry", servicePackages, plain, report), ...plain];
}

/** The plain node with the distribution's packages of a Kubernetes node. */
export async function runtimeLayers(report: Report, system?: SystemName): Promise<Layer[]> {
    const plain = await plainLayers(report, system);
    const what = "container runtime, HAProxy, keepalived";
    return [await packageLayer("runtime", what, kubernetesPackages, plain, report), ...plain];
}
