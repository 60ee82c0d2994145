import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { createConnection, createServer, type NetConnectOpts } from "node:net";
import { join } from "node:path";
import { withLock } from "../tools/lock";
import { createGroup, killGroup, removeGroup, removeTop } from "./cgroups";
import { startDetached } from "./detached";
import { type Layer, lowerDirs } from "./layers";
import { cacheFolder, scripts, stateFolder } from "./paths";
import { run, until } from "./process";

/**
 * What all labs of the machine share: the raised inotify limit and the package cache. The last lab removes both. Labs are recognised
 * by their folders; a counter would be wrong after a killed process.
 */
const group = ".shared";
const inotifyLimit = "/proc/sys/fs/inotify/max_user_instances";
const inotifyNeeded = 8192;

const folder = () => join(stateFolder(), group);
export const packageCacheSocket = () => join(folder(), "run", "packages.sock");

/** Serialises the creation and removal of labs. */
export const withSharedLock = <T>(work: () => Promise<T>) => withLock(join(stateFolder(), ".lock"), () => {}, work);

export function labNamesIn(state: string): string[] {
    return existsSync(state)
        ? readdirSync(state).filter(entry => !entry.startsWith(".") && existsSync(join(state, entry, "nodes")))
        : [];
}

/** Folders of running clouds (see openstack/root.ts): they need the raised limit too. */
function cloudsIn(state: string): string[] {
    return existsSync(state) ? readdirSync(state).filter(entry => existsSync(join(state, entry, "run/root.pid"))) : [];
}

/** Call it under the shared lock. */
export async function acquireShared(services: readonly Layer[]): Promise<void> {
    mkdirSync(join(folder(), "run"), { recursive: true });
    raiseInotify();
    if (!(await answers({ path: packageCacheSocket() }))) {
        await startPackageCache(services);
    }
}

/** Call it under the shared lock after a lab's folder has been removed. */
export async function releaseShared(): Promise<void> {
    if (labNamesIn(stateFolder()).length > 0 || cloudsIn(stateFolder()).length > 0) {
        return;
    }
    await killGroup(group);
    await removeGroup(group);
    removeTop();
    const old = join(folder(), "inotify");
    if (existsSync(old)) {
        writeFileSync(inotifyLimit, readFileSync(old, "utf8"));
    }
    await rm(folder(), { recursive: true, force: true });
    await removeEmptyNetnsMount();
}

/** Call it under the shared lock. */
export function raiseInotify(): void {
    mkdirSync(folder(), { recursive: true });
    const now = readFileSync(inotifyLimit, "utf8").trim();
    if (Number(now) < inotifyNeeded) {
        writeFileSync(join(folder(), "inotify"), now);
        writeFileSync(inotifyLimit, String(inotifyNeeded));
    }
}

/** `ip netns add` turns /run/netns into a mount. */
async function removeEmptyNetnsMount(): Promise<void> {
    if (existsSync("/run/netns") && readdirSync("/run/netns").length === 0) {
        await run(["umount", "/run/netns"], { anyExit: true });
    }
}

/** A configuration of our own, because Debian's Remap lines would send requests to mirrors that may not be reachable. */
export function packageCacheConfig(port: number, proxy?: string): string {
    return [
        "CacheDir: /cache",
        "LogDir: /run/nfv",
        "BindAddress: 127.0.0.1",
        `Port: ${port}`,
        "SocketPath:",
        "PidFile:",
        "ForeGround: 1",
        "Offlinemode: 0",
        "ExThreshold: 30",
        "VerboseLog: 0",
        "PassThroughPattern: .*",
        ...(proxy ? [`Proxy: ${proxy}`] : []),
        "",
    ].join("\n");
}

async function startPackageCache(services: readonly Layer[]): Promise<void> {
    await killGroup(group);
    const groups = createGroup(group);
    const cache = join(cacheFolder(), "packages");
    const config = join(folder(), "conf");
    mkdirSync(cache, { recursive: true });
    mkdirSync(config, { recursive: true });
    rmSync(packageCacheSocket(), { force: true });
    const { stdout } = await run(["apt-config", "shell", "PROXY", "Acquire::http::Proxy"]);
    const port = await freePort();
    writeFileSync(join(config, "acng.conf"), packageCacheConfig(port, /^PROXY='(.+)'$/m.exec(stdout)?.[1]));
    const start = (argv: string[]) =>
        startDetached(
            [
                ...["unshare", "--mount", "--propagation", "private", join(scripts, "in-image.sh")],
                ...[lowerDirs(services), groups.join(" ")],
                ...[`${config}:/conf`, `${cache}:/cache`, `${join(folder(), "run")}:/run/nfv`, "--", ...argv],
            ],
            join(folder(), "log"),
        );
    start(["apt-cacher-ng", "-c", "/conf"]);
    // A socket in the file system is reachable from every lab's network; a port would not be.
    start(["socat", "UNIX-LISTEN:/run/nfv/packages.sock,fork,unlink-early", `TCP:127.0.0.1:${port}`]);
    const up = async () =>
        (await answers({ port, host: "127.0.0.1" })) && (await answers({ path: packageCacheSocket() }));
    if (!(await until(10, up))) {
        throw new Error(
            `the package cache did not start:\n${readFileSync(join(folder(), "log"), "utf8").slice(-1000)}`,
        );
    }
}

/** apt-cacher-ng takes no port above 32767. */
async function freePort(): Promise<number> {
    for (;;) {
        const port = 20_000 + Math.floor(Math.random() * 12_000);
        if (await canListen(port)) {
            return port;
        }
    }
}

function canListen(port: number): Promise<boolean> {
    return new Promise(resolve => {
        const server = createServer();
        server.on("error", () => resolve(false));
        server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
}

function answers(where: NetConnectOpts): Promise<boolean> {
    return new Promise(resolve => {
        const connection = createConnection(where);
        connection.on("connect", () => {
            connection.destroy();
            resolve(true);
        });
        connection.on("error", () => resolve(false));
    });
}
