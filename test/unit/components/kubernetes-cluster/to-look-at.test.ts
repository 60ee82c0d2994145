import { equal, ok } from "node:assert/strict";
import { placedMembers } from "../../../../components/infrastructure/hosts/members";
import type { NodeMachine } from "../../../../components/infrastructure/infrastructure";
import { clusterPlan } from "../../../../components/kubernetes-cluster/cluster-plan";
import { toLookAt } from "../../../../components/kubernetes-cluster/to-look-at";
import { systemProblems } from "../../../../provider/node/system-facts";
import { bundleFiles, runtimeFiles } from "../../provider/sample-specs";
import { record } from "../recorder";
import { clusterArgs } from "../sample-args";

describe("what a preview looks at on a new machine", () => {
    async function wishWith(from?: "bundle") {
        const containerRuntime = from && { containerRuntime: { from } };
        const kubernetes = { version: "1.36.3", source: { bundle: { path: "/srv/b" } }, ...containerRuntime };
        const args = clusterArgs(1, {}, { kubernetes });
        const plan = clusterPlan(args, "core", placedMembers(args), { bundleFiles: [...bundleFiles, ...runtimeFiles] });
        const machine = { name: "m1", connection: { host: "10.0.0.1" } } as unknown as NodeMachine;
        const look = () => new Promise<string>(done => toLookAt([machine], plan).toLookAt!["m1"]!.apply(done));
        const { result } = await record("preview", look);
        const text = await result;
        ok(!text.includes("sha256"), "the table of files stays out of it");
        return JSON.parse(text).wish;
    }
    const facts = { machine: "x86_64", init: "systemd", cgroups: "cgroup2fs", programs: ["flock", "timeout"] };
    const others = { time: 0, system: "", kernel: "6.1", freeMiB: 9000, hasAddress: true, resolvConfMissing: false };
    const onOldOne = {
        ...facts,
        ...others,
        resolvConf: "/r",
        nameservers: ["10.0.0.2"],
        ports: [],
        containerd: "1.5.9",
    };
    const problems = (wish: Awaited<ReturnType<typeof wishWith>>) =>
        systemProblems({ facts: onOldOne, wish, now: 0, clockSeconds: 60 });

    it("says that the bundle brings containerd, so that an old one on the machine is no problem", async () => {
        equal(problems(await wishWith("bundle")).join("\n"), "");
        ok(
            problems(await wishWith())
                .join("\n")
                .startsWith("its containerd is 1.5.9"),
        );
    });
});
