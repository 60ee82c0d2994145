import assert from "node:assert/strict";
import type { VolumeSpec } from "../../../../provider/storage/spec";
import { refusedChanges } from "../../../../provider/storage/storage-changes";
import { sampleStorage, sampleVolume } from "./sample-storage";

const refused = (before: Partial<VolumeSpec>, after: Partial<VolumeSpec>) =>
    refusedChanges(
        sampleStorage({ volumes: { data: sampleVolume(before) } }),
        sampleStorage({ volumes: { data: sampleVolume(after) } }),
    ).map(({ reason }) => reason);

describe("a change of a volume", () => {
    for (const [what, before, after, named] of [
        ["another file system", {}, { fileSystem: "xfs" }, /volumes\.data\.fileSystem: it has ext4/],
        [
            "a smaller size",
            { sizeGiB: 5 },
            { sizeGiB: 4 },
            /volumes\.data\.sizeGiB: a volume cannot shrink from 5 to 4/,
        ],
        ["another owner", {}, { owner: "other" }, /volumes\.data\.owner/],
    ] as [string, Partial<VolumeSpec>, Partial<VolumeSpec>, RegExp][]) {
        it(`is refused: ${what}`, () => {
            const [reason, ...others] = refused(before, after);
            assert.match(reason!, named);
            assert.deepEqual(others, []);
        });
    }

    it("is allowed: more, no size given any more, another path of its disk", () => {
        assert.deepEqual(refused({ sizeGiB: 5 }, { sizeGiB: 6 }), []);
        assert.deepEqual(refused({ sizeGiB: 5 }, {}), []);
        assert.deepEqual(refused({}, { disk: "/dev/disk/by-id/other" }), []);
    });

    it("is refused: another volume of the cloud, unless the former one is lost, or a snapshot brings it back", () => {
        const [before, after] = [{ disk: "cinder:v1" }, { disk: "cinder:v2" }];
        assert.match(refused(before, after).join(), /volumes\.data\.volumeId: the volume is cinder:v1/);
        assert.deepEqual(refused(before, { ...after, snapshotId: "s1" }), []);
        const lost = sampleStorage({ volumes: { data: sampleVolume(after) }, recreate: ["data"] });
        assert.deepEqual(refusedChanges(sampleStorage({ volumes: { data: sampleVolume(before) } }), lost), []);
    });

    it("of another server is none: there is nothing to compare", () => {
        const [a, b] = [
            sampleStorage(),
            sampleStorage({ clusterId: "b", volumes: { data: sampleVolume({ fileSystem: "xfs" }) } }),
        ];
        assert.deepEqual(refusedChanges(a, b), []);
    });
});
