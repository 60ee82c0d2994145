import assert from "node:assert/strict";
import { splitWords } from "../../../../lab/openstack/cli";
import { cloudNames, cloudsYaml } from "../../../../lab/openstack/clients";
import { flavors, quota } from "../../../../lab/openstack/project";
import { serverImage } from "../../../../lab/openstack/server-images";
import { snapshotKey } from "../../../../lab/openstack/snapshot";
import { loopDevices } from "../../../../lab/openstack/teardown";

describe("words of `lab cloud`", () => {
    it("leaves the words of another program alone", () => {
        assert.deepEqual(splitWords(["openstack", "server", "list", "--name", "x", "-f", "json"]), {
            own: ["openstack"],
            rest: ["server", "list", "--name", "x", "-f", "json"],
        });
    });

    it("takes its own options before them", () => {
        assert.deepEqual(splitWords(["--name", "c2", "openstack", "--admin", "image", "list"]), {
            own: ["--name", "c2", "openstack", "--admin"],
            rest: ["image", "list"],
        });
        assert.deepEqual(splitWords(["exec", "--name", "c2", "--", "curl", "--admin"]), {
            own: ["exec", "--name", "c2"],
            rest: ["curl", "--admin"],
        });
    });

    it("takes all words of commands of its own", () => {
        assert.deepEqual(splitWords(["down", "--purge"]), { own: ["down", "--purge"], rest: [] });
    });
});

describe("the demo project", () => {
    it("has room for 3 masters and 10 workers, and limits that can be reached", () => {
        const needed = { instances: 13, cores: 26, ram: 13 * 4096, port: 26, floatingip: 13, volumes: 26 };
        const limits: Record<string, number> = { ...quota.compute, ...quota.network, ...quota.volume };
        for (const [name, number] of Object.entries(needed)) {
            assert.ok(limits[name]! >= number && limits[name]! < 1_000_000, name);
        }
    });

    it("has a flavor that is enough for a Kubernetes master", () => {
        assert.ok(flavors.some(flavor => flavor.ram >= 2048 && flavor.vcpus >= 2 && flavor.disk >= 10));
    });
});

describe("clients of the cloud", () => {
    it("find the user and the administrator by name", () => {
        const { clouds } = JSON.parse(cloudsYaml());
        assert.equal(clouds[cloudNames.user].auth.project_name, "demo");
        assert.equal(clouds[cloudNames.admin].auth.project_name, "admin");
    });
});

describe("images of servers", () => {
    const layer = (name: string) => ({ name, key: name, folder: `/cache/${name}` });
    const least = { minDisk: 1, minRam: 1 };

    it("name their layers without the folder of the cache", () => {
        const image = serverImage("x", { layers: [layer("b"), layer("a")], containerd: "/cache/images-1" }, least);
        assert.deepEqual(image.content, { layers: ["b", "a"], containerd: "images-1" });
    });

    it("are others when a layer is another", () => {
        const key = (name: string) => serverImage("x", { layers: [layer(name)] }, least).key;
        assert.notEqual(key("a"), key("b"));
        assert.equal(key("a"), key("a"));
    });
});

describe("the snapshot of a fresh cloud", () => {
    it("fits the inputs it was made from only", () => {
        assert.equal(snapshotKey({ a: [1] }), snapshotKey({ a: [1] }));
        assert.notEqual(snapshotKey({ a: [1] }), snapshotKey({ a: [2] }));
    });
});

describe("loop devices", () => {
    it("are read with the inodes of their files; devices without a file are left out", () => {
        const listing = "/dev/loop0 123\n/dev/loop1\n/dev/loop2 456\n";
        assert.deepEqual(loopDevices(listing), [
            ["/dev/loop0", 123],
            ["/dev/loop2", 456],
        ]);
    });
});
