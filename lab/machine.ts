import { chmodSync, copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensurePackages } from "../tools/system-packages";
import { startDetached } from "./detached";
import { baseLayer, kubernetesPackages, packageLayer } from "./images";
import { ensureLayer, type Layer, type Report, runOnLayers, scriptInputs } from "./layers";
import { gateway, macOf, portOf } from "./names";
import { labNamespace, nodeFolder, scripts } from "./paths";
import { run } from "./process";
import type { NodeRecord } from "./state";

const packages = [
    ...["linux-image-cloud-amd64", "initramfs-tools", "udev", "nfs-kernel-server", "rpcbind"],
    ...kubernetesPackages,
];

const defaults = { memoryBytes: 3 * 2 ** 30, cpus: 2, diskBytes: 12 * 2 ** 30 };

/**
 * What a virtual machine consists of: Debian 13 with a kernel of its own, so cgroups of version 2, modules, nftables, NFS in the kernel, swap. QEMU translates its
 * instructions, because KVM may be missing: the machine boots in about 40 s, and everything on it takes several times as long as on other nodes.
 */
export async function machineLayers(report: Report): Promise<Layer[]> {
    if (process.arch !== "x64") throw new Error("the lab makes virtual machines for amd64 only");
    await ensurePackages(["qemu-system-x86"], "the lab's virtual machines", { onProgress: report });
    const base = await baseLayer(report, "debian-13");
    const what = "kernel and packages of a virtual machine";
    const below = [await packageLayer("machine-packages", what, packages, [base], report), base];
    const own = await ensureLayer(
        {
            name: "machine",
            what: "the lab's own part of a virtual machine",
            inputs: { scripts: scriptInputs("layer-machine.sh") },
            below,
            build: (folder, draft) => runOnLayers(below, folder, draft, "layer-machine.sh", []),
        },
        report,
    );
    return [own, ...below];
}

/** Makes the disk of a folder's `root`, and takes the kernel out of it: QEMU starts a kernel by itself, without a boot loader. */
export async function makeDisk(folder: string, address: string): Promise<void> {
    const root = join(folder, "root");
    const network = join(root, "etc/systemd/network");
    mkdirSync(network, { recursive: true });
    const file = join(network, "10-lab.network");
    writeFileSync(file, `[Match]\nName=eth0\n[Network]\nAddress=${address}/24\nGateway=${gateway}\n`);
    chmodSync(file, 0o644); // systemd-networkd reads it as a user of its own
    for (const name of ["vmlinuz", "initrd.img"]) {
        const [found] = readdirSync(join(root, "boot")).filter(entry => entry.startsWith(`${name}-`));
        copyFileSync(join(root, "boot", found!), join(folder, name));
    }
    const disk = join(folder, "disk.img");
    await run(["truncate", "-s", String(defaults.diskBytes), disk]);
    await run(["mkfs.ext4", "-q", "-d", root, disk]);
    await run(["umount", root]);
    for (const path of ["upper", "work"]) rmSync(join(folder, path), { recursive: true, force: true });
}

/** Starts QEMU in the lab's network, its processes in the node's cgroups and under a supervisor as that of other nodes; does not wait for it. */
export function startMachine(lab: string, node: NodeRecord, supervisor: readonly string[], groups: readonly string[]) {
    const folder = nodeFolder(lab, node.name);
    startDetached(
        [
            ...["nsenter", `--net=/run/netns/${labNamespace(lab)}`, join(scripts, "machine.sh"), folder],
            ...[portOf(node.address), supervisor.join(" "), groups.join(" ")],
            ...emulator(folder, node, macOf(lab, node.name)),
        ],
        join(folder, "console.log"),
    );
}

/** Pure. */
export function emulator(
    folder: string,
    { address, cpus = defaults.cpus, memoryBytes = defaults.memoryBytes, volumes }: Omit<NodeRecord, "hostKey">,
    mac: string,
): string[] {
    const disks = [{ file: "disk.img", id: "root" }, ...volumes.map(({ id }, i) => ({ file: `volume-${i}.img`, id }))];
    return [
        ...["qemu-system-x86_64", "-M", "q35", "-accel", "tcg,thread=multi,tb-size=512", "-cpu", "max"],
        ...["-smp", String(Math.ceil(cpus)), "-m", `${Math.floor(memoryBytes / 2 ** 20)}M`],
        ...["-nodefaults", "-display", "none", "-serial", "stdio"],
        ...["-kernel", join(folder, "vmlinuz"), "-initrd", join(folder, "initrd.img")],
        ...["-append", "root=/dev/vda rw console=ttyS0 net.ifnames=0 mitigations=off quiet"],
        // The machine of the lab syncs nothing: what the virtual one has flushed is in this machine's memory, and outlives a pulled plug.
        ...disks.flatMap(({ file, id }, i) => [
            ...["-drive", `file=${join(folder, file)},if=none,id=d${i},format=raw,cache=unsafe`],
            ...["-device", `virtio-blk-pci,drive=d${i},serial=${id}`],
        ]),
        ...["-netdev", `tap,id=n,ifname=${portOf(address)},script=no,downscript=no`],
        ...["-device", `virtio-net-pci,netdev=n,mac=${mac}`, "-device", "virtio-rng-pci"],
    ];
}
