import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PlannedResourceActs, PlannedRun, planVariables } from "../../../../provider/adapters/planned-run";
import type { NfvError } from "../../../../provider/common/errors";
import { joinStep } from "../../../../provider/member/join/join-cluster";

const urn = (name: string) => `urn:pulumi:dev::site::t::${name}`;
const about = (type: string, name: string, id = `id-${name}`) => ({ type, urn: urn(name), id, node: name });
const labels = { title: "set labels and taints", fingerprint: "aaaaaaaaaaaa" };
const kubelet = { title: "apply kubelet settings", fingerprint: "bbbbbbbbbbbb" };

describe("a run that has a plan", () => {
    let folder: string;
    before(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-planned-"));
    });
    after(() => rmSync(folder, { recursive: true }));

    const runOf = (resources: PlannedResourceActs[], sum?: string) => {
        const [file, text] = [join(folder, "plan.json"), JSON.stringify(resources)];
        writeFileSync(file, text);
        const right = createHash("sha256").update(text).digest("hex");
        return PlannedRun.of({ [planVariables.file]: file, [planVariables.sum]: sum ?? right })!;
    };
    const node = (name: string, more: Partial<PlannedResourceActs> = {}): PlannedResourceActs => ({
        ...{ urn: urn(name), type: "Node", id: `id-${name}` },
        ...more,
    });
    const refused = (act: () => void, words: RegExp, place: { node: string; step?: string }) =>
        assert.throws(act, (error: NfvError) => {
            assert.equal(error.code, "PLAN_CHANGED");
            assert.match(error.reason, words);
            assert.deepEqual({ node: error.node, step: error.step }, { step: undefined, ...place });
            return true;
        });

    it("updates what the plan names, with the steps that it names or fewer", () => {
        const run = runOf([node("w1", { act: "update", acts: [labels, kubelet] })]);
        run.update(about("Node", "w1"), { acts: [labels] });
        run.update(about("Node", "w1"), { acts: [] });
        assert.equal(run.mayRun(about("Node", "w1"), kubelet.title), true);
    });

    it("refuses an update of another node, by its name and the first step", () => {
        const run = runOf([node("w1", { act: "update", acts: [labels] }), node("w2", { acts: [] })]);
        refused(() => run.update(about("Node", "w2"), { acts: [kubelet] }), /Node: it would change/, {
            node: "w2",
            step: kubelet.title,
        });
        refused(() => run.update(about("Node", "w3"), { acts: [] }), /would change/, { node: "w3" });
    });

    it("refuses a further step, and a step with another fingerprint", () => {
        const run = runOf([node("w1", { act: "update", acts: [labels] })]);
        const place = { node: "w1", step: kubelet.title };
        refused(() => run.update(about("Node", "w1"), { acts: [labels, kubelet] }), /it would do more/, place);
        const other = { ...labels, fingerprint: "cccccccccccc" };
        refused(() => run.update(about("Node", "w1"), { acts: [other] }), /do more/, {
            node: "w1",
            step: labels.title,
        });
        assert.equal(run.mayRun(about("Node", "w1"), kubelet.title), false);
    });

    it("takes an upper bound as one", () => {
        const any = { title: "look at the machine again", any: true as const };
        const bounds = [
            [any],
            [{ title: joinStep.title, fingerprint: "dddddddddddd" }],
            [{ ...kubelet, fingerprint: "to do" }],
        ];
        for (const acts of bounds)
            runOf([node("w1", { act: "update", acts })]).update(about("Node", "w1"), { acts: [kubelet] });
        runOf([node("w1", { open: true, acts: [kubelet] })]).update(about("Node", "w1"), { acts: [kubelet] });
        const joins = runOf([node("w1", { act: "create" })]);
        assert.equal(joins.mayRun(about("Node", "w1"), kubelet.title), true);
    });

    it("refuses more than the known steps of one that the preview was not sure about, and one that is to go", () => {
        const run = runOf([
            node("w1", { open: true, acts: [labels] }),
            node("w2", { act: "delete", deletes: ["id-w2"] }),
        ]);
        refused(() => run.update(about("Node", "w1"), { acts: [kubelet] }), /do more/, {
            node: "w1",
            step: kubelet.title,
        });
        refused(() => run.update(about("Node", "w2"), { acts: [] }), /would change/, { node: "w2" });
    });

    it("makes and deletes only what the plan makes and deletes", () => {
        const run = runOf([
            node("w1", { act: "replace", deletes: ["id-w1"] }),
            node("w2", { act: "create" }),
            node("w3", { act: "update", acts: [labels] }),
        ]);
        run.create(about("Node", "w1"));
        run.create(about("Node", "w2"));
        run.delete(about("Node", "w1"));
        // The state may have the URN of before a renaming.
        run.delete({ ...about("Node", "w9"), id: "id-w1" });
        refused(() => run.create(about("Node", "w3")), /would be made/, { node: "w3" });
        refused(() => run.delete(about("Node", "w3")), /would be deleted/, { node: "w3" });
        refused(() => run.delete(about("Host", "w1")), /would be deleted/, { node: "w1" });
    });

    it("lets nodes get their labels again when a snapshot of etcd comes back", () => {
        const only = node("w1", { act: "update", acts: [kubelet] });
        assert.equal(runOf([only]).mayRun(about("Node", "w1"), labels.title), false);
        const restore = { urn: urn("core"), type: "EtcdRestore", act: "create" as const };
        assert.equal(runOf([only, restore]).mayRun(about("Node", "w1"), labels.title), true);
    });

    it("refuses another operation than the plan's", () => {
        const start = { urn: urn("core"), type: "OperationStart", act: "update" as const, operation: "2 scale out" };
        const run = runOf([start]);
        run.update(about("OperationStart", "core"), { operation: "2 scale out" });
        refused(() => run.update(about("OperationStart", "core"), { operation: "3 heal w1" }), /would be "3 heal w1"/, {
            node: "core",
        });
    });

    it("lets updates be that neither run steps nor interrupt nodes: they may get keys that only the run makes", () => {
        const run = runOf([node("w1", { acts: [] })]);
        run.update(about("VimRegistration", "vim"), {});
        run.update(about("Node", "w1"), { acts: [] });
        refused(() => run.update(about("Node", "w1"), { acts: [labels] }), /it would change/, {
            node: "w1",
            step: labels.title,
        });
        refused(() => run.update(about("OsUpgrade", "core"), { disrupts: true }), /would change/, { node: "core" });
    });

    it("lets what a chart has be made that the preview could not know, and nothing else", () => {
        const run = runOf([]);
        run.create(about("CnfObjects", "app"));
        refused(() => run.create(about("OsUpgrade", "core")), /would be made/, { node: "core" });
        refused(() => run.delete(about("CnfObjects", "app")), /would be deleted/, { node: "app" });
    });

    it("takes no other file than that of the plan, and may do everything without one", () => {
        assert.throws(() => runOf([], "0".repeat(64)), /is not the plan that this run was started for/);
        assert.throws(
            () => PlannedRun.of({ [planVariables.file]: join(folder, "none"), [planVariables.sum]: "" }),
            /is not the plan/,
        );
        assert.equal(PlannedRun.of({}), undefined);
    });
});
