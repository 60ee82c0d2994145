import { Cloud } from "../../lab/openstack";

let starting: Promise<Cloud> | undefined;
let ours = false;

/**
 * The lab's cloud. The level's set-up has started and proved it; another proof for each file would cost half a minute. A file that runs alone
 * starts the cloud if there is none, and removes it afterwards.
 */
export function sharedCloud(): Promise<Cloud> {
    starting ??= start();
    return starting;
}

async function start(): Promise<Cloud> {
    const running = Cloud.find();
    if (running) return running;
    ours = true;
    return Cloud.up({ onProgress: line => console.log(`      ${line}`) });
}

after("the lab's cloud", async function () {
    this.timeout("3m");
    const cloud = await starting?.catch(() => undefined);
    if (ours && !process.env["PULUMI_NFV_KEEP_CLOUD"]) {
        await (cloud ? cloud.down({ purge: true }) : Cloud.remove("cloud", { purge: true }));
    }
});
