import assert from "node:assert/strict";
import { mountPoints, shutDown } from "../../../lab/power-cut";
import { python } from "./openstack/python";

describe("the disks that a power cut reaches", () => {
    const mountinfo = [
        "24 1 0:22 / / rw,relatime - overlay overlay rw",
        "31 24 7:3 / /srv/pulumi-nfv/data rw,noatime shared:1 - xfs /dev/vdb rw",
        "32 24 7:4 / /mnt/two\\040words rw - ext4 /dev/vdc rw",
        "",
    ].join("\n");
    const expected = { "0:22": "/", "7:3": "/srv/pulumi-nfv/data", "7:4": "/mnt/two words" };

    it("are found by their numbers, wherever they are mounted", () => {
        assert.deepEqual(Object.fromEntries(mountPoints(mountinfo)), expected);
    });

    it("are the same for a server of the cloud", () => {
        const found = python("from nfv_lab import power_cut\noutput = power_cut.mount_points(input)", mountinfo);
        assert.deepEqual(found, expected);
    });

    it("are no other file systems: what is mounted over a path, or is this host's, stays", async () => {
        // of the kernel: it could not be shut down by mistake
        const wrong = /\/proc is on 0:\d+, not on 7:3/;
        await assert.rejects(shutDown([["7:3", "/proc"]]), wrong);
        const lines = ["from nfv_lab import power_cut", "try: power_cut.shut_down('7:3', input)"];
        lines.push("except OSError as error: output = str(error)");
        assert.match(String(python(lines.join("\n"), "/proc")), wrong);
    });
});
