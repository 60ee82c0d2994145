import type { SystemName } from "../../lab/images";
import { Cloud } from "../../lab/openstack";

const starting = new Map<string, Promise<Cloud>>();
const ours = new Set<string>();

/**
 * The lab's cloud, or a second one with the packages of this system. The level's set-up has started and proved the first; another proof for
 * each file would cost half a minute. A file that runs alone starts the cloud if there is none, and removes it afterwards.
 */
export function sharedCloud(system?: SystemName): Promise<Cloud> {
    const name = system?.replace("-", "") ?? "cloud";
    if (!starting.has(name)) starting.set(name, start(name, system));
    return starting.get(name)!;
}

async function start(name: string, system?: SystemName): Promise<Cloud> {
    const running = Cloud.find(name);
    if (running) return running;
    ours.add(name);
    return Cloud.up({ name, system, onProgress: line => console.log(`      ${line}`) });
}

after("the lab's clouds", async function () {
    this.timeout("5m");
    await Promise.allSettled(starting.values());
    if (process.env["PULUMI_NFV_KEEP_CLOUD"]) return;
    for (const name of ours) await Cloud.remove(name, { purge: true });
});
