import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { killGroup, removeGroup } from "./cgroups";
import { labFolder, labNamespace } from "./paths";
import { run, until } from "./process";

/**
 * Removes a lab by what the machine has of it (cgroups, mounts, namespaces, loop devices), not by its record: so it works after any
 * process was killed.
 */
export async function tearDown(lab: string, options: { keepFolder?: boolean } = {}): Promise<void> {
    for (let tries = 3; ; tries--) {
        try {
            return await tearDownOnce(lab, options.keepFolder ?? false);
        } catch (error) {
            // A child of a killed `lab up` may just have mounted something.
            if (tries === 1) {
                throw error;
            }
        }
    }
}

async function tearDownOnce(lab: string, keepFolder: boolean): Promise<void> {
    if (!(await killGroup(lab))) {
        throw new Error(`lab ${lab}: some of its processes do not end`);
    }
    const folder = labFolder(lab);
    for (const mount of mountsBelow(readFileSync("/proc/self/mountinfo", "utf8"), folder)) {
        await run(["umount", "-l", mount], { anyExit: true });
    }
    for (const device of await loopDevices(folder)) {
        await run(["losetup", "-d", device], { anyExit: true });
    }
    const namespaces = existsSync("/run/netns") ? readdirSync("/run/netns") : [];
    for (const name of namespaces.filter(entry => isOf(lab, entry))) {
        await run(["ip", "netns", "del", name], { anyExit: true });
    }
    await removeGroup(lab);
    for (const parent of ["/run/systemd/nspawn/propagate", "/run/systemd/nspawn/unix-export"]) {
        for (const name of existsSync(parent) ? readdirSync(parent) : []) {
            if (isOf(lab, name)) {
                await rm(join(parent, name), { recursive: true, force: true });
            }
        }
    }
    // The kernel detaches a loop device only after it has written its file system back.
    await until(5, async () => (await loopDevices(folder)).length === 0);
    if (!keepFolder) {
        await rm(folder, { recursive: true, force: true });
    }
}

const isOf = (lab: string, name: string) => name === labNamespace(lab) || name.startsWith(`${labNamespace(lab)}-`);

/** Mount points in a folder, deepest and latest first. */
export function mountsBelow(mountinfo: string, folder: string): string[] {
    return mountinfo
        .split("\n")
        .map(line => line.split(" ")[4] ?? "")
        .filter(path => path.startsWith(`${folder}/`))
        .reverse();
}

async function loopDevices(folder: string): Promise<string[]> {
    const { stdout } = await run(["losetup", "-n", "--raw", "-O", "NAME,BACK-FILE"], { anyExit: true });
    return stdout
        .split("\n")
        .map(line => line.split(" "))
        .filter(([, file]) => file?.startsWith(`${folder}/`))
        .map(([name]) => name!);
}
