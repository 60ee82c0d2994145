import { strict as assert } from "node:assert";
import * as path from "node:path";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { ensureBundle } from "../../tools/bundle";
import { versions } from "../../tools/versions";
import { asStory } from "../support/story";
import {
    type CloudFixture,
    destroyOrSay,
    destroyWithoutTrace,
    footprint,
    openCloudFixture,
    reachedByFloatingIp,
    readyNodes,
} from "./cloud-fixture";
import { type PackageServer, servePackages } from "./package-server";

/** The short path of docs/openstack.md at a site without Internet: Debian's own cloud image, a bundle, and the site's proxy for Debian's packages. */
describe("a cluster on servers of Debian's own cloud image", function () {
    this.timeout("25m");
    asStory(this);
    let fixture: CloudFixture;
    let packages: PackageServer;
    let untouched: Record<string, string[]>;

    const give = async (workers: number) => {
        const { images, publicNetwork: externalNetwork } = fixture.cloud;
        const cluster = {
            infrastructure: { heat: { image: images.plain, flavor: "m1.medium", externalNetwork } },
            kubernetes: { version: versions.kubernetes, source: { bundle: { path: await ensureBundle({}) } } },
            proxy: { httpProxy: packages.url },
            controlPlane: { count: 1 },
            pools: { workers: { count: workers } },
            ...{ kubelet: labKubelet, kubeProxy: labKubeProxy },
        };
        await fixture.project.setConfig({ cluster: JSON.stringify(cluster) });
    };
    const up = async () => {
        const began = Date.now();
        await fixture.project.up();
        console.log(`      ${Math.round((Date.now() - began) / 1000)} s`);
    };
    const nodes = (workers: number) => [
        "core-control-plane-1",
        ...Array.from({ length: workers }, (_, i) => `core-workers-${i + 1}`),
    ];

    before(async () => {
        fixture = await openCloudFixture("program", "stock-image", {
            programs: path.join("test", "openstack"),
            login: "lab-3",
        });
        untouched = await footprint(fixture);
        packages = await servePackages(fixture.cloud);
    });
    after(async () => {
        await destroyOrSay(fixture);
        await packages?.close();
        await fixture?.close();
    });

    it("stands after the first `up`, and is reached by its floating IP", async () => {
        await give(1);
        await fixture.project.preview();
        await up();
        assert.deepEqual(await readyNodes(fixture), nodes(1));
        await reachedByFloatingIp(fixture);
    });

    it("changes nothing when `up` runs again, and after a refresh", async () => {
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("gets another worker, and goes without a trace", async () => {
        await give(2);
        await up();
        assert.deepEqual(await readyNodes(fixture), nodes(2));
        await destroyWithoutTrace(fixture, untouched);
    });
});
