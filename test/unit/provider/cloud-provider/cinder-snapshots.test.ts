import assert from "node:assert/strict";
import { applyCinderCsiScript } from "../../../../provider/cloud-provider/scripts";
import { type Answers, runWithKubectl } from "../network/fake-kubectl";
import { contents, kindOf, nightly, snapshotKinds } from "./kubectl-snapshots";

const deleted = (calls: string[]) =>
    calls.filter(call => call.includes(" delete ")).map(call => call.replace(/^.* delete /, ""));
const applied = (calls: string[]) => calls.filter(call => ` ${call}`.includes(" apply ")).length;

describe("Cinder CSI without snapshot classes on a control-plane node", () => {
    const file = { when: / get .*-f /, stdout: "ClusterRole pulumi-nfv:csi-cinder-snapshotter |applied part \n" };
    const apply = (...answers: Answers) =>
        runWithKubectl(
            `sleep() { :; }\n${applyCinderCsiScript}`,
            { MANIFEST: "kind: Deployment", LEAVING: "kind: ClusterRole" },
            answers,
        );

    it("stays as it is while it has snapshots, with their names", () => {
        const { code, calls, stderr } = apply(file, snapshotKinds, nightly);
        assert.deepEqual([code, applied(calls), deleted(calls)], [1, 0, []]);
        assert.match(stderr, /\nVolumeSnapshot shop\/nightly \(VolumeSnapshotContent c-1\)\n$/);
    });

    it("stays as it is while a snapshot is not made yet: nothing says by which driver it will be", () => {
        const { code, stderr } = apply(file, snapshotKinds, {
            when: /get volumesnapshots\./,
            stdout: "shop/made|c-2\nshop/late|\n",
        });
        assert.equal(code, 1);
        assert.match(stderr, /\nVolumeSnapshot shop\/late\n$/);
    });

    it("stays as it is where that cannot be asked", () => {
        for (const when of [/get customresourcedefinitions/, /get volumesnapshotcontents/, /get volumesnapshots\./]) {
            const { code, calls } = apply({ when, code: 1, stderr: "no" }, file, snapshotKinds);
            assert.deepEqual([code, applied(calls), deleted(calls)], [1, 0, []]);
        }
    });

    it("loses its part in snapshots where there is none", () => {
        const { code, calls } = apply(file, snapshotKinds, contents("c-2|nfs.csi.k8s.io|shop/other"));
        assert.deepEqual([code, applied(calls)], [0, 1]);
        assert.deepEqual(deleted(calls), [
            "ClusterRole pulumi-nfv:csi-cinder-snapshotter --ignore-not-found --wait=false",
        ]);
    });

    it("asks only for the kinds that are there: a removal that was stopped has left some", () => {
        const noType = { when: /get volumesnapshots\./, code: 1, stderr: "the server doesn't have a resource type" };
        const half = { ...snapshotKinds, stdout: kindOf("volumesnapshotcontents") };
        assert.equal(apply(file, half, noType).code, 0);
        assert.match(apply(file, half, noType, nightly).stderr, /\nVolumeSnapshot shop\/nightly /);
    });

    it("asks nobody where it never made snapshots", () => {
        const { code, calls } = apply();
        assert.deepEqual([code, applied(calls), deleted(calls)], [0, 1, []]);
        assert.ok(!calls.some(call => call.includes("customresourcedefinitions")));
    });
});
