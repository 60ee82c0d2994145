import { strict as assert } from "node:assert";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CacheUnusable } from "../../../tools/cache-folder";
import { doctorReport, examineFrom, examineMachine, examineTools } from "../../../tools/doctor";
import type { FoundTool, Source } from "../../../tools/found";
import { goVersion } from "../../../tools/go-build";
import { main } from "../../../tools/nfv";
import { packageRoot, type SourceName } from "../../../tools/settings";
import { type Tool, tool } from "../../../tools/versions";
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
        assert.match(
            detail,
            /^cannot be had: the source mirror is switched off, which takes openstack-and-csi-addons-v\S+\.tar\.xz$/,
        );
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

    it("names the files that a mirror folder should have, also where another source refuses the tool", async () => {
        set("PULUMI_NFV_MIRROR", folder());
        const [{ file }] = tool("etcd").releases;
        const etcd = async () =>
            (await examineTools({ sources: ["mirror", "download"] })).find(finding => finding.tool === "etcd")!;
        assert.match(
            (await etcd()).detail,
            /^cannot be had: not downloaded from .*\); the mirror folder \S+ has no etcd-v/,
        );
        writeFileSync(join(folder(), file), "");
        const { detail, switchesOff } = await etcd();
        assert.match(detail, /^cannot be had: not taken from \S+: no sum vouches for etcd-v.*; not downloaded/);
        assert.doesNotMatch(detail, /has no/, "it is present");
        assert.equal(switchesOff, "bundles");
    });

    describe("says of a tool", () => {
        const wanted = tool("etcd");
        const found: FoundTool = { tool: wanted, programs: {}, files: {}, source: "modules", detail: "built" };
        const source = (name: SourceName, quick: boolean, answers: Partial<Source>): Source => ({
            ...{ name, quick, ready: async () => undefined, prospect: async () => undefined },
            obtain: () => assert.fail("obtained"),
            ...answers,
        });
        const mirror = source("mirror", true, { prospect: async () => ({ usable: true, detail: "in the folder" }) });
        const download = source("download", false, {
            prospect: async () => ({ usable: true, detail: "from a server" }),
        });
        const modules = source("modules", false, { ready: async () => found });
        const row = (each: Tool, ...from: Source[]) => examineFrom(each, from, "no folder");

        it("that is built and also in the mirror folder that the folder comes first, as the resolver takes it", async () => {
            const { source: named, detail, switchesOff } = await row(wanted, mirror, modules);
            assert.deepEqual([named, detail, switchesOff], ["-", "in the folder; else built", undefined]);
        });

        it("that is built that it is, where the others would have to fetch it", async () => {
            const { source: named, detail } = await row(wanted, download, modules);
            assert.deepEqual([named, detail], ["modules", "built"]);
        });

        it("that is built from other code that a download comes first", async () => {
            const { source: named, detail } = await row(tool("pulumi"), download, modules);
            assert.deepEqual([named, detail], ["-", "from a server; else built"]);
        });

        it("whose entry of the cache is refused why, once", async () => {
            const broken = { ready: () => Promise.reject(new CacheUnusable("/c can be written by all users")) };
            const { detail } = await row(wanted, source("mirror", true, broken), source("modules", false, broken));
            assert.equal(detail, "cannot be had: PULUMI_NFV_CACHE: /c can be written by all users; no folder");
        });
    });

    it("does not believe in any Go: the modules want one", async function () {
        skipIf(this, (await goVersion()) === undefined && "Go is not installed");
        const go = async (version: string) =>
            (await examineMachine(Promise.resolve(version))).find(finding => finding.tool === "go")!;
        const old = await go("go1.19.8");
        assert.deepEqual([old.version, old.detail], ["1.19.8", "go 1.19.8 is older than 1.26"]);
        assert.equal(old.switchesOff, "building tools from Go modules");
        assert.equal((await go("go1.26.8")).detail, "");
        assert.equal((await go("go1.26.8")).switchesOff, undefined);
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
    const { folder, set } = scratch();
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
        ["bundle", "--out", ""],
        ["bundle", "--out="],
        ["bundle", "--add-ons", ""],
        ["bundle", "--add-ons", "nfs-csi,"],
        ["image", "--out", "image.tar", "--bundle", ""],
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

    it("names an empty value, surplus arguments, and the option that was meant, with its dashes", async () => {
        for (const [argv, words] of [
            [["bundle", "--out", ""], /^--out: a value is expected, it is empty$/],
            [
                ["bundle", "--add-ons", "nfs-csi,"],
                /^--add-ons nfs-csi,: a name is empty; known are container-runtime, nfs-csi, /,
            ],
            [["bundle", "a", "b"], /^expected no arguments beside options, got a b$/],
            [["verify"], /^expected 1 argument beside options, got none$/],
            [["bundle", "--addons", "nfs-csi"], /^Unknown option '--addons'; did you mean "--add-ons"\?$/],
        ] as const) {
            assert.equal(await main([...argv]), 2);
            assert.match(said.splice(0).join("\n").split(/\n\s*/)[1]!, words);
        }
    });

    it("looks for all tools of a bundle before it builds the first, and names all that are missing", async () => {
        set("PULUMI_NFV_SOURCES", "mirror,download,modules");
        set("PULUMI_NFV_MIRROR", folder());
        set("PULUMI_NFV_TRUST_UNPINNED_DOWNLOADS", undefined);
        assert.equal(await main(["bundle", "--add-ons", "nfs-csi,cluster-api-openstack"]), 5);
        const text = said.join("\n");
        assert.match(text, /TOOL_MISSING/);
        assert.match(text, /\n +add-ons 1\.36\.0 cannot be had: the mirror folder \S+ has no openstack-and-csi/);
        assert.match(text, /\n +Cluster API provider OpenStack 0\.14\.7 cannot be had: /);
        assert.equal(existsSync(join(folder(), "cache")), false, "nothing was made");
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
