import { existsSync, readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { killGroup, killProcess } from "../cgroups";
import { labFolder } from "../paths";
import { run } from "../process";
import { tearDown } from "../teardown";
import { rootPid } from "./root";

/** Ends all of a cloud, whatever state it is in; `keep`: its databases, volumes and root disks stay. */
export async function removeCloud(cloud: string, keep: boolean): Promise<void> {
    // First process 1: at that moment the kernel ends all of its namespace and lets nothing be started in it, by a supervisor or else.
    const root = rootPid(cloud);
    if (root) {
        killProcess(root);
    }
    // With its processes go its mounts and the namespaces of its servers and routers.
    await killGroup(cloud);
    await releaseVolumes(join(labFolder(cloud), "state/volumes"));
    await tearDown(cloud, { keepFolder: keep });
    if (keep) {
        for (const name of ["run", "root", "etc"]) {
            await rm(join(labFolder(cloud), name), { recursive: true, force: true });
        }
    }
}

/** Loop devices show their files by paths of a mount that has gone: they are known by their inodes. */
async function releaseVolumes(folder: string): Promise<void> {
    const files = existsSync(folder) ? readdirSync(folder).map(name => statSync(join(folder, name))) : [];
    const known = new Set(files.map(file => file.ino));
    for (const [device, inode] of loopDevices((await run(["losetup", "-n", "--raw", "-O", "NAME,BACK-INO"])).stdout)) {
        if (known.has(inode)) {
            await run(["losetup", "-d", device], { anyExit: true });
        }
    }
}

/** Devices and inodes of what `losetup` lists. */
export function loopDevices(listing: string): [string, number][] {
    return listing
        .split("\n")
        .map(line => line.trim().split(/\s+/))
        .filter(words => words.length === 2)
        .map(([device, inode]) => [device!, Number(inode)]);
}
