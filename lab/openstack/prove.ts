import { killGroup } from "../cgroups";
import type { SystemName } from "../images";
import type { Report } from "../layers";
import { Cloud } from "./cloud";

export interface ProveOptions {
    name: string;
    system?: SystemName;
    /** New clouds, one after another. */
    starts: number;
    /** How often the last cloud is killed, all its processes at once, and started again. */
    kills: number;
    onProgress: Report;
}

/** Starts and kills clouds in a row, each with the proof of `up`. The first failure ends the series and leaves the cloud for inspection. */
export async function proveCloud({ name, system, starts, kills, onProgress }: ProveOptions): Promise<void> {
    if (Cloud.find(name)) {
        throw new Error(`cloud ${name} is running: choose another name, or end it first`);
    }
    const up = () => Cloud.up({ name, system, onProgress: line => onProgress(`    ${line}`) });
    const timed = async (what: string, work: () => Promise<unknown>) => {
        const start = Date.now();
        await work();
        onProgress(`${what}: ok after ${((Date.now() - start) / 1000).toFixed(1)} s`);
    };
    for (let i = 1; i <= starts; i++) {
        await Cloud.remove(name, { purge: true });
        await timed(`start ${i} of ${starts}`, up);
    }
    if (kills > 0 && !Cloud.find(name)) {
        await up();
    }
    for (let i = 1; i <= kills; i++) {
        if (!(await killGroup(name))) {
            throw new Error(`cloud ${name} still runs after it was killed`);
        }
        await timed(`kill ${i} of ${kills}`, up);
    }
    await Cloud.remove(name, { purge: true });
}
