import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hierarchies } from "../../../lab/cgroups";
import { labFolder } from "../../../lab/paths";
import { run } from "../../../lab/process";

/** Everything on the machine that belongs to a lab, found without the lab's own functions; empty after its removal. */
export async function remainsOf(lab: string): Promise<string[]> {
    const namespace = `nfv-${lab}`;
    const found: string[] = [];
    const add = (kind: string, items: string[]) => found.push(...items.map(item => `${kind} ${item}`));
    const belongs = (text: string) => text.includes(`/${lab}/`) || new RegExp(`${namespace}(?![a-z0-9])`).test(text);

    add("mount", readFileSync("/proc/self/mountinfo", "utf8").split("\n").filter(belongs));
    add("namespace", existsSync("/run/netns") ? readdirSync("/run/netns").filter(belongs) : []);
    add("loop", (await run(["losetup", "-n", "-O", "NAME,BACK-FILE"])).stdout.split("\n").filter(belongs));
    add("link", (await run(["ip", "-o", "link"])).stdout.split("\n").filter(belongs));
    add("folder", existsSync(labFolder(lab)) ? [labFolder(lab)] : []);
    add(
        "cgroup",
        hierarchies()
            .map(({ mount }) => join(mount, "nfv-lab", lab))
            .filter(existsSync),
    );
    add("process", processes().filter(belongs));
    const propagate = "/run/systemd/nspawn/propagate";
    add("nspawn", existsSync(propagate) ? readdirSync(propagate).filter(belongs) : []);
    return found;
}

/** Command lines; zombies have none. */
function processes(): string[] {
    return readdirSync("/proc")
        .filter(entry => /^\d+$/.test(entry) && Number(entry) !== process.pid)
        .map(pid => {
            try {
                return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
            } catch {
                return "";
            }
        });
}

export const inotifyLimit = () => readFileSync("/proc/sys/fs/inotify/max_user_instances", "utf8").trim();

/** The reason why labs cannot run here, if there is one. */
export function cannotRun(): string | undefined {
    if (process.platform !== "linux" || process.getuid?.() !== 0) {
        return "needs root on Linux";
    }
    return /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8")) ? undefined : "needs Debian";
}
