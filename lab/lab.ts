import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { withLock } from "../tools/lock";
import type { AddOnName } from "../tools/oci/add-on-images";
import { createGroup, processesOf } from "./cgroups";
import { withCloudInit } from "./cloud-init";
import { startDetached } from "./detached";
import { type Image, type ImageName, plainLayers, type SystemName, serviceLayers } from "./images";
import { kubernetesImage } from "./kubernetes-image";
import { type Layer, lowerDirs, type Report } from "./layers";
import { machineLayers } from "./machine";
import { addresses, checkLabName, gateway, nodeNames } from "./names";
import { withNfs } from "./nfs-layer";
import {
    bootSeconds,
    createNode,
    cutNode,
    type NodeState,
    nodeState,
    powerOffNode,
    removeNode,
    sshArguments,
    startNode,
    waitForLogin,
} from "./node";
import { labFolder, labNamespace, scripts, stateFolder } from "./paths";
import { ensurePrerequisites } from "./prerequisites";
import { CommandFailed, type RunResult, run } from "./process";
import { ensureRegistry, pushBundle, type Registry, registryOf } from "./registry";
import { acquireShared, labNamesIn, packageCacheSocket, releaseShared, withSharedLock } from "./shared";
import { type LabRecord, type NodeRecord, readLab, writeLab } from "./state";
import { tearDown } from "./teardown";

export interface LabOptions {
    /** Small letters and digits. @default "demo" */
    name?: string;
    /** Names of the nodes, or how many (then n1, n2, …). m1 … m9, w1 … w9 and st1 … st9 have fixed addresses. */
    nodes: number | readonly string[];
    /** @default "plain" */
    image?: ImageName;
    /** System of the nodes that are made now; others keep theirs. @default the machine's own */
    system?: SystemName;
    /** Images of add-ons that the image "kubernetes" has besides. @default none */
    addOns?: readonly AddOnName[];
    /**
     * Versions in the image "kubernetes": programs of the first, container images of all. Another one than the pinned is only a number on
     * that one's programs (tools/restamp.ts). @default the pinned one
     */
    kubernetes?: readonly string[];
    /** Memory of each node in bytes; also what `free` shows there. @default no limit */
    memoryBytes?: number;
    /** CPUs of each node; also what `nproc` shows there, as far as the machine has them. @default all */
    cpus?: number;
    /** Sizes in bytes of the disks of each node: /dev/vdb and on. */
    volumes?: Record<string, readonly number[]>;
    /** User data by node: cloud-init of a node that is made now runs it at the first boot. @default no cloud-init */
    userData?: Record<string, string>;
    /** Nodes that are made now can serve and mount NFS, although this kernel can do neither. @default false */
    nfs?: boolean;
    /** Also run a container registry (see `Lab.registry`). @default false */
    registry?: boolean;
    /** Receives a line about each thing that takes time. */
    report?: Report;
}

/** What a client needs to log in to a node. */
export interface LabNode {
    name: string;
    address: string;
    /** A user that may use sudo without a password. Root accepts the same key. */
    user: string;
    /** Private key in OpenSSH form. */
    privateKey: string;
    /** "ssh-ed25519 AAAA…" */
    hostKey: string;
}

/** Nodes on one bridge in a network namespace of their own. */
export class Lab {
    private constructor(readonly name: string) {}

    /** Makes a lab, or adds the missing nodes and starts those that are off. Returns when logins work. */
    static async up(options: LabOptions): Promise<Lab> {
        const name = checkLabName(options.name ?? "demo");
        const report = options.report ?? (() => {});
        const wanted = nodeNames(typeof options.nodes === "number" ? [String(options.nodes)] : options.nodes);
        for (const node of Object.keys(options.volumes ?? {}).filter(node => !wanted.includes(node))) {
            throw new Error(`a volume is asked for ${node}, which is no node of this lab`);
        }
        await ensurePrerequisites();
        const image = await ensureImage(options, report);
        const services = await serviceLayers(report);
        const lab = new Lab(name);
        await lab.locked(async () => {
            await lab.ensureNetwork(services);
            if (options.registry) {
                await ensureRegistry(name, services);
            }
            await lab.ensureNodes(wanted, image, options);
        });
        return lab;
    }

    /** Attaches to a lab that runs already. */
    static attach(name = "demo"): Lab {
        if (!existsSync(labFolder(checkLabName(name)))) {
            throw new Error(`there is no lab ${name}; labs here: ${Lab.list().join(", ") || "none"}`);
        }
        return new Lab(name);
    }

    static list(): string[] {
        return labNamesIn(stateFolder());
    }

    /** Network namespace, as `ip netns` names it. */
    get namespace(): string {
        return labNamespace(this.name);
    }

    /** File with the private key of all nodes. */
    get keyFile(): string {
        return join(labFolder(this.name), "id");
    }

    get nodes(): LabNode[] {
        const privateKey = readFileSync(this.keyFile, "utf8");
        return this.record.nodes.map(({ name, address, hostKey }) => {
            return { name, address, user: "debian", privateKey, hostKey };
        });
    }

    /** The lab's registry, if it has one: it serves as a mirror of everything that is pushed to it. */
    get registry(): Registry | undefined {
        return registryOf(this.name);
    }

    /** Pushes the images of a bundle to the registry. */
    pushBundle(bundle: string, report: Report = () => {}): Promise<void> {
        if (!this.registry) {
            throw new Error(`lab ${this.name} has no registry: lab up … --registry`);
        }
        return pushBundle(this.name, bundle, report);
    }

    node(name: string): LabNode {
        return this.nodes.find(node => node.name === this.find(name).name)!;
    }

    status(): (NodeRecord & { state: NodeState })[] {
        return this.record.nodes.map(node => ({ ...node, state: nodeState(this.name, node) }));
    }

    /** The same command, wrapped so that it runs in the lab's network: for pulumi, kubectl, curl. */
    enter(argv: readonly string[]): string[] {
        return ["nsenter", `--net=/run/netns/${this.namespace}`, ...argv];
    }

    /** Arguments of ssh to log in to a node with host key check; append the command. */
    sshArgv(node: string, user?: string): string[] {
        return this.enter(sshArguments(this.name, this.find(node), user));
    }

    /** Runs a shell command on a node as root. Any exit code is returned. */
    ssh(node: string, command: string, user = "root"): Promise<RunResult> {
        return run([...this.sshArgv(node, user), command], { anyExit: true });
    }

    /** Like `ssh`, but an exit code other than 0 is thrown as an error; returns standard output. */
    async mustSsh(node: string, command: string, user = "root"): Promise<string> {
        const result = await this.ssh(node, command, user);
        if (result.code !== 0) {
            throw new CommandFailed([node, command], result);
        }
        return result.stdout;
    }

    /** Starts the node; returns when logins work. */
    async powerOn(node: string): Promise<void> {
        await this.locked(() => this.ensureOn(this.find(node)));
        await waitForLogin(this.name, this.find(node));
    }

    /** Kills the node, as if its plug were pulled. */
    powerOff(node: string): Promise<void> {
        return this.locked(() => powerOffNode(this.name, this.find(node)));
    }

    /** Takes the node away with its disks; one that does not exist is no error. Nodes of other names keep their addresses. */
    removeNode(name: string): Promise<void> {
        return this.locked(async () => {
            const record = this.record;
            const node = record.nodes.find(each => each.name === name);
            if (node === undefined) return;
            await removeNode(this.name, node);
            writeLab({ ...record, nodes: record.nodes.filter(each => each !== node) });
        });
    }

    /** A clean reboot from inside; returns when logins work again. */
    async reboot(node: string): Promise<void> {
        // Nodes share a kernel and its boot id; on a virtual machine process 1 may begin at the same tick each time.
        const boot = "cat /proc/sys/kernel/random/boot_id; cut -d' ' -f22 /proc/1/stat";
        const before = await this.mustSsh(node, boot);
        await this.ssh(node, "systemctl reboot");
        // It shuts down, too.
        const end = Date.now() + 2 * bootSeconds(this.find(node)) * 1000;
        while (Date.now() < end) {
            await new Promise(resolve => setTimeout(resolve, 100));
            const now = await this.ssh(node, boot);
            if (now.code === 0 && now.stdout !== before) {
                return waitForLogin(this.name, this.find(node));
            }
        }
        throw new Error(`${node} did not come back from its reboot`);
    }

    /** Drops all packets from and to the node, without carrier loss. */
    cut(node: string): Promise<void> {
        return cutNode(this.name, this.find(node), true);
    }

    restore(node: string): Promise<void> {
        return cutNode(this.name, this.find(node), false);
    }

    /** Removes the lab with everything that belongs to it, whatever state it is in. */
    down(): Promise<void> {
        return Lab.remove(this.name);
    }

    /** Like `down`, also for the remains of a lab. */
    static async remove(name: string): Promise<void> {
        await withLabLock(checkLabName(name), () => tearDown(name));
        await withSharedLock(releaseShared);
        await rmdir(stateFolder()).catch(() => {}); // only if that was the last lab
    }

    private get record(): LabRecord {
        const record = readLab(this.name);
        if (!record) {
            throw new Error(`lab ${this.name} is not whole; remove it: lab down --name ${this.name}`);
        }
        return record;
    }

    private find(name: string): NodeRecord {
        const node = this.record.nodes.find(each => each.name === name);
        if (!node) {
            throw new Error(`lab ${this.name} has no node ${name}`);
        }
        return node;
    }

    private locked<T>(work: () => Promise<T>): Promise<T> {
        return withLabLock(this.name, work);
    }

    private async ensureOn(node: NodeRecord): Promise<void> {
        if (nodeState(this.name, node) === "off") {
            await powerOffNode(this.name, node); // remains of a node that was killed or has shut itself down
            await startNode(this.name, node);
        }
    }

    private async ensureNetwork(services: readonly Layer[]): Promise<void> {
        mkdirSync(join(labFolder(this.name), "nodes"), { recursive: true });
        await withSharedLock(() => acquireShared(services));
        if (!existsSync(this.keyFile)) {
            await run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", `lab ${this.name}`, "-f", this.keyFile]);
        }
        if (!readLab(this.name)) {
            writeLab({ name: this.name, created: new Date().toISOString(), nodes: [] });
        }
        if (!existsSync(`/run/netns/${this.namespace}`)) {
            await this.makeBridge();
        }
        await this.carryPackages(services);
    }

    private async makeBridge(): Promise<void> {
        const ip = (...words: string[]) => run(["ip", "-n", this.namespace, ...words]);
        await run(["ip", "netns", "add", this.namespace]);
        await ip("link", "set", "lo", "up");
        await ip("link", "add", "br0", "type", "bridge", "forward_delay", "0");
        await ip("addr", "add", `${gateway}/24`, "dev", "br0");
        await ip("link", "set", "br0", "up");
    }

    /** Makes the machine's package cache reachable on a port of the lab's bridge. */
    private async carryPackages(services: readonly Layer[]): Promise<void> {
        const group = `${this.name}/.packages`;
        if (processesOf(group).length > 0) {
            return;
        }
        startDetached(
            [
                ...this.enter(["unshare", "--mount", "--propagation", "private", join(scripts, "in-image.sh")]),
                ...[lowerDirs(services), createGroup(group).join(" ")],
                ...[`${dirname(packageCacheSocket())}:/run/nfv`, "--"],
                ...["socat", `TCP-LISTEN:3142,bind=${gateway},fork,reuseaddr`, "UNIX-CONNECT:/run/nfv/packages.sock"],
            ],
            join(labFolder(this.name), "services.log"),
        );
    }

    private async ensureNodes(wanted: readonly string[], image: Image, options: LabOptions): Promise<void> {
        const record = this.record;
        const known = new Set(record.nodes.map(node => node.name));
        const fresh = wanted.filter(name => !known.has(name));
        const address = addresses(
            fresh,
            record.nodes.map(node => node.address),
        );
        const created = await Promise.all(
            fresh.map(name =>
                createNode(
                    this.name,
                    {
                        name,
                        address: address[name]!,
                        image: options.image ?? "plain",
                        memoryBytes: options.memoryBytes,
                        cpus: options.cpus,
                        volumeSizes: [...(options.volumes?.[name] ?? [])],
                        userData: options.userData?.[name],
                    },
                    image,
                ),
            ),
        );
        writeLab({ ...record, nodes: [...record.nodes, ...created] });
        await Promise.all(
            wanted.map(async name => {
                await this.ensureOn(this.find(name));
                await waitForLogin(this.name, this.find(name));
            }),
        );
    }
}

const withLabLock = <T>(lab: string, work: () => Promise<T>) =>
    withLock(join(stateFolder(), `.${lab}.lock`), () => {}, work);

async function ensureImage(options: LabOptions, report: Report): Promise<Image> {
    const { image: name = "plain", nfs, addOns = [], kubernetes, userData, system } = options;
    if (nfs && system !== undefined)
        throw new Error(`the lab's NFS is for the machine's own system: leave ${system} out`);
    if (name === "machine" && (nfs || userData || system !== undefined))
        throw new Error(
            "image machine: a virtual machine always has Debian 13 and its kernel's NFS, and no cloud-init: leave --system, nfs and userData out",
        );
    const makers: Record<ImageName, (report: Report) => Promise<Image>> = {
        plain: async report => ({ layers: await plainLayers(report, system) }),
        machine: async report => ({ layers: await machineLayers(report) }),
        kubernetes: report => kubernetesImage(report, { addOns, kubernetes, system }),
    };
    const made = await makers[name](report);
    const image = userData === undefined ? made : await withCloudInit(made, report);
    return nfs ? { ...image, layers: await withNfs(image.layers, report) } : image;
}
