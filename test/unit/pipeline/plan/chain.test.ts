import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PipelineEvent } from "../../../../pipeline/events/events";
import {
    type Chained,
    operateChain,
    type UpgradeTarget,
    wellness,
} from "../../../../pipeline/operations/upgrade-chain";
import { bundlesLike } from "../../../../pipeline/plan/bundles";
import { behind, type ChainQuestion, standings, versionsLeft } from "../../../../pipeline/plan/chain";
import { lineOf } from "../../../../pipeline/report/text";
import { NfvError } from "../../../../provider/common/errors";
import { cloudProviderFor, minorOf } from "../../../../provider/kubernetes/releases";
import type { StateResource } from "../../../../tools/check/stack-state";

/** A state with one cluster; the specs of its nodes are stored as text, as long states have them. */
function stateOf(wanted: string, nodes: Record<string, string>, clusterId = "core"): StateResource[] {
    const resource = (type: string, spec: object) => ({ urn: type, id: type, type, outputs: { spec } });
    return [
        // So that no test depends on the day.
        resource("OperationStart", { clusterId, kubernetesVersion: wanted, allowUnsupportedVersion: true }),
        ...Object.entries(nodes).map(([name, kubernetesVersion]) => ({
            ...resource("Node", {}),
            outputs: { spec: JSON.stringify({ clusterId, name, kubernetesVersion }) },
        })),
        resource("Host", { clusterId, name: "m1", kubernetesVersion: "1.99.0" }),
    ];
}

describe("the versions of a chain that are left", () => {
    const left = (versions: string[], resources: StateResource[], more: Partial<ChainQuestion> = {}) =>
        versionsLeft({ versions, standings: standings(resources), bundles: {}, ...more });
    const chain = ["1.34.4", "1.35.4"];

    it("are all at the beginning, and those from where the cluster stands later", () => {
        assert.deepEqual(left(chain, stateOf("1.33.13", { m1: "1.33.13", w1: "1.33.13" })), chain);
        assert.deepEqual(left(chain, stateOf("1.34.4", { m1: "1.34.4", w1: "1.34.4" })), chain);
        assert.deepEqual(left(chain, stateOf("1.34.5", { m1: "1.34.5" })), ["1.35.4"]);
        assert.deepEqual(left(chain, stateOf("1.35.4", { m1: "1.35.4" })), ["1.35.4"]);
    });

    it("begin with the upgrade that was stopped, whether its first node has moved or not", () => {
        assert.deepEqual(left(chain, stateOf("1.34.4", { m1: "1.34.4", w1: "1.33.13" })), chain);
        assert.deepEqual(left(chain, stateOf("1.35.4", { m1: "1.34.4", w1: "1.34.4" })), ["1.35.4"]);
        assert.deepEqual(left(chain, stateOf("1.34.5", { m1: "1.34.5", w1: "1.33.13" })), ["1.34.5", "1.35.4"]);
    });

    it("do not count from another cluster of the stack for which they have a gap", () => {
        const two = [
            ...stateOf("1.32.1", { m1: "1.32.1" }, "old"),
            ...stateOf("1.33.13", { m1: "1.33.13", w1: "1.33.13" }, "core"),
        ];
        assert.deepEqual(left(["1.34.4"], two), ["1.34.4"]);
        assert.deepEqual(left(["1.33.12"], two), ["1.33.12"]);
        assert.deepEqual(left(chain, two), chain);
        assert.throws(() => left(["1.35.4"], two), /from 1\.32\.1 to 1\.35\.4/);
    });

    it("have no gap: the error names the missing minors, the bundles, and the command", () => {
        const resources = stateOf("1.32.1", { m1: "1.32.1" });
        const bundles = { "./b-1.33.13": "1.33.13", "./b-1.33.2": "1.33.2", "./b-1.35.4": "1.35.4" };
        assert.throws(
            () => left(["1.35.4"], resources, { bundles }),
            (error: NfvError) => {
                assert.equal(error.code, "INVALID_INPUT");
                assert.match(
                    error.message,
                    /from 1\.32\.1 to 1\.35\.4 .*missing: 1\.33, 1\.34; .*1\.33\.2 \(\.\/b-1\.33\.2\)/,
                );
                assert.match(error.hint, /nfv upgrade 1\.35\.4 --through 1\.33\.13,1\.34\.PATCH/);
                return true;
            },
        );
        assert.throws(() => left(["1.33.13", "1.35.4"], resources), /from 1\.33\.13 to 1\.35\.4 .*1\.34; .*none/);
    });

    it("rise, and lead forward; a single one may be the way back", () => {
        const resources = stateOf("1.34.4", { m1: "1.34.4" });
        assert.throws(() => left(["1.35.4", "1.34.4"], resources), /1\.34\.4 is not later than 1\.35\.4/);
        assert.throws(() => left(["1.34", "1.35.4"], resources), /a version such as/);
        assert.throws(() => left(["1.33.1", "1.34.1"], resources), /at 1\.34\.4 already/);
        assert.deepEqual(left(["1.34.3"], resources), ["1.34.3"]);
        assert.throws(() => left(chain, []), /no cluster/);
    });

    it("are those of the cluster that has the configured version, where the stack has several", () => {
        const two = [...stateOf("1.33.13", { m1: "1.33.13" }, "a"), ...stateOf("1.34.4", { n1: "1.34.4" }, "b")];
        assert.deepEqual(left(["1.35.4"], two, { configured: "1.34.4" }), ["1.35.4"]);
        assert.deepEqual(left(chain, two), chain);
    });

    it("know who stays behind", () => {
        assert.deepEqual(behind(standings(stateOf("1.34.4", { m1: "1.34.4", w2: "1.33.13" })), "1.34.4"), [
            "w2 1.33.13",
        ]);
        assert.deepEqual(behind(standings(stateOf("1.33.13", { m1: "1.33.13" })), "1.34.4"), []);
    });
});

describe("a chain of upgrades", () => {
    const usual = { ...wellness };
    const folder = mkdtempSync(join(tmpdir(), "nfv-chain-"));
    const healthy = { verdict: { name: "healthy", reason: "", exitCode: 0 }, found: [] } as any;
    const ill = {
        verdict: { name: "heal", reason: "w1 is to be healed", exitCode: 20 },
        found: [{ node: "w1", text: "NotReady" }],
    } as any;
    let nodes: Record<string, string>;
    let wanted: string;
    let done: string[];
    let events: PipelineEvent[];
    let checks: any[];
    /** Called in place of an upgrade; by default all nodes move. */
    let move: (version: string) => void;
    before(() => {
        Object.assign(wellness, { pause: 1, most: 10_000 });
        for (const version of ["1.34.4", "1.35.4"]) {
            mkdirSync(join(folder, `b-${version}`));
            const file = {
                path: "bin/kubelet",
                kind: "binary",
                sha256: "0".repeat(64),
                sizeBytes: 1,
                roles: ["worker"],
            };
            const manifest = { apiVersion: "pulumi-nfv/v1", kubernetes: version, arch: "amd64", files: [file] };
            writeFileSync(join(folder, `b-${version}`, "manifest.json"), JSON.stringify(manifest));
        }
    });
    after(() => {
        Object.assign(wellness, usual);
        rmSync(folder, { recursive: true, force: true });
    });
    beforeEach(() => {
        [nodes, wanted, done, events, checks] = [{ m1: "1.33.13", w1: "1.33.13" }, "1.33.13", [], [], []];
        move = version => {
            for (const name of Object.keys(nodes)) nodes[name] = version;
        };
    });

    const site: Chained = {
        folder,
        state: async () => stateOf(wanted, nodes),
        setting: () => undefined,
        check: async () => checks.shift() ?? healthy,
        operate: async (order, { plan, previewOnly }) => {
            const version = order.version ?? "";
            const settings = order.settings.map(({ value }) => value).join(" ");
            done.push(
                `${order.name} ${settings}${order.followedBy ? ` then ${order.followedBy}` : ""}${plan ? ` as ${plan}` : ""}`,
            );
            const isEmpty =
                order.name === "preview" && Object.values(nodes).every(at => at === order.settings[0]!.value);
            const content = { operations: [], nodes: isEmpty ? [] : [{}], resources: [] };
            if (previewOnly) return { plan: content as any, ran: false, outputs: {} };
            wanted = version;
            move(version);
            return { plan: content as any, ran: true, outputs: {} };
        },
    };
    const target: UpgradeTarget = { to: "1.35.4", through: ["1.34.4"] };
    const run = (given = target, options = {}) => operateChain(site, given, options, event => events.push(event));
    const lines = () => events.map(lineOf);
    const failure = async (work: Promise<unknown>): Promise<NfvError> => {
        try {
            await work;
        } catch (error) {
            return error as NfvError;
        }
        assert.fail("it should have failed");
    };

    it("does one upgrade after another, and says so; the approved hash is that of the first, which names the rest", async () => {
        await run(target, { plan: "5f0c" });
        assert.deepEqual(done, ["upgrade 1.34.4 then 1.35.4 as 5f0c", "upgrade 1.35.4"]);
        assert.deepEqual(lines(), [
            "Kubernetes 1.34.4 (1 of 2): begins",
            "Kubernetes 1.34.4 (1 of 2): done, the cluster is well",
            "Kubernetes 1.35.4 (2 of 2): begins",
            "Kubernetes 1.35.4 (2 of 2): done, the cluster is well",
        ]);
    });

    it("gives each version its bundle, and refuses before any change one that is missing or of another version", async () => {
        await run({ ...target, bundle: "./b-{version}" });
        assert.deepEqual(done, ["upgrade 1.34.4 ./b-1.34.4 then 1.35.4", "upgrade 1.35.4 ./b-1.35.4"]);
        done = [];
        [nodes, wanted] = [{ m1: "1.33.13" }, "1.33.13"];
        const missing = await failure(run({ to: "1.35.5", through: ["1.34.4"], bundle: "b-{version}" }));
        assert.match(
            missing.message,
            /b-1\.35\.5 is no bundle of Kubernetes 1\.35\.5[\s\S]*nfv bundle --kubernetes 1\.35\.5/,
        );
        assert.equal((await failure(run({ ...target, bundle: "./b-1.34.4" }))).code, "INVALID_INPUT");
        const gap = await failure(run({ to: "1.35.4", bundle: "b-{version}" }));
        assert.match(gap.message, /missing: 1\.34; bundles that were found: 1\.34\.4 \(b-1\.34\.4\), 1\.35\.4/);
        assert.match(gap.hint, /--through 1\.34\.4\./);
        assert.deepEqual(done, []);
        assert.equal(events.filter(({ type }) => type === "error").length, 3, "reports have them, too");
    });

    it("finds the bundles of a pattern whose version is not in its last part", async () => {
        for (const version of ["1.34.4", "1.35.4"]) {
            mkdirSync(join(folder, "site", version), { recursive: true });
            cpSync(join(folder, `b-${version}`), join(folder, "site", version, "bundle"), { recursive: true });
        }
        const found = { "site/1.34.4/bundle": "1.34.4", "site/1.35.4/bundle": "1.35.4" };
        assert.deepEqual(await bundlesLike(folder, "./site/{version}/bundle"), found);
        assert.deepEqual(await bundlesLike(folder, join(folder, "{version}", "bundle")), {});
        const absolute = await bundlesLike("/", join(folder, "site", "{version}", "bundle"));
        assert.deepEqual(Object.values(absolute), ["1.34.4", "1.35.4"]);
        assert.deepEqual(Object.keys(await bundlesLike(folder, "./b-1.34.4")), ["b-1.34.4", "b-1.35.4"]);
    });

    it("is refused before any change where Cluster API on the cluster does not run on one of its versions", async () => {
        const core = (version: string, clusterId = "core") => {
            const providers = [{ type: "core", name: "cluster-api", version }];
            return { urn: "capi", id: "capi", type: "ClusterApiProviders", outputs: { clusterId, providers } };
        };
        const on = (part: StateResource) =>
            operateChain(
                { ...site, state: async () => [...stateOf(wanted, nodes), part] },
                { to: "1.36.3", through: ["1.34.4", "1.35.4"] },
                {},
                event => events.push(event),
            );
        const error = await failure(on(core("v1.13.0")));
        assert.match(
            error.message,
            /INVALID_INPUT\n.*Kubernetes 1\.36\.3 needs Cluster API v1\.13\.1, and this is v1\.13\.0/,
        );
        assert.deepEqual(done, []);
        await on(core("v1.11.0", "another"));
        assert.equal(done.length, 3);
    });

    /** From the minor before the first version, with further resources in the state. */
    const runWith = (
        more: StateResource[],
        [from, ...through]: string[],
        setting: Chained["setting"] = () => undefined,
    ) => {
        [nodes, wanted, done] = [{ m1: from! }, from!, []];
        const state = async () => [...stateOf(wanted, nodes), ...more];
        const to = through.pop()!;
        return operateChain({ ...site, state, setting }, { to, through }, {}, event => events.push(event));
    };
    const resource = (type: string, spec: object) => ({ urn: type, id: type, type, outputs: { spec } });

    it("is refused before any change where this package does not know a later version", async () => {
        const strict = resource("OperationStart", { clusterId: "core", kubernetesVersion: "1.98.1" });
        const chain = ["1.98.1", "1.99.1", "1.100.1"];
        const error = await failure(runWith([strict], chain));
        assert.match(error.message, /INVALID_INPUT\n.*upgrade: kubernetes\.version: 1\.100\.1 is newer than/);
        assert.deepEqual(done, []);
        await runWith([strict], chain.slice(0, 2));
        assert.equal(done.length, 1, "the preview of the first one judges it");
        await runWith([strict], chain, path => path[1] === "allowUnsupportedVersion");
        assert.equal(done.length, 2);
    });

    it("is refused before any change where no cloud provider is known for a later version", async () => {
        const part = (version: string) =>
            resource("CloudProvider", { clusterId: "core", cinderCsi: { enabled: true, version } });
        const { minor, version } = cloudProviderFor("1.99.0")!;
        const chain = [0, 1, 2].map(i => `1.${minorOf(minor) + i}.1`);
        const error = await failure(runWith([part(version)], chain));
        assert.match(error.message, /upgrade: cloudProvider\.cinderCsi\.version is required: none is known for/);
        assert.deepEqual(done, []);
        await runWith([part("v1.0.0")], chain);
        assert.equal(done.length, 2, "the program names it");
    });

    it("only shows the first one where it is previewed", async () => {
        const { ran } = await run(target, { previewOnly: true });
        assert.equal(ran, false);
        assert.deepEqual([done, events], [["upgrade 1.34.4 then 1.35.4"], []]);
    });

    it("stops at an upgrade that fails, says where the cluster stands, and ends that first when it is called again", async () => {
        move = version => {
            if (version !== "1.35.4") {
                for (const name of Object.keys(nodes)) nodes[name] = version;
                return;
            }
            nodes["m1"] = version;
            throw new NfvError({ code: "UPGRADE_FAILED", node: "w1", cause: "kubelet does not serve" });
        };
        const error = await failure(run());
        assert.equal(error.code, "UPGRADE_FAILED");
        assert.equal(error.node, "w1");
        assert.match(
            error.message,
            /upgrade 2 of 2 \(1\.34\.4, 1\.35\.4\); by the state of the stack: m1 1\.35\.4; w1 1\.34\.4/,
        );
        assert.match(error.hint, /run the same command again/);
        assert.equal(lines().at(-1), "Kubernetes 1.35.4 (2 of 2): failed");
        done = [];
        move = version => {
            nodes = { m1: version, w1: version };
        };
        await run();
        assert.deepEqual(done, ["upgrade 1.35.4"], "the first one is not done again");
    });

    it("goes on from where the cluster stands, and passes what needs nothing more", async () => {
        [nodes, wanted] = [{ m1: "1.34.4", w1: "1.34.4" }, "1.34.4"];
        await run();
        assert.deepEqual(done, ["preview 1.34.4", "upgrade 1.35.4"]);
        done = [];
        [nodes, wanted] = [{ m1: "1.34.4", w1: "1.33.13" }, "1.34.4"];
        await run();
        assert.deepEqual(done, ["preview 1.34.4", "upgrade 1.34.4 then 1.35.4", "upgrade 1.35.4"]);
    });

    it("waits until the cluster is well, and does not begin the next version where it stays ill or a worker stays behind", async () => {
        checks = [ill, ill, healthy];
        await run();
        const waits = events.filter(({ type }) => type === "message").map(event => (event as { text: string }).text);
        assert.deepEqual(
            waits,
            ["all nodes have Kubernetes 1.34.4; waiting until the cluster is well: w1 is to be healed"],
            "once for each reason",
        );
        [nodes, wanted, checks] = [{ m1: "1.33.13", w1: "1.33.13" }, "1.33.13", Array(1000).fill(ill)];
        wellness.most = 20;
        const sick = await failure(run());
        assert.equal(sick.code, "UPGRADE_REFUSED");
        assert.match(
            sick.message,
            /1\.34\.4 has ended, and that to 1\.35\.4 was not begun: .*w1 is to be healed\s+w1: NotReady/,
        );
        assert.equal(wanted, "1.34.4");
        [nodes, wanted, checks] = [{ m1: "1.33.13", w1: "1.33.13" }, "1.33.13", []];
        move = version => {
            nodes["m1"] = version;
        };
        const held = await failure(run());
        assert.match(held.message, /not all nodes have 1\.34\.4: w1 1\.33\.13; kubernetes\.upgrade\.pauseAfter/);
    });

    it("of one version is one upgrade, as ever", async () => {
        checks = [ill];
        await run({ to: "1.34.4" });
        assert.deepEqual([done, events, checks.length], [["upgrade 1.34.4"], [], 1]);
    });
});
