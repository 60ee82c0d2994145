import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import { planOf } from "../../../../pipeline/plan/plan";
import { planKey } from "../../../../pipeline/plan/plan-key";
import { markdownReport } from "../../../../pipeline/report/markdown";
import { planText } from "../../../../pipeline/report/text";
import { inputsVariables, noteInputs } from "../../../../provider/adapters/noted-inputs";
import { acted, urnOf } from "../engine-events";

const secretType = "kubernetes:core/v1:Secret";
const changed = (event: EngineEvent, ...paths: string[]) => {
    event.resourcePreEvent!.metadata.detailedDiff = Object.fromEntries(paths.map(path => [path, {} as never]));
    return event;
};
const update = (type: string, inputs: object) => acted("update", type, "x", { old: { inputs }, next: { inputs } });
const secret = update(secretType, { data: { password: "[secret]" }, type: "Opaque" });
const planned = (event: EngineEvent, hashes: Record<string, string> = {}, type = secretType) =>
    planOf("dev", [event], [], new Map(Object.keys(hashes).length > 0 ? [[urnOf(type, "x"), hashes]] : []));

describe("secret inputs and the hash of a plan", () => {
    it("another secret is another hash, of this package and of others", () => {
        assert.notEqual(planned(secret, { data: "1" }).hash, planned(secret, { data: "2" }).hash);
        assert.equal(planned(secret, { data: "1" }).hash, planned(secret, { data: "1" }).hash);
        const images = update("BundleImages", { registry: { host: "r", password: "[secret]" } });
        const hashOf = (registry: string) => planned(images, { registry }, "BundleImages").hash;
        assert.notEqual(hashOf("1"), hashOf("2"));
    });

    it("what is not secret may be hashed otherwise in each preview", () => {
        const images = update("BundleImages", { registry: "[secret]", owner: "x" });
        const hashOf = (owner: string) => planned(images, { registry: "1", owner }, "BundleImages").hash;
        assert.equal(hashOf("1"), hashOf("2"));
    });

    it("the plan says what is not covered, with the resource and its inputs", () => {
        const said = `secret inputs of ${secretType} x (data) changed, not covered by the hash`;
        const plan = planned(secret);
        assert.deepEqual(plan.uncovered, [`${secretType} x (data)`]);
        assert.ok(planText(plan).includes(said), planText(plan));
        const report = markdownReport([{ type: "plan", time: "", plan }]);
        assert.match(report, /secret inputs of .* x \(data\) changed, not covered by the hash/);
        assert.equal(planned(secret, { data: "1" }).uncovered, undefined);
        const own = update("BundleImages", { registry: "[secret]" });
        assert.deepEqual(planned(own).uncovered, ["BundleImages x (registry)"]);
        assert.deepEqual(planned(own, { other: "1" }, "BundleImages").uncovered, ["BundleImages x (registry)"]);
    });

    it("a plugin may store a secret under another name than the program gave it", () => {
        const hashOf = (stringData: string) => planned(secret, { type: "0", stringData }).hash;
        assert.notEqual(hashOf("1"), hashOf("2"));
        assert.equal(planned(secret, { stringData: "1" }).uncovered, undefined);
        assert.deepEqual(planned(secret, { type: "0" }).uncovered, [`${secretType} x (data)`], "not known at preview");
    });

    it("it does not say so of secrets that stay, or go", () => {
        assert.equal(planned(changed(structuredClone(secret), "type")).uncovered, undefined);
        assert.deepEqual(planned(changed(structuredClone(secret), "data.password")).uncovered?.length, 1);
        const gone = acted("delete", secretType, "x", { old: { inputs: { data: "[secret]" } } });
        assert.equal(planned(gone).uncovered, undefined);
    });
});

describe("what a preview makes at random", () => {
    const mark = (value: string) =>
        acted("create", "OwnerMark", "x", { next: { inputs: { name: "app", mark: value } } });
    const object = (owner: string) =>
        acted("create", "kubernetes:core/v1:ConfigMap", "x", {
            next: { inputs: { metadata: { annotations: { owner } } } },
        });

    it("makes no other hash of the first plan of a network function, whose objects carry it", () => {
        const hashOf = (value: string) => planOf("dev", [mark(value), object(value)]).hash;
        assert.equal(hashOf("app-0123456789ab"), hashOf("app-ba9876543210"));
        const other = planOf("dev", [mark("app-0123456789ab"), object("other")]);
        assert.notEqual(other.hash, hashOf("app-0123456789ab"));
    });

    it("is left out of the hashes of secrets, too", () => {
        const folder = mkdtempSync(join(tmpdir(), "nfv-inputs-"));
        const env = { [inputsVariables.folder]: folder, [inputsVariables.key]: "key" };
        try {
            const note = (value: string, fresh: string[]) =>
                noteInputs("urn", { held: { owner: value, text: "x" } }, env, fresh);
            note("app-01", ["app-01"]);
            note("app-02", ["app-02"]);
            note("app-02", []);
            const [one, two, other] = readdirSync(folder).flatMap(file =>
                readFileSync(join(folder, file), "utf8").trim().split("\n"),
            );
            assert.equal(one, two);
            assert.notEqual(two, other);
        } finally {
            rmSync(folder, { recursive: true });
        }
    });
});

describe("the key of these hashes", () => {
    const sealed = (value: unknown) => ({
        "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
        plaintext: JSON.stringify(value),
    });
    const state = (...resources: { type: string; outputs: object }[]) => ({
        deployment: { resources: resources.map((each, i) => ({ urn: `urn:${i}`, ...each })) },
    });
    const ours = (type: string, outputs: object) => ({ type: `pulumi-nodejs:dynamic/nfv:${type}`, outputs });
    const cluster = (key: string) => ours("ClusterId", { clusterId: "c", fingerprintKey: sealed(key) });
    const [one, other] = ["0123456789abcdef0", "0123456789abcdef1"];

    it("is of the clusters' own keys, in any order, and does not show them", () => {
        const key = planKey(state(cluster(one)));
        assert.match(key!, /^[0-9a-f]{64}$/);
        assert.equal(key, planKey(state(ours("Host", {}), cluster(one))), "other resources may come and go");
        assert.notEqual(key, planKey(state(cluster(other))));
        assert.equal(planKey(state(cluster(one), cluster(other))), planKey(state(cluster(other), cluster(one))));
    });

    it("of a stack of network functions alone is of the access to their clusters", () => {
        const access = (token: string) => ours("CnfObjects", { access: sealed({ token }) });
        assert.notEqual(planKey(state(access("a"))), planKey(state(access("b"))));
        assert.equal(planKey(state(access("a"), cluster(one))), planKey(state(cluster(one))));
    });

    it("is none where the state has nothing secret and random", () => {
        assert.equal(planKey(state({ type: secretType, outputs: { data: sealed("1234") } })), undefined);
        assert.equal(planKey(undefined), undefined);
        assert.equal(planKey({}), undefined);
    });
});
