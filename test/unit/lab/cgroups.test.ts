import assert from "node:assert/strict";
import { chooseCpus, expandCpus, parseHierarchies } from "../../../lab/cgroups";

describe("cgroup hierarchies", () => {
    it("finds each of version 1, named ones, and version 2", () => {
        const text = [
            "30 20 0:25 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755",
            "31 30 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory",
            "32 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct",
            "33 30 0:28 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd",
            "34 30 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw",
        ].join("\n");
        assert.deepEqual(parseHierarchies(text), [
            { mount: "/sys/fs/cgroup/memory", version: 1, controllers: ["memory"] },
            { mount: "/sys/fs/cgroup/cpu,cpuacct", version: 1, controllers: ["cpu", "cpuacct"] },
            { mount: "/sys/fs/cgroup/systemd", version: 1, controllers: ["name=systemd"] },
            { mount: "/sys/fs/cgroup/unified", version: 2, controllers: [] },
        ]);
    });

    it("reads lists of CPUs", () => {
        assert.deepEqual(expandCpus("0-2,5,7-8"), [0, 1, 2, 5, 7, 8]);
        assert.deepEqual(expandCpus(""), []);
    });

    it("chooses as many CPUs as asked for, never one twice, and none when all are wanted", () => {
        const chosen = chooseCpus("0-7", 3, "demo/m1")!.split(",");
        assert.equal(new Set(chosen).size, 3);
        assert.equal(chooseCpus("0-1", 2, "demo/m1"), undefined);
        assert.equal(chooseCpus("0-1", undefined, "demo/m1"), undefined);
    });

    it("spreads nodes over the CPUs", () => {
        const first = new Set(["m1", "m2", "m3", "m4"].map(node => chooseCpus("0-3", 1, node)));
        assert.equal(first.size, 4);
    });
});
