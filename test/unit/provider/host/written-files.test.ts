import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { interfacePlaceholder } from "../../../../provider/endpoint/keepalived-config";
import { hostSteps } from "../../../../provider/host/host-steps";
import { writtenFiles, writtenText } from "../../../../provider/host/written-files";
import { replacedFiles } from "../../../../provider/node/keep-originals";
import { script } from "../../../../provider/shell/script-file";
import { hostSpec, hostSpecs } from "../sample-specs";

const functions =
    script("shell/lib/originals.sh") +
    script("host/lib/is-as-written.sh", { INTERFACE_PLACEHOLDER: interfacePlaceholder });
const haproxy = "/etc/haproxy/haproxy.cfg";
const keepalived = "/etc/keepalived/keepalived.conf";

describe("files of others that our steps replace", () => {
    it("are known for each host with what was written; a worker has none of the load balancer's", () => {
        const paths = (spec = hostSpec()) => writtenFiles(spec).map(({ path }) => path);
        const master = paths(hostSpecs["a master with everything"]);
        const runtime = paths(hostSpecs["a worker with the bundle's container runtime"]);
        assert.deepEqual([...new Set([...master, ...runtime, "/etc/hostname"])].sort(), [...replacedFiles].sort());
        const worker = paths(hostSpecs["a worker of a bundle"]);
        assert.ok(!worker.includes(haproxy) && !worker.includes(keepalived));
    });

    it("are the files that the steps write, if the machine does not make them", () => {
        const spec = hostSpecs["a worker of a bundle"];
        const files = hostSteps.flatMap(factory => factory(spec)?.files ?? []).map(({ path }) => path);
        for (const { path, sum } of writtenFiles(spec)) assert.equal(files.includes(path), sum !== "template", path);
    });
});

describe("a file that is to be put back as it was before us", () => {
    let root: string;
    const at = (file: string) => join(root, file);
    const put = (file: string, content: string) => {
        mkdirSync(dirname(at(file)), { recursive: true });
        writeFileSync(at(file), content);
    };
    const original = (file: string) => `/var/lib/pulumi-nfv/original${file}`;
    const spec = hostSpecs["a master with everything"];
    const ours = hostSteps.flatMap(factory => factory(spec)?.files ?? []).find(({ path }) => path === haproxy)!.content;

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-written-"));
        put(original(haproxy), "theirs at first");
        put(original(keepalived), "theirs at first");
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    const reset = (file: string, of = spec) => {
        const ip = "ip() { echo '1: lo: <UP>'; echo '2: eth7@if9: <UP>'; }\n";
        const script = `${ip}${functions}if is_as_written ${file}; then restore ${file}; fi\n`;
        const { stdout, stderr, status } = spawnSync("sh", ["-eu"], {
            input: script.replace(/\/(etc|var)\//g, `${root}/$1/`),
            encoding: "utf8",
            env: {
                PATH: process.env["PATH"],
                WRITTEN: writtenText(writtenFiles(of)).replaceAll(" /etc/", ` ${root}/etc/`),
            },
        });
        assert.deepEqual([stderr, status], ["", 0]);
        return [stdout.replaceAll(root, ""), readFileSync(at(file), "utf8")];
    };
    // Copies keep their whole path.
    const copied = (file: string) => put(`/var/lib/pulumi-nfv/original${root}${file}`, "theirs at first");

    it("is, where it is as we wrote it", () => {
        copied(haproxy);
        put("/var/lib/pulumi-nfv/journal/host.haproxy", "abc\n");
        put(haproxy, ours);
        assert.deepEqual(reset(haproxy), ["", "theirs at first"]);
    });

    it("is not where somebody changed it since: it is said that it stays", () => {
        copied(haproxy);
        put("/var/lib/pulumi-nfv/journal/host.haproxy", "abc\n");
        put(haproxy, "theirs now");
        assert.deepEqual(reset(haproxy), [`stays: ${haproxy}: it was changed since we wrote it\n`, "theirs now"]);
    });

    it("is compared with our copy where the machine made it of what only it knows", () => {
        const runtime = "/etc/containerd/config.toml";
        copied(runtime);
        put(`/var/lib/pulumi-nfv/original${runtime}`, "theirs at first");
        put("/var/lib/pulumi-nfv/journal/host.container-runtime-config", "abc\n");
        put("/var/lib/pulumi-nfv/config.toml", "version = 4\n");
        put(runtime, "version = 4\n# by hand\n");
        assert.match(reset(runtime)[0]!, /^stays: /);
        put(runtime, "version = 4\n");
        assert.deepEqual(reset(runtime), ["", "theirs at first"]);
    });

    it("is not where no step of ours wrote it", () => {
        copied(haproxy);
        put(haproxy, ours);
        assert.deepEqual(reset(haproxy), ["", ours], "the step never ended");
        put("/var/lib/pulumi-nfv/journal/host.haproxy", "abc\n");
        assert.deepEqual(reset(haproxy, hostSpecs["a worker of a bundle"]), ["", ours], "a worker");
    });

    it("is compared with its template where that got the interface on the machine", () => {
        copied(keepalived);
        put("/var/lib/pulumi-nfv/journal/host.keepalived", "abc\n");
        put("/var/lib/pulumi-nfv/keepalived.conf", "interface @INTERFACE@\n");
        put(keepalived, "interface eth8\n");
        assert.match(reset(keepalived)[0]!, /^stays: /);
        put(keepalived, "interface eth7\n");
        assert.deepEqual(reset(keepalived), ["", "theirs at first"]);
    });
});
