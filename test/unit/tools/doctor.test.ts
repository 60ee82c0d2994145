import { strict as assert } from "node:assert";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { doctorReport, examineTools } from "../../../tools/doctor";
import { goVersion } from "../../../tools/go-build";
import { main } from "../../../tools/nfv";
import { packageRoot } from "../../../tools/settings";
import { tool } from "../../../tools/versions";
import { skipIf } from "../../support/skip";
import { scratch } from "./scratch";

describe("nfv doctor", () => {
    const { folder, set } = scratch();

    it("says what does not work without a tool that cannot be had", async () => {
        const findings = await examineTools({ sources: ["modules"] });
        const plugin = findings.find(finding => finding.tool === "Pulumi plugin command");
        assert.match(plugin?.switchesOff ?? "", /comparison/);
    });

    it("says of a build from modules what its code is, where its number says something else", async function () {
        skipIf(this, (await goVersion()) === undefined && "Go is not installed");
        const findings = await examineTools({ sources: ["modules"] });
        const { detail } = findings.find(finding => finding.tool === "Pulumi plugin kubernetes")!;
        assert.match(detail, /built from Go modules.*: code of 2026-01-15, between .* under the number 4\.32\.0$/);
    });

    it("fetches and builds nothing", async () => {
        await examineTools();
        assert.equal(existsSync(join(folder(), "cache")), false);
    });

    it("says how a tool could be had", async () => {
        const pulumi = async () => (await examineTools({ sources: ["download"] }))[0]!;
        assert.match((await pulumi()).detail, /no official sum of pulumi-v.* is known \(PULUMI_NFV_TRUST_.*=yes takes/);
        assert.match((await pulumi()).switchesOff ?? "", /everything/, "a download that is refused is no source");
        set("PULUMI_NFV_TRUST_UNPINNED_DOWNLOADS", "yes");
        assert.match((await pulumi()).detail, /can be downloaded from .* \(not tried\)/);
        assert.equal((await pulumi()).switchesOff, undefined);
    });

    it("offers no download of what upstream publishes as container images only", async () => {
        set("PULUMI_NFV_TRUST_UNPINNED_DOWNLOADS", "yes");
        const findings = await examineTools({ sources: ["download"] });
        const { detail, switchesOff } = findings.find(finding => finding.tool === "add-ons")!;
        assert.match(detail, /^cannot be had: there is no mirror folder with openstack-and-csi-addons-v\S+\.tar\.xz$/);
        assert.equal(switchesOff, "bundles with add-ons (nfv bundle --add-ons)");
    });

    it("does not count a file of the mirror folder that no sum vouches for", async () => {
        const [{ file }] = tool("etcd").releases;
        writeFileSync(join(folder(), file), "");
        set("PULUMI_NFV_MIRROR", folder());
        const etcd = async () =>
            (await examineTools({ sources: ["mirror"] })).find(finding => finding.tool === "etcd")!;
        assert.match((await etcd()).detail, /no sum vouches for etcd-v/);
        assert.equal((await etcd()).switchesOff, "bundles");
        writeFileSync(join(folder(), "SHA256SUMS"), `${"0".repeat(64)}  ${file}\n`);
        assert.equal((await etcd()).switchesOff, undefined);
        assert.match((await etcd()).detail, /in the mirror folder .* \(sum not compared yet\)$/);
    });

    it("names the files that the mirror folder lacks, and only these", async () => {
        set("PULUMI_NFV_MIRROR", folder());
        const [first, ...others] = tool("kubernetes").releases.map(({ file }) => file);
        writeFileSync(join(folder(), first!), "");
        const findings = await examineTools({ sources: ["mirror"] });
        const { detail } = findings.find(finding => finding.tool === "Kubernetes")!;
        assert.equal(detail, `cannot be had: the mirror folder ${folder()} has no ${others.join(", ")}`);
    });

    it("says in one line why the cache cannot be used", async () => {
        set("PULUMI_NFV_SOURCES", "mirror");
        set("PULUMI_NFV_CACHE", "cache");
        assert.match(
            await doctorReport(),
            /^cache +cannot be used: "cache" is a relative path.*\(PULUMI_NFV_CACHE\)$/m,
        );
        writeFileSync(join(folder(), "file"), "");
        set("PULUMI_NFV_CACHE", join(folder(), "file"));
        assert.match(await doctorReport(), /^cache +cannot be used: \S+\/file is not a folder/m);
    });

    it("closes with each tool that has no usable source, and what does not work without it", async () => {
        set("PULUMI_NFV_SOURCES", "download");
        set("PULUMI_NFV_TRUST_UNPINNED_DOWNLOADS", undefined);
        const report = await doctorReport();
        assert.doesNotMatch(report, /Nothing is missing/);
        const [, missing] = report.split("Missing, and what does not work without it:");
        assert.match(missing!, /Pulumi CLI and Node.js language host: everything but the unit tests/);
        assert.match(missing!, /Pulumi plugin kubernetes: Cnf/);
        assert.doesNotMatch(missing!, /CNI plugins/, "their official sum is known");
    });
});

describe("nfv", () => {
    const said: string[] = [];
    const original = console.error;
    beforeEach(() => {
        said.splice(0);
        console.error = (line: string) => said.push(line);
    });
    afterEach(() => {
        console.error = original;
    });

    for (const argv of [
        ["frobnicate"],
        ["bundle", "--kubernets", "1.34.4"],
        ["bundle", "stray"],
        ["bundle", "--add-ons", "nfs-csi,nfs"],
        ["bundle", "--add-ons", "nfs-csi,cinder-csi", "--kubernetes", "1.33.1"],
        ["bundle", "--kubernetes", "1.34"],
        // has files and is no bundle: refused before anything is built
        ["bundle", "--out", packageRoot()],
        ["verify"],
    ]) {
        it(`answers "${argv.join(" ")}" with exit code 2 and what to do`, async () => {
            const code = await main(argv);
            console.error = original;
            assert.equal(code, 2);
            assert.match(said.join("\n"), /INVALID_INPUT/);
        });
    }

    it("names an option that it does not know, and what to read", async () => {
        assert.equal(await main(["doctor", "--all"]), 2);
        assert.deepEqual(said.join("\n").split(/\n\s*/).slice(1), [
            "Unknown option '--all'",
            "nfv help doctor shows what there is.",
        ]);
    });

    it("says which versions of Kubernetes there are, where it refuses one", async () => {
        for (const version of ["9.99.0", "1.34"]) {
            assert.equal(await main(["bundle", "--kubernetes", version]), 2);
            assert.match(said.splice(0).join("\n"), /1\.36\.3 is known.*other versions/s);
        }
    });

    for (const argv of [["--help"], ["-h"], ["help"]]) {
        it(`answers "${argv.join(" ")}" with the usage`, async () => {
            const printed: string[] = [];
            const log = console.log;
            console.log = (line: string) => printed.push(line);
            const code = await main(argv).finally(() => {
                console.log = log;
            });
            assert.equal(code, 0);
            assert.match(printed.join("\n"), /^nfv: .*nfv bundle \[--kubernetes VERSION\]/s);
        });
    }
});
