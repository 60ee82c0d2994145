import { NfvError } from "../provider/common/errors";
import { type Progress, silent } from "./progress";
import { hasProgram, run, tryRun } from "./run";

let listsUpdated: Promise<unknown> | undefined;

export interface EnsurePackagesOptions {
    onProgress?: Progress;
    /** For tests: facts about the machine. @default the real machine */
    machine?: { isRoot: boolean; hasApt: boolean; missing: (names: string[]) => Promise<string[]> };
}

/**
 * Ensures Debian packages on this machine. As root they are installed, which is announced first; otherwise an error lists the missing
 * ones, and nothing is changed. `why`: what needs them ("the lab's nodes").
 */
export async function ensurePackages(names: string[], why: string, options: EnsurePackagesOptions = {}): Promise<void> {
    const progress = options.onProgress ?? silent;
    const machine = options.machine ?? {
        isRoot: process.getuid?.() === 0,
        hasApt: (await hasProgram("apt-get")) && (await hasProgram("dpkg-query")),
        missing: missingPackages,
    };
    if (!machine.hasApt) {
        throw new NfvError({
            code: "TOOL_MISSING",
            step: why,
            cause: `this system has no apt; Debian's packages ${names.join(", ")}, or what is in them, are needed`,
            hint: "Install them by your system's means where possible, or use Debian 12. Nothing has been changed.",
        });
    }
    const missing = await machine.missing(names);
    if (missing.length === 0) {
        return;
    }
    if (!machine.isRoot) {
        throw new NfvError({
            code: "TOOL_MISSING",
            step: why,
            cause: `these Debian packages are missing: ${missing.join(", ")}`,
            hint: `As root: apt-get install ${missing.join(" ")}. Nothing has been changed.`,
        });
    }
    progress(`installing Debian packages for ${why}: ${missing.join(", ")}`);
    const env = { DEBIAN_FRONTEND: "noninteractive" };
    // Waits while another apt runs on this machine.
    const apt = ["apt-get", "-q", "-o", "DPkg::Lock::Timeout=300"];
    listsUpdated ??= run([...apt, "update"], { env, what: "update the package lists" });
    await listsUpdated;
    const flags = ["install", "-y", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold"];
    await run([...apt, ...flags, ...missing], { env, what: `install ${missing.join(", ")}` });
}

/** Those of `names` that are not installed. */
export async function missingPackages(names: string[]): Promise<string[]> {
    const { stdout } = await tryRun(["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\\n", ...names]);
    const installed = new Set(
        stdout
            .split("\n")
            .map(line => line.split(" "))
            .filter(([, status]) => status === "installed")
            .map(([name]) => name),
    );
    return names.filter(name => !installed.has(name));
}
