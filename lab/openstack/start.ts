import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Report } from "../layers";
import { labFolder } from "../paths";
import { CommandFailed } from "../process";
import { cloudNames } from "./clients";
import { createDatabases, discoverHosts, migrations } from "./database";
import { bootstrapInput } from "./project";
import { releaseOf } from "./releases";
import { runInRoot } from "./root";
import type { ServerImage } from "./server-images";
import { agents, commandOf, controllers, infrastructure, keystone, lateControllers, type Service } from "./services";
import { apiAddress, inside, ports } from "./settings";
import { supervisor, supervisorTable } from "./supervisor";

const script = (name: string) => `${inside.scripts}/${name}`;

/** Starts services that do not run yet; returns without waiting for them. */
async function start(cloud: string, services: readonly Service[]): Promise<void> {
    for (const service of services) {
        await runInRoot(cloud, [script("start.sh"), service.name, ...commandOf(service)]);
    }
}

/** Returns when all services that have a port listen. */
async function listening(cloud: string, services: readonly Service[], seconds = 240): Promise<void> {
    const words = services.flatMap(({ name, listens }) =>
        (listens ?? []).flatMap(({ address, port }) => [name, address, String(port)]),
    );
    try {
        await runInRoot(cloud, [script("wait-ports.sh"), String(seconds), ...words]);
    } catch (error) {
        throw explained(cloud, error);
    }
}

/** The last line of an error of a script or of bootstrap.py begins with the name of the service that caused it, if one did. */
export const blamedService = (said: string) => /^([a-z0-9-]+):? [^\n]*$/m.exec(said.split("\n").at(-1) ?? "")?.[1];

/** The error with the end of the log of the service that it names. */
function explained(cloud: string, error: unknown): unknown {
    const text = error instanceof CommandFailed ? error.result.stderr.trim() : "";
    const log = join(labFolder(cloud), "log", `${blamedService(text)}.log`);
    return existsSync(log) ? new Error(`${text}. End of ${log}:\n${readFileSync(log, "utf8").slice(-2000)}`) : error;
}

export async function startInfrastructure(cloud: string): Promise<void> {
    await runInRoot(cloud, [script("infrastructure.sh"), apiAddress]);
    const services = infrastructure(releaseOf(cloud));
    await start(cloud, services);
    await listening(cloud, services);
}

export async function migrate(cloud: string): Promise<void> {
    const socket = `${inside.run}/mysqld.sock`;
    await runInRoot(cloud, ["mariadb", "--no-defaults", "-uroot", "-S", socket], { stdin: createDatabases() });
    await Promise.all(
        migrations.map(async commands => {
            for (const command of commands) {
                await runInRoot(cloud, command);
            }
        }),
    );
}

/** Runs phases of python/bootstrap.py in one process. */
export async function bootstrap(
    cloud: string,
    phases: readonly Phase[],
    images: readonly ServerImage[],
): Promise<void> {
    const env = { OS_CLIENT_CONFIG_FILE: `${inside.cloud}/clouds.yaml`, OS_CLOUD: cloudNames.admin };
    const stdin = JSON.stringify(bootstrapInput(images, releaseOf(cloud)));
    const argv = ["timeout", "600", "python3", `${inside.python}/bootstrap.py`, ...phases];
    try {
        await runInRoot(cloud, argv, { env, stdin });
    } catch (error) {
        throw explained(cloud, error);
    }
}

export type Phase = "identity" | "resources" | "ready" | "prove";

/** Replaces a running supervisor: it may hang or have an older table. */
export async function startSupervisor(cloud: string): Promise<void> {
    writeFiles(join(labFolder(cloud), "etc"), { "services.json": JSON.stringify(supervisorTable(releaseOf(cloud))) });
    await runInRoot(cloud, [script("stop.sh"), supervisor.name]);
    await start(cloud, [supervisor]);
}

/** Starts all services. `fresh`: their users are not in Keystone yet. */
export async function startServices(
    cloud: string,
    images: readonly ServerImage[],
    fresh: boolean,
    report: Report,
): Promise<void> {
    await start(cloud, [keystone]);
    await start(cloud, controllers);
    await listening(cloud, [keystone]);
    if (fresh) {
        report("users and services in Keystone …");
        await bootstrap(cloud, ["identity"], images);
    }
    await listening(
        cloud,
        controllers.filter(service => service.listens?.some(({ port }) => port === ports.placement)),
    );
    await start(cloud, lateControllers);
    report("controllers and agents …");
    // Neutron's agents never get an answer to calls made before the server listens: they would wait 20 seconds.
    await listening(
        cloud,
        controllers.filter(service => service.listens?.some(({ port }) => port === ports.neutron)),
    );
    await start(cloud, agents(releaseOf(cloud)));
    await listening(cloud, controllers);
    await bootstrap(cloud, ["resources", "ready"], images);
    if (fresh) {
        await runInRoot(cloud, discoverHosts);
    }
}

export function writeFiles(folder: string, files: Record<string, string>): void {
    for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
    }
}

/** Shuts the database down cleanly, so that its files are complete. */
export const stopDatabase = (cloud: string) => runInRoot(cloud, [script("stop-database.sh")]);
