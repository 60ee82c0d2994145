import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { KubernetesCluster } from "../../../../components";
import type { OsArgs } from "../../../../components/args/os-args";
import { osProblems, restartProblems } from "../../../../components/validation/node-by-node-rules";
import { isSecret, record, registered } from "../recorder";
import { clusterArgs } from "../sample-args";

const made = async (os?: OsArgs) => {
    const args = clusterArgs(3, { a: 2, b: 1 }, { ...(os && { os }), pools: { a: { maxUnavailable: 2 }, b: {} } });
    return (await record("up", () => new KubernetesCluster("core", args))).resources;
};

describe("the upgrade of the operating system in the program", () => {
    it("comes when all nodes and all that acts on the cluster are there, before the end of the operation", async () => {
        const resources = await made({ upgrade: "one" });
        const { after, deletedWith } = registered(resources, "OsUpgrade core");
        for (const name of ["Node core-m1", "Node core-a-1", "ClusterNetwork core", "VimRegistration core"])
            ok(after.includes(name), name);
        strictEqual(deletedWith, "ClusterId core");
        ok(registered(resources, "OperationEnd core").after.includes("OsUpgrade core"));
    });

    it("names for each node its turn and what happens there; logins are secret", async () => {
        const os = { upgrade: "one", packages: ["security"], order: ["b-1"], pauseAfter: "b-1", soakSeconds: 5 };
        const { inputs, raw } = registered(await made(os), "OsUpgrade core");
        const { nodes, waiting, packages, reboot, rebootTimeoutSeconds, soakSeconds, targets } = inputs as any;
        deepStrictEqual(Object.keys(nodes).sort(), ["a-1", "a-2", "b-1", "m1", "m2", "m3"]);
        match(nodes.m2, /^2 of 6, control plane, one at a time: drained, packages upgraded \(security\), rebooted if/);
        match(nodes["b-1"], /^4 of 6, pool b, at most 1 at once: drained/);
        match(nodes["a-1"], /^stays until os\.pauseAfter lets it go$/);
        deepStrictEqual(
            [waiting, packages, reboot, rebootTimeoutSeconds, soakSeconds],
            [["a-1", "a-2"], "security", "ifNeeded", 600, 5],
        );
        const rows = JSON.parse(targets).map(({ name, turn, atOnce, drain }: any) => [
            name,
            turn,
            atOnce,
            drain.policy,
        ]);
        deepStrictEqual(rows.slice(2, 5), [
            ["m3", -1, 1, "fail"],
            ["b-1", 0, 1, "fail"],
            ["a-1", 1, 2, "fail"],
        ]);
        const open = JSON.stringify(raw, (_, value) => (isSecret(value) ? "" : value));
        doesNotMatch(open, /PRIVATE KEY|privateKey/);
    });

    it("has containerd restart in the same order, behind it", async () => {
        const restart = { containerRuntime: "one", order: ["b"], soakSeconds: 7 };
        const args = clusterArgs(3, { a: 2, b: 1 }, { os: { upgrade: "one" }, restart } as never);
        const { resources } = await record("up", () => new KubernetesCluster("core", args));
        const { after, inputs } = registered(resources, "RuntimeRestart core");
        ok(after.includes("OsUpgrade core"));
        const { requestId, soakSeconds, waiting, nodes } = inputs as any;
        deepStrictEqual([requestId, soakSeconds, waiting], ["one", 7, []]);
        match(nodes["b-1"], /^4 of 6, pool b, at most 1 at once: containerd restarts, containers go on$/);
        ok(registered(resources, "OperationEnd core").after.includes("RuntimeRestart core"));
    });

    it("is nothing without an id", async () => {
        ok(!(await made()).some(({ label }) => label.startsWith("OsUpgrade ")));
        ok(!(await made({ packages: ["haproxy"] })).some(({ label }) => label.startsWith("OsUpgrade ")));
    });

    const refused: [os: object, said: RegExp][] = [
        [{ upgrade: "a b" }, /^os\.upgrade: "a b" is not allowed/],
        [
            { upgrade: "one", packages: ["haproxy; reboot"] },
            /^os\.packages: not the name of a package.*"haproxy; reboot"/,
        ],
        [{ upgrade: "one", packages: ["-oAPT::x"] }, /"-oAPT::x"/],
        [{ upgrade: "one", packages: ["$(id)", "all"] }, /"\$\(id\)", "all"/],
        [{ upgrade: "one", packages: ["security", "haproxy"] }, /"security" stands alone/],
        [{ upgrade: "one", packages: [] }, /names no package/],
        [{ upgrade: "one", reboot: "maybe" }, /^os\.reboot: "maybe" is not allowed: "ifNeeded", "always", "never"/],
        [{ upgrade: "one", rebootTimeoutSeconds: 5 }, /^os\.rebootTimeoutSeconds: 5 is not allowed/],
        [{ upgrade: "one", order: ["c"] }, /^os\.order\.0: "c" is no worker and no pool/],
        [{ upgrade: "one", pauseAfter: "a" }, /^os\.pauseAfter: "a" is neither/],
        [{ upgrade: "one", soakSeconds: -1 }, /^os\.soakSeconds: -1 is not allowed/],
    ];
    for (const [os, said] of refused)
        it(`refuses ${JSON.stringify(os)}`, () => {
            const found = osProblems({ ...clusterArgs(1, { a: 1 }), os } as never);
            match(found.map(([place, what]) => `${place}: ${what}`).join("\n"), said);
            strictEqual(found.length, 1);
        });

    it("refuses a restart whose id is none, and an order of others", () => {
        const restart = { containerRuntime: "a b", order: ["c"] };
        const found = restartProblems({ ...clusterArgs(1, { a: 1 }), restart } as never);
        deepStrictEqual(
            found.map(([place]) => place),
            ["restart.containerRuntime", "restart.order.0"],
        );
    });

    it("takes names and patterns of packages", () => {
        const os = { upgrade: "2026-11", packages: ["containerd", "linux-image-*", "g++"], order: ["a"] };
        deepStrictEqual(osProblems({ ...clusterArgs(1, { a: 1 }), os } as never), []);
    });
});
