import assert from "node:assert/strict";
import { kubernetesReleases, releaseOf } from "../../../../provider/kubernetes/releases";
import { stateText, supportOf, supportWarning, versionRefusal } from "../../../../provider/kubernetes/support";
import { versions } from "../../../../tools/versions";

const today = new Date("2026-11-29T10:00:00Z");
const state = (version: string, day = today) => stateText(supportOf(version, day));

describe("whether upstream supports a version", () => {
    it("follows from the day: supported to the end of its last day, and ending in the 60 days before", () => {
        assert.equal(state("1.35.4"), "supported");
        assert.equal(state("1.35.4", new Date("2026-12-29T23:59:00Z")), "supported");
        assert.equal(state("1.35.4", new Date("2026-12-30T00:00:00Z")), "ends in 60 days");
        assert.equal(state("1.35.4", new Date("2027-02-28T23:59:59Z")), "ends today");
        assert.equal(state("1.35.4", new Date("2027-03-01T00:00:00Z")), "ended");
    });

    it("takes the last one that has ended, and no older one; what is newer than the table is unknown", () => {
        const states = ["1.30.1", "1.33.13", "1.34.4", "1.37.2", "1.38.0", "2.36.3"].map(version => state(version));
        assert.deepEqual(states, ["ended, too old", "ended, too old", "ended", "supported", "unknown", "unknown"]);
        // When the package itself is old.
        assert.deepEqual(
            [state("1.37.2", new Date("2030-01-01")), state("1.36.3", new Date("2030-01-01"))],
            ["ended", "ended, too old"],
        );
    });
});

describe("a version that a cluster must not get", () => {
    // 1.35 is the last one that has ended.
    const day = new Date("2027-03-05");
    const refusal = (to: string, from?: string, allowed?: boolean) =>
        versionRefusal({ to, from, allowed, place: "kubernetes." }, day);

    it("is one that has ended, for a new cluster: the error names the day, what to take, and the input", () => {
        assert.equal(
            refusal("1.35.4"),
            "kubernetes.version: 1.35.4 has ended: upstream's support ended on 2027-02-28, and the cluster is new. Take one of 1.36, 1.37 (nfv versions); " +
                "if it must be this one, set kubernetes.allowUnsupportedVersion: true. Nothing was touched",
        );
        assert.equal(refusal("1.36.3"), undefined);
        assert.equal(refusal("1.35.4", "1.34.4"), undefined);
    });

    it("is never the pinned minor: a package that grows old still makes clusters", () => {
        assert.equal(releaseOf(versions.kubernetes)?.pinned, true);
        assert.equal(kubernetesReleases.filter(({ pinned }) => pinned).length, 1);
        assert.equal(versionRefusal({ to: versions.kubernetes }, new Date("2040-01-01")), undefined);
    });

    it("is one that this package does not know, also for a cluster that exists", () => {
        for (const from of [undefined, "1.37.2"])
            assert.match(
                refusal("1.38.0", from)!,
                /newer than what this package knows, which ends with 1\.37\. Take a later release/,
            );
        assert.match(refusal("1.33.13", "1.32.9")!, /too old: upstream's support ended on 2026-06-28/);
        assert.match(versionRefusal({ to: "v1.33.1" }, today)!, /^version: v1\.33\.1 .* set allowUnsupportedVersion/);
    });

    it("of a cluster that exists comes with advice that the cluster can follow", () => {
        assert.match(refusal("1.38.0", "1.37.2")!, /that knows it, or one of 1\.37 \(nfv versions\); if it must be/);
        assert.match(refusal("1.39.0", "1.38.0")!, /Take a later release of this package that knows it; if it must be/);
        assert.match(
            refusal("1.33.13", "1.32.9")!,
            /ended on 2026-06-28\. If it must be this one, set kubernetes\.allowUnsupportedVersion: true\. Nothing/,
        );
    });

    it("is none that a cluster has: it is healed, patched and taken back whatever the day", () => {
        for (const [from, to] of [
            ["1.31.2", "1.31.2"],
            ["1.33.5", "1.33.13"],
            ["1.33.13", "1.33.5"],
            ["1.38.0", "1.38.1"],
            ["1.34.4", "1.35.4"],
        ] as const)
            assert.equal(refusal(to, from), undefined, `${from} to ${to}`);
    });

    it("may be had with the input", () => {
        for (const to of ["1.30.0", "1.35.4", "1.38.0"]) assert.equal(refusal(to, undefined, true), undefined);
    });
});

describe("what preview says of a version", () => {
    it("is when it ends, and where to go", () => {
        const text = (version: string, day = today) => supportWarning(version, day);
        assert.equal(text("1.35.4"), undefined);
        assert.equal(
            text("1.35.4", new Date("2027-02-01")),
            "upstream's support of Kubernetes 1.35.4 ends on 2027-02-28, in 27 days. Upgrade towards 1.36: docs/upgrade.md",
        );
        assert.match(text("1.34.4")!, /1\.34\.4 ended on 2026-10-27: .*\. Upgrade towards 1\.35/);
        assert.match(text("1.30.0")!, /1\.30\.0 ended: /);
        assert.match(text("1.38.0")!, /newer than what this package knows/);
        assert.ok(!text("1.37.2", new Date("2030-01-01"))!.includes("Upgrade towards"));
    });
});
