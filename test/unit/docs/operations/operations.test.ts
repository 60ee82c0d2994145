import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { typeOf } from "../../../../dev/operations/acts";
import { runBetween } from "../../../../dev/operations/order";
import { type BackEnd, backEnds, rowsOf } from "../../../../dev/operations/rows";
import { descriptors } from "../../../../provider/adapters/descriptors";
import { classify } from "../../../../provider/operation/classify";
import { projectRoot } from "../../../support/user-project";
import type { Registered } from "../../components/recorder";
import { filesOf, type Recordings, recordAll } from "./recorded";

let recordings: Recordings;
before(async () => {
    // The first program loads Pulumi's SDK.
    recordings = await recordAll();
});

const programs = () => backEnds.map((on): [BackEnd, Registered[]] => [on, recordings.programs[on]]);

describe("the page of operations", () => {
    it("is made from recorded programs, and so are the edges that reports know", () => {
        for (const [file, text] of Object.entries(filesOf(recordings)))
            assert.equal(
                readFileSync(join(projectRoot, file), "utf8"),
                text,
                `${file}: npx tsx test/unit/docs/operations/write.ts renews it`,
            );
    });

    it("changes with an edge: workers that wait for no control-plane node are another page", () => {
        const lost = ({ label, after }: Registered) =>
            label.startsWith("Node core-workers") ? after.filter(each => !each.startsWith("Node ")) : after;
        const joins = (resources: readonly Registered[]) =>
            [...rowsOf({ nova: runBetween([], resources) }, false)].find(({ title }) => title === "workers join")!;
        const titlesBefore = (resources: readonly Registered[]) =>
            [...joins(resources).waits.keys()].map(row => row.title);
        const { nova } = recordings.programs;
        assert.ok(titlesBefore(nova).includes("control-plane nodes join"));
        const without = nova.map(each => ({ ...each, after: lost(each) }));
        assert.ok(!titlesBefore(without).includes("control-plane nodes join"));
    });

    it("has a section for each operation", () => {
        const kinds = new Set(recordings.operations.map(({ title }) => title.replace(/:.*/, "")));
        const node = { w: { role: "worker" as const } };
        const [out, in_] = [classify({ nodes: {} }, { nodes: node }), classify({ nodes: node }, { nodes: {} })];
        assert.deepEqual(
            [...kinds].sort(),
            [
                ...[...out, ...in_].map(({ kind, direction }) => `${kind} ${direction}`),
                ...["change current package", "change external connectivity", "heal", "instantiate"],
                ...["modify information", "terminate"],
            ].sort(),
        );
    });

    it("leaves out no type of a cluster's resources", () => {
        const found = new Set(programs().flatMap(([, resources]) => resources.map(typeOf)));
        const onClusters = ["CnfNamespace", "CnfObjects", "CnfReadiness", "ClusterApiProviders", "WorkloadClaim"];
        const known = [...onClusters, "WorkloadRollout", "CredentialReport", "ClusterMove"];
        assert.deepEqual(
            Object.keys(descriptors).filter(type => !found.has(type) && !known.includes(type)),
            [],
        );
    });

    it("begins with ClusterId, which refuses what cannot be changed, except for what docs/how-it-works.md names", () => {
        const early = programs().flatMap(([, resources]) => {
            const { acts, waitsFor } = runBetween([], resources);
            const identity = acts.find(({ resource }) => typeOf(resource) === "ClusterId")!;
            return acts
                .filter(each => each !== identity && !waitsFor(each, identity))
                .map(each => typeOf(each.resource));
        });
        const page = readFileSync(join(projectRoot, "docs/how-it-works.md"), "utf8");
        const [, sentence = ""] = /Five types of resources do not wait for it: (.*)/.exec(page) ?? [];
        const named = [...sentence.matchAll(/`(\w+)` \(/g)].map(([, type]) => type!);
        assert.deepEqual(named.sort(), [...new Set(early)].sort());
    });

    it("deletes with a cluster all of it, each resource by itself or together with another one", () => {
        const ends = recordings.operations.find(({ title }) => title === "terminate")!;
        for (const on of backEnds) {
            const { acts, together } = ends.runs[on]!;
            assert.ok([...acts, ...together].every(({ kind }) => kind === "delete"));
            const first = acts.filter(one => !acts.some(other => ends.runs[on]!.waitsFor(one, other)));
            assert.ok(first.some(({ resource }) => typeOf(resource) === "OperationEnd"));
        }
    });
});
