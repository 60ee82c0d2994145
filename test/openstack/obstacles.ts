import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { projectRoot } from "../../dev/levels";
import { quota } from "../../lab/openstack/project";
import { type CloudFixture, footprint } from "./cloud-fixture";

/** Conditions in the cloud that prevent clusters, and changes by the cloud's operator. Each method returns a function that undoes the change. */
export interface Obstacles {
    shrinkQuota(left: { serversLeft: number; volumeGiB: number }): Promise<() => Promise<unknown>>;
    withoutHeat(): Promise<() => Promise<unknown>>;
    clear(): Promise<void>;
}

/** Makes those of obstacles.yaml, and those that a project cannot make: an external network with two addresses, an inactive image. */
export async function makeObstacles(fixture: CloudFixture): Promise<Obstacles> {
    const user = (...args: string[]) => fixture.cloud.openstack(args);
    const admin = (...args: string[]) => fixture.cloud.openstack(args, { admin: true });
    const clear = async () => {
        const gone = await Promise.allSettled([
            user("stack", "delete", "--yes", "--wait", "taken"),
            user("image", "delete", "obstacle-image"),
            admin("network", "delete", "obstacle-outside"),
        ]);
        const [failed] = gone.filter(each => each.status === "rejected");
        if (failed) throw failed.reason;
    };
    const setQuota = (instances: number, gigabytes: number) =>
        admin("quota", "set", "--instances", `${instances}`, "--per-volume-gigabytes", `${gigabytes}`, "demo");
    const wholeQuota = () => setQuota(quota.compute.instances, -1);
    const enableHeat = () => admin("service", "set", "--enable", "heat");

    // A killed run leaves all of these changes.
    await Promise.all([wholeQuota(), enableHeat()]);
    const { networks = [], stacks = [] } = await footprint(fixture);
    if ([...networks, ...stacks].some(name => /^(obstacle-|taken$)/.test(name))) await clear().catch(() => {});

    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "nfv-obstacles-"));
    const template = path.join(folder, "obstacles.yaml");
    fs.copyFileSync(path.join(projectRoot, "test/openstack/obstacles.yaml"), template);
    await Promise.all([
        user("stack", "create", "--wait", "-t", template, "taken"),
        user("image", "create", "--min-disk", "12", "--min-ram", "3000", "obstacle-image").then(() =>
            user("image", "set", "--deactivate", "obstacle-image"),
        ),
        admin("network", "create", "--external", "--project", "demo", "obstacle-outside").then(() =>
            admin(
                ...["subnet", "create", "--project", "demo", "--network", "obstacle-outside", "--no-dhcp"],
                ...["--subnet-range", "192.0.2.0/29", "--allocation-pool", "start=192.0.2.5,end=192.0.2.6"],
                "obstacle-outside",
            ),
        ),
    ]);
    fs.rmSync(folder, { recursive: true });
    return {
        shrinkQuota: async ({ serversLeft, volumeGiB }) => {
            const servers = (await fixture.list("servers")).length + serversLeft;
            await setQuota(servers, volumeGiB);
            return wholeQuota;
        },
        withoutHeat: async () => {
            await admin("service", "set", "--disable", "heat");
            return enableHeat;
        },
        clear,
    };
}
