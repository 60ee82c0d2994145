import { existsSync, readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { killGroup, killProcess } from "../cgroups";
import { labFolder } from "../paths";
import { run } from "../process";
import { tearDown } from "../teardown";
import { rootPid } from "./root";

/** Removes a cloud, whatever state it is in. `keep` keeps its databases, volumes and root disks. */
export async function removeCloud(cloud: string, keep: boolean): Promise<void> {
    // Process 1 first: the kernel then kills everything in its namespace and lets no process start there, not even from the supervisor.
    const root = rootPid(cloud);
    if (root) {
        killProcess(root);
    }
    // The mounts and the namespaces of servers and routers disappear with their processes.
    await killGroup(cloud);
    await releaseVolumes(join(labFolder(cloud), "state/volumes"));
    await tearDown(cloud, { keepFolder: keep });
    if (keep) {
        for (const name of ["run", "root", "etc"]) {
            await rm(join(labFolder(cloud), name), { recursive: true, force: true });
        }
    }
}

/** Loop devices name their files by paths of a mount that is gone, so they are matched by inode. */
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
