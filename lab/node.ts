import { randomUUID } from "node:crypto";
import {
    chmodSync,
    chownSync,
    closeSync,
    existsSync,
    ftruncateSync,
    mkdirSync,
    openSync,
    readFileSync,
    rmSync,
    writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { createGroup, isRunning, killGroup, processesOf, removeGroup, stopGroup } from "./cgroups";
import { seedUserData } from "./cloud-init";
import { startDetached } from "./detached";
import { writeGuestFolder } from "./guest";
import type { Image, ImageName } from "./images";
import { lowerDirs } from "./layers";
import { makeDisk, startMachine } from "./machine";
import { gateway, macOf, portOf } from "./names";
import { labFolder, labNamespace, nodeFolder, nodeNamespace, scripts } from "./paths";
import { loseUnsynced } from "./power-cut";
import { run, until } from "./process";
import type { NodeRecord, Volume } from "./state";

/** Folders of a node that must not be on an overlay: the kubelet, etcd and containerd mount or sync below them. */
const ownFolders = ["containerd", "kubelet", "etcd"];

const groupOf = (lab: string, node: string) => `${lab}/${node}`;
const supervisorOf = (lab: string, node: string) => `${lab}/.supervisor-${node}`;

export type NodeState = "on" | "off" | "cut";

export interface NodeRequest {
    name: string;
    address: string;
    image: ImageName;
    memoryBytes?: number;
    cpus?: number;
    volumeSizes: number[];
    /** For cloud-init. It is not recorded, as it may contain secrets. */
    userData?: string;
}

/** Makes the folders of a node: overlay, host key, disks, its view of the machine. Does not start it. */
export async function createNode(lab: string, request: NodeRequest, image: Image): Promise<NodeRecord> {
    const folder = nodeFolder(lab, request.name);
    // A killed process may have left parts of a node; the record does not contain them, so they are unused.
    await run(["umount", "-l", join(folder, "root")], { anyExit: true });
    rmSync(folder, { recursive: true, force: true });
    for (const path of ["upper", "work", "root", "guest", ...ownFolders.map(name => `disk/${name}`)]) {
        mkdirSync(join(folder, path), { recursive: true });
    }
    writeFileSync(join(folder, "layers"), lowerDirs(image.layers));
    writeGuestFolder(join(folder, "guest"), request.memoryBytes, request.cpus);
    if (image.containerd) {
        await linkImages(image.containerd, join(folder, "disk/containerd"));
    }
    const volumes = request.volumeSizes.map((sizeBytes, i) => makeVolume(join(folder, `volume-${i}.img`), sizeBytes));
    const key = join(folder, "host_key");
    await run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key]);
    await mountRoot(folder);
    seed(folder, lab, request);
    const { volumeSizes: _, userData, ...rest } = request;
    if (userData !== undefined) seedUserData(join(folder, "root"), request.name, userData);
    if (request.image === "machine") await makeDisk(folder, request.address);
    return { ...rest, volumes, hostKey: readFileSync(`${key}.pub`, "utf8").trim() };
}

/** Hard links instead of copies; only the databases, which are written in place, are copied. */
async function linkImages(template: string, folder: string): Promise<void> {
    rmSync(folder, { recursive: true, force: true });
    // Hard links do not work across file systems; a copy is slower and larger, but correct.
    const copied = await run(["cp", "-al", template, folder], { anyExit: true });
    if (copied.code !== 0) {
        rmSync(folder, { recursive: true, force: true });
        await run(["cp", "-a", template, folder]);
    }
    const copy = 'find "$1" -name "*.db" | while read -r f; do cp -p "$f" "$f.new"; mv "$f.new" "$f"; done';
    await run(["sh", "-ec", copy, "-", folder]);
}

function makeVolume(file: string, sizeBytes: number): Volume {
    const handle = openSync(file, "w");
    ftruncateSync(handle, sizeBytes);
    closeSync(handle);
    return { sizeBytes, id: randomUUID().slice(0, 20) };
}

/** What cloud-init does in a cloud: name, keys, resolver, and the package sources. */
function seed(folder: string, lab: string, request: NodeRequest): void {
    const root = join(folder, "root");
    const write = (path: string, content: string | Buffer, mode = 0o644) => {
        rmSync(join(root, path), { force: true });
        writeFileSync(join(root, path), content, { mode });
        chmodSync(join(root, path), mode);
    };
    write("etc/hostname", `${request.name}\n`);
    write("etc/hosts", `127.0.0.1 localhost\n127.0.1.1 ${request.name}\n::1 localhost ip6-localhost\n`);
    // No server listens at this address, so look-ups fail at once; an unreachable server would delay sudo for seconds.
    write("etc/resolv.conf", `nameserver ${gateway}\noptions timeout:1 attempts:1\n`);
    write("etc/apt/apt.conf.d/90lab", `Acquire::http::Proxy "http://${gateway}:3142";\n`);
    write("etc/ssh/ssh_host_ed25519_key", readFileSync(join(folder, "host_key")), 0o600);
    write("etc/ssh/ssh_host_ed25519_key.pub", readFileSync(join(folder, "host_key.pub")));
    const key = readFileSync(join(labFolder(lab), "id.pub"));
    for (const [home, id] of [
        ["root", 0],
        ["home/debian", 1000],
    ] as const) {
        mkdirSync(join(root, home, ".ssh"), { recursive: true, mode: 0o700 });
        write(`${home}/.ssh/authorized_keys`, key, 0o600);
        chownSync(join(root, home, ".ssh"), id, id);
        chownSync(join(root, home, ".ssh/authorized_keys"), id, id);
    }
}

async function mountRoot(folder: string): Promise<void> {
    const root = join(folder, "root");
    if (readFileSync("/proc/self/mountinfo", "utf8").includes(` ${root} `)) {
        return;
    }
    const lower = readFileSync(join(folder, "layers"), "utf8");
    const options = `lowerdir=${lower},upperdir=${join(folder, "upper")},workdir=${join(folder, "work")}`;
    await run(["mount", "-t", "overlay", "overlay", "-o", options, root]);
}

/** Starts a node; does not wait for it. */
export async function startNode(lab: string, node: NodeRecord): Promise<void> {
    const folder = nodeFolder(lab, node.name);
    if (node.image === "machine") {
        // No limit of memory: QEMU needs more than the machine has.
        startMachine(lab, node, createGroup(supervisorOf(lab, node.name)), createGroup(groupOf(lab, node.name)));
        return;
    }
    await mountRoot(folder);
    const binds = ownFolders.map(name => `--bind=${join(folder, "disk", name)}:/var/lib/${name}`);
    binds.push(...(await attachVolumes(folder, node.volumes)));
    const groups = createGroup(groupOf(lab, node.name), node);
    const values = {
        NODE: node.name,
        ADDRESS: node.address,
        GATEWAY: gateway,
        MAC: macOf(lab, node.name),
        PORT: portOf(node.address),
        NAMESPACE: nodeNamespace(lab, node.name),
        LAB_NAMESPACE: labNamespace(lab),
        CGROUPS: groups.join(" "),
        BINDS: binds.join(" "),
    };
    const lines = Object.entries(values).map(([name, value]) => `${name}='${value}'\n`);
    writeFileSync(join(folder, "node.env"), lines.join(""));
    // The supervisor has a group of its own: the node's memory limit must not kill it, and a power off ends it first.
    const own = createGroup(supervisorOf(lab, node.name));
    const enter = 'for g in $1; do echo $$ >"$g/cgroup.procs"; done; shift; exec "$@"';
    startDetached(
        ["bash", "-c", enter, "-", own.join(" "), join(scripts, "node.sh"), folder],
        join(folder, "console.log"),
    );
}

async function attachVolumes(folder: string, volumes: readonly Volume[]): Promise<string[]> {
    const binds: string[] = [];
    let disks = "";
    for (const [i, volume] of volumes.entries()) {
        const file = join(folder, `volume-${i}.img`);
        const device = `vd${String.fromCharCode("b".charCodeAt(0) + i)}`;
        const known = (await run(["losetup", "-n", "-O", "NAME", "-j", file])).stdout.trim().split("\n")[0];
        const loop = known || (await run(["losetup", "--find", "--show", file])).stdout.trim();
        binds.push(`--bind=${loop}:/dev/${device}`);
        disks += `${device} virtio-${volume.id}\n`;
    }
    writeFileSync(join(folder, "guest/disks"), disks);
    return binds;
}

/** Pulls the plug: cuts the link first, then kills everything. Its volumes lose what was not synced; its root disk keeps it. */
export async function powerOffNode(lab: string, node: NodeRecord): Promise<void> {
    await killGroup(supervisorOf(lab, node.name));
    await run(["ip", "-n", labNamespace(lab), "link", "set", portOf(node.address), "down"], { anyExit: true });
    const loops = await loopDevices(lab, node);
    await loseUnsynced(loops, stopGroup(groupOf(lab, node.name)));
    if (!(await killGroup(groupOf(lab, node.name)))) {
        throw new Error(`${node.name}: some processes do not end`);
    }
    await run(["ip", "-n", labNamespace(lab), "link", "del", portOf(node.address)], { anyExit: true });
    await run(["ip", "netns", "del", nodeNamespace(lab, node.name)], { anyExit: true });
    await Promise.all([removeGroup(groupOf(lab, node.name)), removeGroup(supervisorOf(lab, node.name))]);
    await run(["umount", "-l", join(nodeFolder(lab, node.name), "root")], { anyExit: true });
    await Promise.all(loops.map(device => run(["losetup", "-d", device])));
}

/** Pulls the plug and takes the machine away with its disks. */
export async function removeNode(lab: string, node: NodeRecord): Promise<void> {
    await powerOffNode(lab, node);
    rmSync(nodeFolder(lab, node.name), { recursive: true, force: true });
}

/** Of its volumes. */
async function loopDevices(lab: string, node: NodeRecord): Promise<string[]> {
    const files = node.volumes.map((_, i) => join(nodeFolder(lab, node.name), `volume-${i}.img`));
    const found = await Promise.all(files.map(file => run(["losetup", "-j", file, "-n", "-O", "NAME"])));
    return found.flatMap(({ stdout }) => stdout.split("\n").map(line => line.trim())).filter(Boolean);
}

/** Cuts the node off without a carrier loss on either side: packets get lost, nothing else is visible. */
export async function cutNode(lab: string, node: NodeRecord, cut: boolean): Promise<void> {
    const flag = join(nodeFolder(lab, node.name), "cut");
    if (cut) {
        writeFileSync(flag, "");
    } else {
        rmSync(flag, { force: true });
    }
    const how = cut ? ["nomaster"] : ["master", "br0"];
    await run(["ip", "-n", labNamespace(lab), "link", "set", portOf(node.address), ...how]);
}

export function nodeState(lab: string, node: NodeRecord): NodeState {
    if (!processesOf(supervisorOf(lab, node.name)).some(isRunning)) {
        return "off";
    }
    return existsSync(join(nodeFolder(lab, node.name), "cut")) ? "cut" : "on";
}

/** Arguments of ssh that log in to a node and accept no host key but its own. */
export function sshArguments(lab: string, node: NodeRecord, user = "debian"): string[] {
    const known = join(nodeFolder(lab, node.name), "known_hosts");
    writeFileSync(known, `${node.address} ${node.hostKey}\n`);
    return [
        ...["ssh", "-i", join(labFolder(lab), "id"), "-o", `UserKnownHostsFile=${known}`],
        ...[
            "-o",
            "StrictHostKeyChecking=yes",
            "-o",
            "IdentitiesOnly=yes",
            "-o",
            "LogLevel=ERROR",
            "-o",
            "BatchMode=yes",
        ],
        ...["-o", "ConnectTimeout=3", `${user}@${node.address}`],
    ];
}

/** How long a boot may take until a login works. A virtual machine is emulated, and loses two of three seconds to others under load. */
export const bootSeconds = ({ image }: NodeRecord) => (image === "machine" ? 600 : 60);

/** Waits until a login works. */
export async function waitForLogin(lab: string, node: NodeRecord): Promise<void> {
    const seconds = bootSeconds(node);
    // These processes must end with this process, however it ends, because `lab down` does not know them.
    const enter = ["setpriv", "--pdeathsig", "KILL", "--", "nsenter", `--net=/run/netns/${labNamespace(lab)}`];
    const port = "until 2>/dev/null exec 3<>/dev/tcp/$0/22; do [ $SECONDS -lt $1 ] || exit 1; sleep 0.1; done";
    await run([...enter, "bash", "-c", port, node.address, String(seconds)], { anyExit: true });
    const login = [...enter, ...sshArguments(lab, node), "true"];
    if (!(await until(seconds, async () => (await run(login, { anyExit: true })).code === 0))) {
        const log = readFileSync(join(nodeFolder(lab, node.name), "console.log"), "utf8").slice(-1500);
        throw new Error(`${node.name}: no login after ${seconds} s. End of its console:\n${log}`);
    }
}
