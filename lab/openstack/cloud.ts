import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "../../tools/lock";
import { writeGuestFolder } from "../guest";
import type { SystemName } from "../images";
import type { Layer, Report } from "../layers";
import { checkLabName } from "../names";
import { labFolder, labNamespace, stateFolder } from "../paths";
import { ensurePrerequisites } from "../prerequisites";
import { run } from "../process";
import { raiseInotify, releaseShared, withSharedLock } from "../shared";
import { cloudNames, cloudsYaml } from "./clients";
import { configFiles } from "./configs";
import { createDatabases, migrations } from "./database";
import { type Health, healthOf, readReport } from "./health";
import { cloudLayers } from "./packages";
import { bootstrapInput, flavors } from "./project";
import { defaultSystem, releaseOf, releases, systemFile, systemOf } from "./releases";
import { inRoot, rootPid, runInRoot, startRoot } from "./root";
import { imageNames, type ServerImage, serverImages } from "./server-images";
import { apiAddress, inside, publicNetwork } from "./settings";
import { restoreSnapshot, saveSnapshot, snapshotKey } from "./snapshot";
import { textOf } from "./sources";
import {
    bootstrap,
    migrate,
    startInfrastructure,
    startServices,
    startSupervisor,
    stopDatabase,
    writeFiles,
} from "./start";
import { supervisor } from "./supervisor";
import { removeCloud } from "./teardown";

export interface CloudOptions {
    /** Small letters and digits. @default "cloud" */
    name?: string;
    /** Its packages: Zed of Debian 12 or 2025.1 of Debian 13. Servers are the same on both. @default that of the cloud if there is one, else "debian-12" */
    system?: SystemName;
    /** Receives a line about each thing that takes time. */
    onProgress?: Report;
}

export interface CloudStatus {
    name: string;
    system: SystemName;
    namespace: string;
    api: string;
    cloudsYaml: string;
    services: (Health & { name: string; log: string })[];
}

/** An OpenStack in a network namespace of its own: Keystone, Glance, Placement, Nova, Neutron, Cinder, Heat. */
export class Cloud {
    private constructor(
        readonly name: string,
        /** Name in clouds.yaml with which commands log in. */
        readonly login: string = cloudNames.user,
    ) {}

    /** Makes the cloud, or the missing parts of it. Returns when it can create servers. */
    static async up(options: CloudOptions = {}): Promise<Cloud> {
        const cloud = new Cloud(checkLabName(options.name ?? "cloud"));
        const report = options.onProgress ?? (() => {});
        const system = systemFor(cloud.name, options.system);
        await ensurePrerequisites();
        const layers = await cloudLayers(report, system);
        const images = await serverImages(report);
        const waiting = (holder: string) => report(`process ${holder} is busy with cloud ${cloud.name}, waiting`);
        await withLock(join(stateFolder(), `.${cloud.name}.lock`), waiting, () =>
            cloud.ensure(system, layers, images, report),
        );
        return cloud;
    }

    /** The cloud of this name, if it runs. */
    static find(name = "cloud"): Cloud | undefined {
        return rootPid(checkLabName(name)) ? new Cloud(name) : undefined;
    }

    /** Like `find`, but its absence is an error. */
    static attach(name = "cloud"): Cloud {
        const cloud = Cloud.find(name);
        if (!cloud) {
            throw new Error(`cloud ${name} is not running: lab cloud up`);
        }
        return cloud;
    }

    /** Removes a cloud or the remains of one. `purge` also deletes its databases, volumes and servers. */
    static async remove(name = "cloud", options: { purge?: boolean } = {}): Promise<void> {
        checkLabName(name);
        const lock = join(stateFolder(), `.${name}.lock`);
        await withLock(
            lock,
            () => {},
            () => removeCloud(name, !options.purge && isComplete(name)),
        );
        await withSharedLock(releaseShared);
    }

    /** The same cloud for the user of another project (`projects` in clients.ts). */
    as(login: string): Cloud {
        return new Cloud(this.name, login);
    }

    down(options: { purge?: boolean } = {}): Promise<void> {
        return Cloud.remove(this.name, options);
    }

    /** Whose packages it runs. */
    get system(): SystemName {
        return systemOf(this.name);
    }

    /** Network namespace, as `ip netns` names it: APIs and floating addresses are reached from here. */
    get namespace(): string {
        return labNamespace(this.name);
    }

    /** File for OS_CLIENT_CONFIG_FILE; the clouds in it are `lab` (project demo), those of the other projects, and `lab-admin`. */
    get cloudsYaml(): string {
        return join(labFolder(this.name), "clouds.yaml");
    }

    /** Names of the images in Glance. */
    readonly images = imageNames;
    readonly flavors = flavors;
    readonly publicNetwork = publicNetwork.name;

    /** The same command, wrapped so that it runs in the cloud's network: for pulumi, kubectl, ssh. */
    enter(argv: readonly string[], env: Record<string, string> = {}): string[] {
        const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
        return [
            "nsenter",
            `--net=/run/netns/${this.namespace}`,
            ...(variables.length ? ["env", ...variables] : []),
            ...argv,
        ];
    }

    /** Variables that select this cloud for any OpenStack client. */
    environment(options: { admin?: boolean } = {}): Record<string, string> {
        return {
            OS_CLIENT_CONFIG_FILE: this.cloudsYaml,
            OS_CLOUD: options.admin ? cloudNames.admin : this.login,
        };
    }

    /** The `openstack` command of the cloud's own packages. Files that it reads must be below /tmp. */
    openstackArgv(args: readonly string[], options: { admin?: boolean } = {}): string[] {
        const env = { ...this.environment(options), OS_CLIENT_CONFIG_FILE: `${inside.cloud}/clouds.yaml` };
        return inRoot(this.name, ["openstack", ...args], env);
    }

    /** Standard output of the `openstack` command; an exit code other than 0 is an error. */
    async openstack(args: readonly string[], options: { admin?: boolean } = {}): Promise<string> {
        return (await run(this.openstackArgv(args, options))).stdout;
    }

    /** The same as JSON, parsed. */
    async json<T = Record<string, unknown>>(args: readonly string[], options: { admin?: boolean } = {}): Promise<T> {
        return JSON.parse(await this.openstack([...args, "-f", "json"], options)) as T;
    }

    /** Everything that a server has printed on its console. */
    consoleLog(serverId: string): string {
        const file = join(labFolder(this.name), "state/servers", serverId, "console.log");
        return existsSync(file) ? readFileSync(file, "utf8") : "";
    }

    logFile(service: string): string {
        return join(labFolder(this.name), "log", `${service}.log`);
    }

    async status(): Promise<CloudStatus> {
        const alive = (await runInRoot(this.name, [`${inside.scripts}/alive.sh`])).stdout.split("\n");
        const health = healthOf(releaseOf(this.name), alive, readReport(this.name), Date.now() / 1000);
        return {
            name: this.name,
            system: this.system,
            namespace: this.namespace,
            api: apiAddress,
            cloudsYaml: this.cloudsYaml,
            services: Object.entries(health).map(([name, each]) => ({ name, ...each, log: this.logFile(name) })),
        };
    }

    private async ensure(
        system: SystemName,
        layers: readonly Layer[],
        images: readonly ServerImage[],
        report: Report,
    ): Promise<void> {
        const release = releases[system];
        const configs = configFiles(release);
        const key = snapshotKey([
            layers.map(layer => layer.key),
            configs,
            bootstrapInput([], release), // images are updated at every start
            createDatabases(),
            migrations,
            textOf("python/bootstrap.py"),
        ]);
        const folder = labFolder(this.name);
        if (rootPid(this.name) && isComplete(this.name)) {
            return this.refresh(images, report);
        }
        const start = Date.now();
        await removeCloud(this.name, isComplete(this.name)); // remains of a killed cloud
        const complete = isComplete(this.name) || (await restoreSnapshot(this.name, key));
        mkdirSync(join(folder, "run"), { recursive: true });
        await withSharedLock(async () => raiseInotify());
        await startRoot(this.name, layers);
        writeFileSync(systemFile(this.name), system);
        writeFiles(join(folder, "etc"), configs);
        writeFiles(folder, { "clouds.yaml": cloudsYaml() });
        writeGuests(join(folder, "guest"));
        report("database and message queue …");
        await startInfrastructure(this.name);
        if (!complete) {
            report("tables of the databases (about a minute) …");
            await migrate(this.name);
        }
        await startServices(this.name, images, !complete, report);
        if (!complete) {
            report("snapshot for the next time …");
            await stopDatabase(this.name);
            await saveSnapshot(this.name, key);
            await startInfrastructure(this.name);
        }
        await this.prove(images, report);
        writeFileSync(completeFile(this.name), "");
        report(`cloud ${this.name} is up after ${((Date.now() - start) / 1000).toFixed(1)} s`);
    }

    /** Starts services that have ended, replaces images whose layers have changed, and proves that all work. */
    private async refresh(images: readonly ServerImage[], report: Report): Promise<void> {
        const { services } = await this.status();
        const off = services.filter(({ name, state }) => state === "dead" && name !== supervisor.name);
        if (off.length > 0) {
            report(`starting ${off.map(service => service.name).join(", ")} …`);
            await startInfrastructure(this.name);
            await startServices(this.name, images, false, report);
        } else {
            await bootstrap(this.name, ["resources", "ready"], images);
        }
        await this.prove(images, report);
    }

    /** From here on the supervisor restarts what the proof has shown to work. */
    private async prove(images: readonly ServerImage[], report: Report): Promise<void> {
        await startSupervisor(this.name);
        const start = Date.now();
        await bootstrap(this.name, ["prove"], images);
        const seconds = ((Date.now() - start) / 1000).toFixed(1);
        report(`router, DHCP, floating address and volume proved in ${seconds} s`);
    }
}

const completeFile = (cloud: string) => join(labFolder(cloud), "state/complete");
const isComplete = (cloud: string) => existsSync(completeFile(cloud));

/** Databases of one release fit no other one. */
function systemFor(cloud: string, wanted: SystemName | undefined): SystemName {
    if (!isComplete(cloud)) {
        return wanted ?? defaultSystem;
    }
    const present = systemOf(cloud);
    if (wanted !== undefined && wanted !== present) {
        throw new Error(
            `cloud ${cloud} is of ${present}: end it with lab cloud down --purge, or choose another --name`,
        );
    }
    return present;
}

/** What servers see of the machine, for each size that a flavor has. */
function writeGuests(folder: string): void {
    rmSync(folder, { recursive: true, force: true });
    writeGuestFolder(join(folder, "default"), undefined, undefined);
    for (const { ram, vcpus } of flavors) {
        writeGuestFolder(join(folder, `${ram}-${vcpus}`), ram * 2 ** 20, vcpus);
    }
}
