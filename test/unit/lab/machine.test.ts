import { strict as assert } from "node:assert";
import { emulator } from "../../../lab/machine";

describe("a virtual machine of the lab", () => {
    const node = {
        name: "m1",
        address: "10.99.0.11",
        image: "machine",
        volumes: [{ sizeBytes: 1, id: "one" }],
    } as const;
    const argv = (more: object = {}) =>
        emulator("/lab/m1", { ...node, volumes: [...node.volumes], ...more }, "52:54:00:1:2:3");

    it("has its disk first, then its volumes with their ids, and a port of its own on the lab's bridge", () => {
        const words = argv().join(" ");
        assert.match(
            words,
            /file=\/lab\/m1\/disk\.img,.*drive=d0,serial=root -drive file=\/lab\/m1\/volume-0\.img,.*drive=d1,serial=one/,
        );
        assert.match(words, /ifname=v11,.* -device virtio-net-pci,netdev=n,mac=52:54:00:1:2:3 /);
    });

    it("has two processors and 3 GiB, or what is asked", () => {
        assert.match(argv().join(" "), / -smp 2 -m 3072M /);
        assert.match(argv({ cpus: 1, memoryBytes: 2 ** 30 }).join(" "), / -smp 1 -m 1024M /);
    });
});
