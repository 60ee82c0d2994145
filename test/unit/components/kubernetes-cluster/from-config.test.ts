import assert from "node:assert/strict";
import type { KubernetesClusterArgs } from "../../../../components";
import { withOperated } from "../../../../components/kubernetes-cluster/from-config";

const args = {
    infrastructure: { hosts: {} },
    kubernetes: { version: "1.34.4", source: { image: {} } },
    controlPlane: { count: 1, flavor: "a" },
    pools: { workers: { count: 2, labels: { tier: "a" } }, gpu: {} },
} as unknown as KubernetesClusterArgs;
const operated = (value: object) => withOperated(args, value, "pulumi-nfv:cluster");

describe("the arguments of a cluster with what operations have set", () => {
    it("have the counts and the version of the configuration, and all else of the program", () => {
        const found = operated({
            controlPlane: { count: "3" },
            pools: { workers: { count: 5 } },
            kubernetes: { version: "1.35.1" },
        });
        assert.deepEqual(found, {
            ...args,
            controlPlane: { count: 3, flavor: "a" },
            pools: { workers: { count: 5, labels: { tier: "a" } }, gpu: {} },
            kubernetes: { version: "1.35.1", source: { image: {} } },
        });
        assert.equal(args.pools!["workers"]!.count, 2, "the program's own arguments stay");
    });

    it("have the folder of the bundle, where the program takes Kubernetes from a bundle", () => {
        const source = { bundle: { path: "./bundle-1.34.4", caches: 2 } } as never;
        const kubernetes = { version: "1.35.1", source: { bundle: { path: "./bundle-1.35.1" } } };
        const found = withOperated({ ...args, kubernetes: { version: "1.34.4", source } }, { kubernetes }, "here");
        assert.deepEqual(found.kubernetes, {
            version: "1.35.1",
            source: { bundle: { path: "./bundle-1.35.1", caches: 2 } },
        });
    });

    it("have a heal, as an object or as its JSON text", () => {
        const heal = { run: "2026", nodes: ["w1"] };
        for (const value of [heal, JSON.stringify(heal), { run: 2026, nodes: ["w1"] }])
            assert.deepEqual(operated({ heal: value }).heal, heal);
    });

    it("have the word of a snapshot beside the program's repository, and a restore", () => {
        const etcdBackup = { repository: { folder: "/mnt/backup" }, password: "x", run: "old" };
        const found = withOperated(
            { ...args, etcdBackup },
            { etcdBackup: { run: "job-7" }, etcdRestore: { run: 7, snapshot: "0123abcd", onto: "newMachines" } },
            "pulumi-nfv:cluster",
        );
        assert.deepEqual(found.etcdBackup, { ...etcdBackup, run: "job-7" });
        assert.deepEqual(found.etcdRestore, { run: "7", snapshot: "0123abcd", onto: "newMachines" });
    });

    it("have words of rotations beside those of the program: one that went would take its rotation back", () => {
        const rotate = { loginKey: "2025", authorities: "2025", authoritiesGraceHours: 24 };
        const set = { rotate: { authorities: 2026, authoritiesGraceHours: "0", encryptionKey: 2026 } };
        const found = withOperated({ ...args, rotate }, set, "pulumi-nfv:cluster").rotate;
        assert.deepEqual(found, {
            ...{ loginKey: "2025", encryptionKey: "2026", authorities: "2026", authoritiesGraceHours: 0 },
        });
        assert.throws(() => operated({ rotate: { ca: "a" } }), /cluster\.rotate\.ca: operations do not set this/);
    });

    it("without anything are those of the program", () => assert.deepEqual(operated({}), args));

    const refused: [object, RegExp][] = [
        [{ pools: { worker: { count: 1 } } }, /pools\.worker: the program has no such pool; it has workers, gpu/],
        [{ pools: { workers: { labels: {} } } }, /pools\.workers\.labels: operations do not set this/],
        [{ network: {} }, /cluster\.network: operations do not set this/],
        [{ pools: { workers: { count: "many" } } }, /count: a whole number/],
        [{ pools: { workers: { count: -1 } } }, /count: a whole number/],
        [{ controlPlane: { count: 1.5 } }, /count: a whole number/],
        [{ etcdBackup: { run: "a" } }, /etcdBackup: the program has no etcdBackup/],
        [{ etcdRestore: { snapshot: "0123abcd" } }, /etcdRestore: run is missing/],
        [{ etcdRestore: { run: "a", password: "b" } }, /etcdRestore\.password: operations do not set this/],
        [
            { kubernetes: { source: { bundle: { path: "b" } } } },
            /kubernetes\.source: the program has image, and no bundle/,
        ],
        [{ kubernetes: { source: { apt: {} } } }, /kubernetes\.source\.apt: operations do not set this/],
        [{ heal: "w1" }, /heal: an object, or its JSON text/],
        [{ heal: { nodes: ["w1"] } }, /run is missing/],
        [{ pools: [] }, /pools: an object is expected/],
    ];
    for (const [value, message] of refused) {
        it(`${JSON.stringify(value)} is refused`, () => assert.throws(() => operated(value), message));
    }
});
