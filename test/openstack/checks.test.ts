import { strict as assert } from "node:assert";
import { type CloudDesk, footprint, openCloudDesk } from "./cloud-desk";

/** What is wrong, how the cloud or the configuration is made so, what the preview must say, and how it is put right again. */
interface Row {
    title: string;
    config?: Record<string, string | number>;
    provoke?: (desk: CloudDesk) => Promise<unknown>;
    says: RegExp;
    undo?: (desk: CloudDesk) => Promise<unknown>;
}

const rows: Row[] = [
    { title: "a flavor that does not exist", config: { flavor: "m1.medum" }, says: /flavor.*m1\.medum.*m1\.medium/s },
    { title: "an image that does not exist", config: { image: "debian-13" }, says: /image.*debian-13/s },
    { title: "an external network that does not exist", config: { externalNetwork: "outside" }, says: /outside/ },
    {
        title: "a quota that is one server short",
        provoke: desk => desk.cloud.openstack(["quota", "set", "--instances", "4", "demo"], { admin: true }),
        says: /quota of servers: 5 more needed, 0 of 4 in use: 1 short/,
        undo: desk => desk.cloud.openstack(["quota", "set", "--instances", "20", "demo"], { admin: true }),
    },
];

for (const backEnd of ["heat", "nova"]) {
    describe(`the checks before anything is made by ${backEnd}`, function () {
        this.timeout("10m");
        let desk: CloudDesk;
        let untouched: Record<string, string[]>;

        before(async () => {
            desk = await openCloudDesk(`openstack-${backEnd}`, `checks-${backEnd}`);
            untouched = await footprint(desk);
        });

        after(async () => desk?.close());

        for (const { title, config = {}, provoke, says, undo } of rows) {
            it(`find ${title}, at preview and at up`, async () => {
                await desk.configure({ workers: 2, externalNetwork: "public", ...config });
                await provoke?.(desk);
                try {
                    for (const command of [["preview"], ["up", "--yes", "--skip-preview"]]) {
                        const { code, output } = await desk.project.start([...command, "--non-interactive"]).done;
                        assert.notEqual(code, 0, output);
                        assert.match(output, says);
                    }
                } finally {
                    await undo?.(desk);
                }
                assert.deepEqual(await footprint(desk), untouched);
            });
        }
    });
}
