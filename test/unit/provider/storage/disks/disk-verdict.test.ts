import assert from "node:assert/strict";
import type { NfvError } from "../../../../../provider/common/errors";
import { parseDiskReports } from "../../../../../provider/storage/disks/disk-report";
import { verdictOf } from "../../../../../provider/storage/disks/disk-verdict";
import { verdictsOf } from "../../../../../provider/storage/disks/look-at-disks";
import { volumeIdentity } from "../../../../../provider/storage/disks/volume-identity";
import { sampleStorage, sampleVolume } from "../sample-storage";

const wanted = sampleVolume();
const { uuid, label } = volumeIdentity(wanted.owner, "data");
const ours = `signature ext4,${uuid},${label}`;
const edges = ["data first MiB", "data last MiB"];

/** The verdict for what the script printed after the lines of every disk. */
const verdict = (lines: string[], volume = wanted) =>
    verdictOf(
        "data",
        volume,
        parseDiskReports(["volume data", "device /dev/vdb", `bytes ${2 ** 30}`, ...lines].join("\n"))[0]!,
    );
const refusal = (lines: string[], volume = wanted) => {
    const found = verdict(lines, volume);
    assert.equal(typeof found, "object", String(found));
    return (found as { refused: string }).refused;
};

describe("what is done with a disk", () => {
    it("is formatted only if nothing at all was found on it", () => {
        assert.equal(verdict([]), "empty");
    });

    for (const [what, lines, named] of [
        ["a file system", ["signature xfs,1-2,backup", "type xfs", ...edges], /xfs label backup UUID 1-2/],
        ["a partition table", ["signature gpt,,", "table gpt", "data first MiB"], /gpt/],
        ["a table of which only blkid knows", ["table sgi"], /sgi/],
        ["a partition", ["partition vdb1"], /partition vdb1/],
        ["a mount", ["mounted /var/lib/mysql"], /mounted at \/var\/lib\/mysql/],
        ["a volume group", ["holder dm-0"], /used by dm-0/],
        ["data in the first MiB", ["data first MiB"], /data in its first MiB/],
        ["data in the last MiB", ["data last MiB"], /data in its last MiB/],
        [
            "parts that cannot be read",
            ["unreadable blkid: ambivalent result"],
            /cannot be read whole: blkid: ambivalent/,
        ],
        ["a label like ours and another UUID", [`signature ext4,1-2,${label}`], new RegExp(`label ${label}`)],
    ] as const) {
        it(`is refused for ${what}, which the error names`, () => {
            assert.match(refusal([...lines]), named);
        });
        it(`is refused for ${what}, also if our mkfs had begun there`, () => {
            if (!what.startsWith("data in")) assert.match(refusal([...lines, "formatting"]), named);
        });
    }

    it("goes on where our mkfs was interrupted: bytes without a signature, on a disk that was proven empty", () => {
        assert.equal(verdict([...edges, "formatting"]), "unfinished");
    });

    it("keeps its data if it carries this volume's UUID, whatever else is found", () => {
        assert.equal(verdict([ours, "type ext4", "mounted /srv/pulumi-nfv/data", ...edges, "formatting"]), "ours");
    });

    it("names the owner of another volume of ours, and how to take it over", () => {
        const lines = ["signature ext4,9-9,nfv-00000000", "mark owner other-1", "mark volume logs", "mark uuid 9-9"];
        assert.match(refusal(lines), /volume logs of other-1.*owner: "other-1"/);
    });

    it("belongs to a former owner if the program names that one", () => {
        const former = volumeIdentity("other-1", "data");
        const lines = [`signature ext4,${former.uuid},${former.label}`];
        assert.equal(verdict(lines, sampleVolume({ owner: "other-1" })), "ours");
        assert.match(refusal(lines), /UUID/);
    });

    it("refuses a second disk with the same UUID", () => {
        assert.match(refusal([ours, "twin /dev/vdc"]), /\/dev\/vdc carries the same UUID/);
    });

    it("refuses another file system than the volume has", () => {
        assert.match(refusal([ours], sampleVolume({ fileSystem: "xfs" })), /has ext4.*xfs cannot change it/);
    });

    it("refuses a disk that was shrunk under its file system, and one that is smaller than asked for", () => {
        assert.match(refusal([ours, `filesystem ${2 ** 31}`]), /2\.00 GiB, the disk only 1\.00 GiB/);
        assert.match(refusal([], sampleVolume({ sizeGiB: 2 })), /1\.00 GiB, less than sizeGiB: 2/);
        const ofCloud = sampleVolume({ disk: "cinder:5c1d0e7a", sizeGiB: 2 });
        assert.equal(verdict([ours], ofCloud), "ours", "it has not grown yet");
        assert.equal(verdict([ours, `filesystem ${2 ** 30}`], sampleVolume({ sizeGiB: 1 })), "ours");
    });

    it("refuses a path that leads nowhere, or to something else than a disk", () => {
        const of = (text: string) => verdictOf("data", wanted, parseDiskReports(text)[0]!);
        assert.deepEqual(of("volume data\nabsent"), { refused: "there is no /dev/disk/by-id/virtio-data" });
        assert.deepEqual(of("volume data\ndevice /etc/passwd\nno disk"), {
            refused: "/dev/disk/by-id/virtio-data is not a disk",
        });
    });

    it("says how to empty a disk only where somebody else's data is on it", () => {
        const hint = (lines: string[], volume = wanted) => {
            const text = ["volume data", "device /dev/vdb", `bytes ${2 ** 30}`, ...lines].join("\n");
            const spec = sampleStorage({ volumes: { data: volume } });
            try {
                verdictsOf(spec, parseDiskReports(text));
            } catch (error) {
                return (error as NfvError).hint;
            }
            return assert.fail("it is refused");
        };
        assert.match(hint(["signature ext4,1234,theirs"])!, /wipefs/);
        assert.doesNotMatch(hint([ours], sampleVolume({ sizeGiB: 9 }))!, /wipefs/);
        assert.match(hint([ours, "twin /dev/vdc"])!, /do not empty it/);
    });

    it("takes no line for nothing that it does not understand", () => {
        assert.throws(() => parseDiskReports("volume data\nencrypted luks"), /not understood: encrypted luks/);
    });
});

describe("the identity of a volume", () => {
    it("is a UUID and a label that each file system can carry", () => {
        assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
        assert.ok(label.length <= 12, "xfs has room for 12 characters");
    });

    it("stays for ever: another one would make strangers of all volumes", () => {
        assert.deepEqual(volumeIdentity("core-1234", "data"), {
            uuid: "1c8b4faa-599b-83f7-a0c5-5fe7d5e7be02",
            label: "nfv-bf61b47a",
        });
    });

    it("differs by owner and by name, also where their letters are the same", () => {
        const made = [
            volumeIdentity("a", "bc"),
            volumeIdentity("ab", "c"),
            volumeIdentity("a", "b"),
            volumeIdentity("b", "b"),
        ];
        assert.equal(new Set(made.map(each => each.uuid)).size, 4);
    });
});
