import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { kubernetesReleases } from "../../../provider/kubernetes/releases";
import { packageRoot } from "../../../tools/settings";
import { versionsMarkdown, versionsPage, versionsText } from "../../../tools/versions-table";

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

    it("is what docs/versions.md shows", () => {
        const page = readFileSync(join(packageRoot(), versionsPage.file), "utf8");
        const [, tables] = page.split(versionsPage.heading);
        assert.equal(tables, versionsMarkdown(), "npx tsx dev/write-versions-page.ts renews it");
    });
});
