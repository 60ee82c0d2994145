import assert from "node:assert/strict";
import { unknownValue } from "../../../../../provider/contract/values";
import { owner } from "../sample-cloud";
import { type Change, finds, problems, ref } from "./checking";

const path = "storage.volumes.data";
const snapshot = (id: string, more: object = {}) => ({
    ...{ id, name: `core-data-${id}`, status: "available", size: 10, volume_id: "v0", created_at: id },
    metadata: { "pulumi-nfv.volume": "data" },
    ...more,
});
/** A volume that is to be made from the snapshot "s1", in a cloud that has these. */
const from =
    (snapshots: object[], more: object = {}): Change =>
    (needs, facts) => {
        const volume = { name: "core-storage-data", sizeGiB: 10, path, snapshot: ref("s1", `${path}.snapshotId`) };
        needs.servers[0]!.volumes = [{ ...volume, ...more }];
        facts.snapshots = snapshots as never;
    };

describe("the checks of snapshots", () => {
    finds([
        [
            "an unknown one; those of the volume are named, the newest first",
            from([
                snapshot("s2"),
                snapshot("s3"),
                snapshot("s4", { metadata: {} }),
                snapshot("s5", { status: "error" }),
            ]),
            /^snapshot-unknown @ storage\.volumes\.data\.snapshotId: there is no snapshot s1 in this project \| There is "core-data-s3" of s3: s3, "core-data-s2" of s2: s2\.$/,
        ],
        [
            "an unknown one where no cluster has made any of such a volume: all are named",
            from([snapshot("s4", { metadata: {} })]),
            /^snapshot-unknown.*There is "core-data-s4" of s4: s4\.$/,
        ],
        ["an unknown one where there is none", from([]), /^snapshot-unknown.*The project has none that is available/],
        [
            "one that is not ready",
            from([snapshot("s1", { status: "creating" })]),
            /^snapshot-unusable @ storage\.volumes\.data\.snapshotId: the snapshot "core-data-s1" \(s1\) is creating/,
        ],
        [
            "a volume smaller than that of the snapshot",
            from([snapshot("s1")], { sizeGiB: 9 }),
            /^snapshot-too-large @ storage\.volumes\.data\.sizeGiB: the volume is to have 9 GiB, .* has 10 \| Give sizeGiB: 10 or more/,
        ],
    ]);

    const found = (change: Change) => problems(change).filter(text => text.startsWith("snapshot-"));

    it("accept one that is there, in a volume of its size or larger", () => {
        for (const sizeGiB of [10, 11]) assert.deepEqual(found(from([snapshot("s1")], { sizeGiB })), []);
    });

    it("ask nothing of a volume that is there: its snapshot may be gone, and another one's is", () => {
        const there =
            (metadata: Record<string, string>): Change =>
            (needs, facts) => {
                from([])(needs, facts);
                const volume = { id: "v1", name: "core-storage-data", status: "in-use", size: 10, attachments: [] };
                facts.volumes!.push({ ...volume, metadata });
            };
        assert.deepEqual(found(there(owner)), []);
        assert.equal(found(there({ ...owner, "pulumi-nfv.cluster": "other" })).length, 1);
    });

    it("wait for values that are not known, and for a cloud that lists them", () => {
        assert.deepEqual(found(from([], { snapshot: ref(unknownValue, `${path}.snapshotId`) })), []);
        assert.deepEqual(found(from([snapshot("s1")], { sizeGiB: unknownValue })), []);
        const silent: Change = (needs, facts) => {
            from([])(needs, facts);
            facts.snapshots = undefined;
        };
        assert.deepEqual(found(silent), []);
    });
});
