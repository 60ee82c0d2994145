import { Cloud } from "../../lab/openstack";

let starting: Promise<Cloud> | undefined;
let ours = false;

/** The lab's cloud, started once per test run; a cloud that runs already is used and left running. */
export function sharedCloud(): Promise<Cloud> {
    starting ??= start();
    return starting;
}

async function start(): Promise<Cloud> {
    ours = Cloud.find() === undefined;
    return Cloud.up({ onProgress: line => console.log(`      ${line}`) });
}

after("the lab's cloud", async function () {
    this.timeout("3m");
    const cloud = await starting?.catch(() => undefined);
    if (ours && !process.env["PULUMI_NFV_KEEP_CLOUD"]) {
        await (cloud ? cloud.down({ purge: true }) : Cloud.remove("cloud", { purge: true }));
    }
});
