import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostSpec } from "../../../../provider/common/model";
import { noProxy, proxyFiles } from "../../../../provider/node/configure-proxy";
import { aptFiles, dnfFiles, repositoryUrl } from "../../../../provider/node/kubernetes/kubernetes-packages";
import { bundleFiles as filesOf } from "../../../../provider/node/kubernetes/stage-kubernetes";
import { turnSwapOff } from "../../../../provider/node/turn-swap-off";
import { hostsLines } from "../../../../provider/node/write-hosts-file";
import { proxyEnvironmentFile } from "../../../../provider/shell/folders";
import { script as scriptFile } from "../../../../provider/shell/script-file";
import { skipIf } from "../../../support/skip";
import { hostSpec, hostSpecs } from "../sample-specs";

describe("HTTP proxy", () => {
    const spec = hostSpecs["a master with everything"];

    it("is never used for the node, pods, services and the endpoint", () => {
        const excluded = noProxy(spec);
        for (const own of [
            "127.0.0.1",
            "10.0.0.11",
            "10.0.0.12",
            "10.0.0.13",
            "10.0.0.100",
            "10.244.0.0/16",
            "10.96.0.0/12",
            ".svc",
            ".cluster.local",
            "intra.net",
        ]) {
            assert.ok(excluded.includes(own), own);
        }
    });

    it("is never used for what a list in one text excludes, as NO_PROXY itself has it", () => {
        const excluded = noProxy({ ...spec, proxy: { noProxy: ["a.net, b.net,10.1.0.0/16", "c.net", " "] } });
        assert.deepEqual(excluded.slice(-4), ["a.net", "b.net", "10.1.0.0/16", "c.net"]);
    });

    it("is never used for an endpoint that only the nodes know by name", () => {
        const excluded = noProxy({ ...spec, endpoint: hostSpecs["a single master"].endpoint });
        assert.ok(
            ["core.x", "10.0.0.11"].every(own => excluded.includes(own)),
            excluded.join(),
        );
    });

    /** The variables as a shell reads them from the file. */
    const environment = (changes: HostSpec["proxy"] = spec.proxy) => {
        const [{ content }] = proxyFiles({ ...spec, proxy: changes });
        const script = `set -a; ${content}exec env`;
        const { status, stdout, stderr } = spawnSync("sh", ["-eu"], { input: script, encoding: "utf8", env: {} });
        assert.equal(status, 0, stderr);
        return Object.fromEntries(stdout.split("\n").map(line => line.split(/=(.*)/)));
    };

    it("is known to containerd, kubelet, apt and scripts, with what it is not used for", () => {
        assert.deepEqual(
            proxyFiles(spec).map(({ path }) => path),
            [
                "/etc/pulumi-nfv/proxy.env",
                "/etc/apt/apt.conf.d/95pulumi-nfv-proxy",
                "/etc/systemd/system/containerd.service.d/http-proxy.conf",
                "/etc/systemd/system/kubelet.service.d/http-proxy.conf",
            ],
        );
        const { HTTP_PROXY, http_proxy, NO_PROXY, no_proxy } = environment();
        assert.deepEqual([HTTP_PROXY, http_proxy], ["http://u:p%40@proxy:3128", "http://u:p%40@proxy:3128"]);
        assert.deepEqual([NO_PROXY, no_proxy], [noProxy(spec).join(","), noProxy(spec).join(",")]);
    });

    it("stands in files that only root reads, and in no unit", () => {
        const files = proxyFiles(spec);
        for (const { path, content, mode, secret } of files.filter(file => /proxy:3128/.test(file.content))) {
            assert.ok(mode === 0o600 && secret, path);
            assert.doesNotMatch(content, /Environment=/);
        }
        for (const { content } of files.slice(2)) {
            assert.equal(content, "[Service]\nEnvironmentFile=-/etc/pulumi-nfv/proxy.env\n");
        }
    });

    it("keeps signs that a shell or apt would take for their own", () => {
        const httpsProxy = `http://u:$(id)'";%\`@proxy:3128`;
        assert.equal(environment({ httpsProxy })["HTTPS_PROXY"], "http://u:$(id)%27%22;%`@proxy:3128");
        assert.match(proxyFiles({ ...spec, proxy: { httpsProxy } })[1]!.content, /^Acquire::https::Proxy "[^"]*";\n$/);
    });

    it("is what curl of our steps goes through, with its login", async function () {
        skipIf(this, spawnSync("curl", ["--version"]).status !== 0 && "no curl here");
        const seen: (string | undefined)[] = [];
        const proxy = createServer((request, response) => {
            seen.push(request.url, request.headers["proxy-authorization"]);
            response.end("the key");
        }).listen(0, "127.0.0.1");
        await once(proxy, "listening");
        const folder = mkdtempSync(join(tmpdir(), "nfv-proxy-"));
        try {
            const file = join(folder, "proxy.env");
            const httpProxy = `http://nfv:secret@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
            writeFileSync(file, proxyFiles({ ...spec, proxy: { httpProxy } })[0]!.content);
            const script = `${scriptFile("shell/lib/packages.sh").replaceAll(proxyEnvironmentFile, file)}curl -fsS http://mirror.invalid/Release.key`;
            const curl = spawn("sh", ["-euc", script], { stdio: ["ignore", "pipe", "inherit"] });
            const [said] = await once(curl.stdout, "data");
            assert.equal(String(said), "the key");
            const login = `Basic ${Buffer.from("nfv:secret").toString("base64")}`;
            assert.deepEqual(seen, ["http://mirror.invalid/Release.key", login]);
        } finally {
            proxy.close();
            rmSync(folder, { recursive: true });
        }
    });

    it("writes nothing where there is none", () => assert.deepEqual(proxyFiles(hostSpec()), []));
});

describe("packages of the community", () => {
    it("come from the repository of the minor version, or from one's own", () => {
        assert.equal(repositoryUrl("1.34.4", "deb"), "https://pkgs.k8s.io/core:/stable:/v1.34/deb/");
        assert.equal(repositoryUrl("1.34.4", "rpm", "https://mirror/k8s"), "https://mirror/k8s/");
    });

    it("are pinned to the very version", () => {
        const [source, pin] = aptFiles("1.34.4", { repository: "https://mirror/k8s/" });
        assert.match(source.content, /^deb \[signed-by=\S+\] https:\/\/mirror\/k8s\/ \/\n$/);
        assert.equal(pin.content.match(/^Pin: version 1\.34\.4-\*$/gm)?.length, 3);
    });

    it("are signed, also with a key that is given", () => {
        const [repository, key] = dnfFiles("1.34.4", { key: "PEM" });
        assert.match(repository.content, /^gpgcheck=1$/m);
        assert.match(repository.content, new RegExp(`^gpgkey=file://${key.path}$`, "m"));
        assert.match(dnfFiles("1.34.4", {})[0].content, /^gpgkey=https:\/\/pkgs\.k8s\.io\/.*repomd\.xml\.key$/m);
    });
});

describe("files of a bundle", () => {
    it("go only where the role needs them", () => {
        const names = (spec = hostSpec()) => filesOf(spec, "binary", "image").map(file => file.path);
        assert.ok(names().includes("bin/etcdctl"));
        const worker = names(hostSpecs["a worker of a bundle"]);
        assert.ok(worker.includes("bin/kubelet") && !worker.includes("bin/etcdctl"));
    });
});

describe("/etc/hosts", () => {
    it("names the node, and the endpoint where only the nodes know it", () => {
        assert.deepEqual(hostsLines(hostSpec()), ["10.0.0.11 m1"]);
        assert.deepEqual(hostsLines(hostSpecs["a single master"]), ["10.0.0.11 m1", "10.0.0.11 core.x"]);
    });

    /** Runs a script whose files are in a folder. Returns the file's new content. */
    const changed = (file: "hosts" | "fstab", content: string, text: string, env: Record<string, string> = {}) => {
        const folder = mkdtempSync(join(tmpdir(), "nfv-etc-"));
        try {
            writeFileSync(join(folder, file), content);
            writeFileSync(join(folder, "swaps"), "Filename Type Size Used Priority\n");
            const input = `set -eu\n${text.replaceAll("/etc/", `${folder}/`).replaceAll("/proc/swaps", `${folder}/swaps`)}`;
            const { status, stderr } = spawnSync("sh", ["-s"], {
                input,
                encoding: "utf8",
                env: { ...process.env, ...env },
            });
            assert.deepEqual([stderr, status], ["", 0]);
            return readFileSync(join(folder, file), "utf8");
        } finally {
            rmSync(folder, { recursive: true });
        }
    };

    it("keeps all other lines, whatever is written how often", () => {
        const text = scriptFile("node/write-hosts-file.sh");
        const once = changed("hosts", "127.0.0.1 localhost\n\n# mine\n10.1.1.1 storage", text, {
            LINES: "10.0.0.11 m1",
        });
        const block = "# pulumi-nfv begin\n10.0.0.11 m1\n# pulumi-nfv end\n";
        assert.equal(once, `127.0.0.1 localhost\n\n# mine\n10.1.1.1 storage\n${block}`);
        assert.equal(
            changed("hosts", `${once}10.1.1.2 later\n`, text, { LINES: "10.0.0.12 m2" }),
            once.replace(block, `10.1.1.2 later\n${block.replace("11 m1", "12 m2")}`),
        );
    });

    describe("and /etc/fstab", () => {
        const text = scriptFile("node/turn-swap-off.sh");
        const theirs = [
            "# swap was on /dev/sdb1 swap swap",
            "LABEL=data /data ext4 defaults 0 2 # not for swap files",
            "/dev/sdc1 /var/cache ext4 defaults,comment= swap 0",
            "swap /swap tmpfs size=1g 0 0",
        ];
        const swap = ["/dev/sdb1 none swap sw 0 0", "  UUID=1\tnone\tswap\tsw"];

        it("turns off the lines of swap only: others mention it", () => {
            const lines = [...theirs, ...swap];
            const expected = [...theirs, ...swap.map(line => `# pulumi-nfv: ${line}`)];
            assert.equal(changed("fstab", `${lines.join("\n")}\n`, text), `${expected.join("\n")}\n`);
        });

        it("has swap off where no line of swap is left, whatever mentions it", () => {
            const { probe } = turnSwapOff(hostSpec())!;
            const isOff = (lines: string[]) => {
                const folder = mkdtempSync(join(tmpdir(), "nfv-etc-"));
                writeFileSync(join(folder, "fstab"), `${lines.join("\n")}\n`);
                writeFileSync(join(folder, "swaps"), "Filename\n");
                const moved = probe!.replaceAll("/etc/", `${folder}/`).replaceAll("/proc/swaps", `${folder}/swaps`);
                const { status } = spawnSync("sh", ["-euc", moved]);
                rmSync(folder, { recursive: true });
                return status === 0;
            };
            assert.deepEqual([theirs, swap.slice(0, 1), swap.slice(1)].map(isOff), [true, false, false]);
        });
    });
});
