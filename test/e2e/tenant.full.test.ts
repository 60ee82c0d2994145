import { asStory } from "../support/story";
import { clusterArguments, type Fixture, openFixture } from "./cluster-fixture";
import { isHeldBack } from "./tenant";

/** The smallest cluster with a storage server, and somebody hostile who may deploy into it. */
describe("a cluster with a storage server and a tenant", function () {
    this.timeout("15m");
    asStory(this);
    let fixture: Fixture;

    before(async () => {
        fixture = await openFixture({
            name: "tenant",
            nodes: ["m1", "w1", "st1"],
            volumes: { st1: [2 ** 30] },
            nfs: true,
        });
        const { address, hostKey, privateKey } = fixture.lab.node("st1");
        const { volumes } = fixture.lab.status().find(({ name }) => name === "st1")!;
        const cluster = {
            ...clusterArguments(fixture.lab, { masters: ["m1"], workers: ["w1"] }),
            registries: {},
            storage: {
                server: { address, ssh: { hostKey } },
                volumes: { data: { disk: `/dev/disk/by-id/virtio-${volumes[0]!.id}` } },
                exports: { "/exports/data": { volume: "data" } },
                // The lab's client has no large writes over version 4.
                nfs3: true,
                persistentVolumes: { shared: { path: "/exports/data", capacityGiB: 1 } },
            },
        };
        await fixture.project.setConfig(
            { cluster: JSON.stringify(cluster) },
            { secrets: JSON.stringify({ privateKey }) },
        );
    });
    after(() => fixture?.close());

    it("is made", () => fixture.project.up().then(() => {}));

    isHeldBack(() => ({ fixture, controlPlane: "m1", worker: "w1", storage: "st1" }));
});
