import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { projectRoot } from "../../dev/levels";
import { PulumiProject } from "../../dev/pulumi-project";
import type { SystemName } from "../../lab/images";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import type { Cloud } from "../../lab/openstack";
import { ensureBundle } from "../../tools/bundle";
import { pulumiEnvironment } from "../../tools/pulumi-environment";
import { command, eventually } from "../e2e/cluster-fixture";
import type { FirstPlan } from "../support/plan-hash";
import { CloudRest, type Kind, type Listed, listAll, lists } from "./cloud-rest";
import { sharedCloud } from "./shared-cloud";
import { labLogin, openSiteLogin } from "./site-login";

/** An example's project on the lab's cloud, as an operator uses it. */
export interface CloudFixture {
    cloud: Cloud;
    /** Secrets of clouds.yaml that must appear nowhere else. */
    cloudSecrets: string[];
    project: PulumiProject;
    /** For firstPlanCanBeApproved. */
    firstPlan: FirstPlan;
    /** With the kubeconfig of the stack's outputs. */
    kubectl(...args: string[]): Promise<string>;
    /** Standard output of a command that reaches the floating IPs. */
    outside(...argv: string[]): Promise<string>;
    /** The project's resources of a kind. */
    list(kind: Kind): Promise<Listed[]>;
    rest: CloudRest;
    configure(values: Record<string, string | number>): Promise<void>;
    close(): Promise<void>;
}

export interface FixtureOptions {
    /** Log in as sites do: see site-login.ts. */
    siteLogin?: boolean;
    /** Name in the lab's clouds.yaml of the project's user: stories that run side by side have different ones, and none has that of `lab`, where each start of the cloud is proved. @default "lab" */
    login?: string;
    /** Folder that contains the program's folder. @default "examples" */
    programs?: string;
    /** A cloud of its own with the packages of this system. @default the lab's cloud */
    system?: SystemName;
}

export async function openCloudFixture(
    example: string,
    stack: string,
    { siteLogin = false, login: user = "lab", programs = "examples", system }: FixtureOptions = {},
): Promise<CloudFixture> {
    const say = (text: string) => console.log(`      ${text}`);
    const environment = await pulumiEnvironment({ plugins: ["kubernetes", "openstack"], onProgress: say });
    const bundle = await ensureBundle({ onProgress: say });
    const cloud = (await sharedCloud(system)).as(user);
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "nfv-cloud-"));
    const program = path.join(projectRoot, programs, example);
    const login = siteLogin ? await openSiteLogin(cloud, folder) : labLogin(cloud);
    const project = await PulumiProject.open({
        folder: program,
        pulumi: environment.pulumi,
        env: { ...environment.env, OS_CLIENT_CONFIG_FILE: login.cloudsYaml, OS_CLOUD: login.cloud },
        state: path.join(folder, "state"),
        stack,
        quietMinutes: 20,
        enter: argv => cloud.enter(argv),
    });
    const rest = new CloudRest(cloud, folder);
    return {
        cloud,
        cloudSecrets: login.secrets,
        project,
        firstPlan: { folder: program, stack, env: project.env, enter: argv => cloud.enter(argv) },
        kubectl: async (...args) => {
            const kubeconfig = path.join(folder, "kubeconfig");
            fs.writeFileSync(kubeconfig, await project.output("kubeconfig"), { mode: 0o600 });
            return command(cloud.enter([path.join(bundle, "bin", "kubectl"), "--kubeconfig", kubeconfig, ...args]));
        },
        outside: (...argv) => command(cloud.enter(argv)),
        list: async kind => (await listAll(rest, [kind]))[kind],
        rest,
        configure: values => {
            const settings = Object.entries({
                image: cloud.images.kubernetes,
                flavor: "m1.medium",
                kubelet: JSON.stringify(labKubelet),
                kubeProxy: JSON.stringify(labKubeProxy),
                ...values,
            });
            return project.setConfig(Object.fromEntries(settings.map(([key, value]) => [key, String(value)])));
        },
        close: async () => {
            await login.close();
            fs.rmSync(path.join(program, `Pulumi.${stack}.yaml`), { force: true });
            fs.rmSync(folder, { recursive: true, force: true });
        },
    };
}

/** Names of the nodes that are Ready, sorted. */
export async function readyNodes(fixture: CloudFixture): Promise<string[]> {
    const nodes = JSON.parse(await fixture.kubectl("get", "nodes", "-o", "json")).items;
    const ready = nodes.filter((node: any) =>
        node.status.conditions.some((c: any) => c.type === "Ready" && c.status === "True"),
    );
    return ready.map((node: any) => node.metadata.name).sort();
}

/** Fails unless the kubeconfig names a floating IP of the cloud. */
export async function reachedByFloatingIp(fixture: CloudFixture): Promise<void> {
    const external = await fixture.list("floating IPs");
    const host = new URL(await fixture.project.output("endpoint")).hostname;
    assert.ok(
        external.some(({ name }) => name === host),
        `${host} is a floating IP`,
    );
}

/** Name → id of the servers of the clusters named core…: other clusters may be on this cloud, too. */
export async function serverIds(fixture: CloudFixture): Promise<Record<string, string>> {
    const rows = (await fixture.list("servers")).filter(({ name }) => name.startsWith("core-"));
    return Object.fromEntries(rows.map(({ name, id }) => [name, id]));
}

/** Everything that a cluster could leave behind in the project: kind → sorted names or ids. */
export async function footprint(fixture: CloudFixture): Promise<Record<string, string[]>> {
    const found = Object.entries(await listAll(fixture.rest, Object.keys(lists) as Kind[]));
    return Object.fromEntries(found.map(([kind, rows]) => [kind, rows.map(({ id, name }) => name || id).sort()]));
}

/** `pulumi destroy`, after which the project must be as before. */
export async function destroyWithoutTrace(fixture: CloudFixture, untouched: Record<string, string[]>): Promise<void> {
    await fixture.project.destroy();
    await eventually(30, async () => assert.deepEqual(await footprint(fixture), untouched));
}

/** For `after`: what a failed story left would stop others. Says what it could not remove. */
export async function destroyOrSay(fixture: Pick<CloudFixture, "project"> | undefined): Promise<void> {
    await fixture?.project.destroy().catch((error: Error) => {
        console.log(`      what is left of this story could not be removed: ${error.message.slice(-4000)}`);
    });
}
