import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createGroup, isRunning, processesOf } from "../cgroups";
import { startDetached } from "../detached";
import { type Layer, lowerDirs } from "../layers";
import { cacheFolder, labFolder, labNamespace } from "../paths";
import { type RunOptions, type RunResult, run, until } from "../process";
import { openstackFolder } from "./sources";

const groupOf = (cloud: string) => `${cloud}/services`;
const pidFile = (cloud: string) => join(labFolder(cloud), "run/root.pid");

/** Pid of the services' process 1, as the machine sees it. */
export function rootPid(cloud: string): number | undefined {
    const pid = existsSync(pidFile(cloud)) ? Number(readFileSync(pidFile(cloud), "utf8")) : 0;
    return pid > 0 && isRunning(pid) && processesOf(groupOf(cloud)).includes(pid) ? pid : undefined;
}

/** Makes the network namespace and root file system of the services; the machine's own stay untouched. */
export async function startRoot(cloud: string, layers: readonly Layer[]): Promise<void> {
    if (rootPid(cloud)) {
        return;
    }
    const folder = labFolder(cloud);
    rmSync(join(folder, "run"), { recursive: true, force: true });
    for (const name of ["etc", "state", "run", "log", "root"]) {
        mkdirSync(join(folder, name), { recursive: true });
    }
    writeFileSync(
        join(folder, "etc/groups"),
        createGroup(`${cloud}/servers`)
            .map(group => `${group}\n`)
            .join(""),
    );
    if (!existsSync(`/run/netns/${labNamespace(cloud)}`)) {
        await run(["ip", "netns", "add", labNamespace(cloud)]);
    }
    startDetached(
        [
            ...["nsenter", `--net=/run/netns/${labNamespace(cloud)}`],
            ...["unshare", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--propagation", "private"],
            ...[join(openstackFolder, "scripts/root.sh"), folder, lowerDirs(layers), cacheFolder(), openstackFolder],
            createGroup(groupOf(cloud)).join(" "),
        ],
        join(folder, "log/root.log"),
    );
    if (!(await until(20, () => rootPid(cloud) !== undefined))) {
        throw new Error(
            `cloud ${cloud}: its root did not start:\n${readFileSync(join(folder, "log/root.log"), "utf8")}`,
        );
    }
}

/** The same command, wrapped so that it runs where the services run. */
export function inRoot(cloud: string, argv: readonly string[], env: Record<string, string> = {}): string[] {
    const pid = rootPid(cloud);
    if (!pid) {
        throw new Error(`cloud ${cloud} is not running: lab cloud up`);
    }
    const variables = {
        PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        HOME: "/root",
        LC_ALL: "C.UTF-8",
        PYTHONDONTWRITEBYTECODE: "1",
        ...env,
    };
    const words = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
    return ["nsenter", "-t", String(pid), "-m", "-n", "-p", "-u", "-i", "env", "-i", ...words, ...argv];
}

export const runInRoot = (
    cloud: string,
    argv: readonly string[],
    options: RunOptions & { env?: Record<string, string> } = {},
): Promise<RunResult> => run(inRoot(cloud, argv, options.env), { ...options, env: undefined });
