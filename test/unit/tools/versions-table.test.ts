import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { kubernetesReleases } from "../../../provider/kubernetes/releases";
import { packageRoot } from "../../../tools/settings";
import { versions } from "../../../tools/versions";
import { versionsJson, versionsMarkdown, versionsPage, versionsText } from "../../../tools/versions-table";

describe("the table of nfv versions", () => {
    it("has a row for each minor, the newest first, with what it is on that day", () => {
        const [head, ...lines] = versionsText(new Date("2027-01-10")).split("\n");
        assert.match(head!, /^Kubernetes +upstream until +today +etcd +containerd +cloud provider +Cluster API from$/);
        const rows = lines.slice(0, lines.indexOf(""));
        const minors = rows.map(row => row.split(" ")[0]);
        assert.deepEqual(minors, kubernetesReleases.map(({ minor }) => minor).reverse());
        const row = (minor: string) => rows.find(each => each.startsWith(minor))!;
        assert.match(row("1.35"), /2027-02-28 +ends in 49 days +3\.6/);
        assert.match(row("1.37"), /supported .* \(one behind\)/);
        assert.match(row("1.34"), /\bended /);
        assert.match(
            lines.join("\n"),
            /^1\.37: the last one that works with containerd 1\.x: preview names the nodes$/m,
        );
    });

    it("is for programs as JSON: the same rows in the same order, with what they are on that day", () => {
        const { today, pinned, releases } = JSON.parse(versionsJson(new Date("2027-01-10T12:00:00Z")));
        assert.deepEqual([today, pinned], ["2027-01-10", versions.kubernetes]);
        const minors = releases.map(({ minor }: { minor: string }) => minor);
        assert.deepEqual(minors, kubernetesReleases.map(({ minor }) => minor).reverse());
        const row = (minor: string) => releases[minors.indexOf(minor)];
        assert.deepEqual(row("1.35"), {
            ...{ minor: "1.35", end: "2027-02-28", state: "ending", daysLeft: 49, pinned: false },
            ...{ etcd: "3.6.16", containerd: "1.6" },
            cloudProvider: { version: "v1.35.0", minorsBehind: 0 },
            clusterApi: ["1.12.1", "1.13", "1.14"],
            kubeadm: { etcd: "3.6.6-0", coredns: "v1.13.1", pause: "3.10.1" },
            changes: row("1.35").changes,
        });
        assert.deepEqual(
            ["1.37", "1.36", "1.34", "1.31"].map(minor => row(minor).state),
            ["supported", "supported", "ended", "too old"],
        );
        assert.deepEqual(row("1.37").cloudProvider, { version: "v1.36.0", minorsBehind: 1 });
        assert.equal("cloudProvider" in row("1.31"), false);
        assert.equal(row("1.36").pinned, true);
        assert.match(row("1.36").changes[0], /^gitRepo volumes/);
    });

    it("is what docs/versions.md shows", () => {
        const page = readFileSync(join(packageRoot(), versionsPage.file), "utf8");
        const [, tables] = page.split(versionsPage.heading);
        assert.equal(tables, versionsMarkdown(), "npx tsx dev/write-versions-page.ts renews it");
    });
});
