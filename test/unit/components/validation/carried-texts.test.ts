import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { parse, parseAllDocuments } from "yaml";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { heatTemplate } from "../../../../components/infrastructure/openstack/heat/heat-template";
import { planServers } from "../../../../components/infrastructure/openstack/plan/plan-servers";
import { cloudConf } from "../../../../provider/cloud-provider/cloud-conf";
import { initConfig } from "../../../../provider/member/join/kubeadm-config";
import { patchFiles } from "../../../../provider/member/join/kubeadm-files";
import { setLabels } from "../../../../provider/member/set-labels";
import { proxyFiles } from "../../../../provider/node/configure-proxy";
import { aptFiles } from "../../../../provider/node/kubernetes/kubernetes-packages";
import { hostsToml } from "../../../../provider/node/runtime/containerd-config";
import { setSysctls } from "../../../../provider/node/set-sysctls";
import { resticFiles } from "../../../../provider/storage/backup/backup-files";
import { timerOf } from "../../../../provider/storage/backup/backup-units";
import { skipIf } from "../../../support/skip";
import { hostSpec, nodeSpec } from "../../provider/sample-specs";
import { ways } from "./carried-texts";
import { hostileTexts } from "./text-inputs";

const textsOf = (way: keyof typeof ways) => ways[way].takes.map(each => hostileTexts[each]);
/** What reads it in truth. undefined: the program is not on this machine. */
function read(program: string, args: string[], input = "", env = process.env): string | undefined {
    const { stdout, stderr, status, error } = spawnSync(program, args, { input, env, encoding: "utf8" });
    if (error) return undefined;
    strictEqual(status, 0, stderr);
    return stdout;
}

describe("hostile texts that are carried", () => {
    let folder: string;
    beforeEach(() => {
        folder = mkdtempSync(path.join(tmpdir(), "carried-"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));
    const file = (content: string) => {
        writeFileSync(path.join(folder, "file"), content);
        return path.join(folder, "file");
    };

    it("come out of Heat's template as they are, and no function of Heat is made of them", () => {
        for (const text of textsOf("cloud").filter(each => each.length < 100)) {
            const args = {
                infrastructure: {
                    heat: { image: text, flavor: "m", externalNetwork: "public", metadata: { note: text } },
                },
                kubernetes: { version: "1.34.4" },
            } as unknown as KubernetesClusterArgs;
            const { template } = heatTemplate(planServers(args, "core", { project: "shop", stack: "dev" }));
            const { resources } = parse(template, { version: "1.1" });
            const servers = Object.values<{ type: string; properties: Record<string, unknown> }>(resources).filter(
                ({ type }) => type === "OS::Nova::Server",
            );
            strictEqual(servers.length, 1);
            strictEqual((servers[0]!.properties["metadata"] as Record<string, string>)["note"], text);
            ok(JSON.stringify(servers).includes(JSON.stringify(text)));
        }
    });

    it("come out of the patch of a node as they are, with their keys as words", async () => {
        for (const text of textsOf("objects")) {
            const step = setLabels(await nodeSpec({ annotations: { "site/note": text } }))!;
            const { metadata } = JSON.parse(step.env!["PATCH"]!);
            strictEqual(metadata.annotations["site/note"], text);
            strictEqual(step.env!["ANNOTATIONS"], "site/note");
        }
    });

    it("come out of kubeadm's configuration as they are", async () => {
        for (const text of textsOf("kubeadm")) {
            const config = initConfig(
                await nodeSpec({ extraArgs: { apiServer: { note: text }, etcd: { note: text } } }),
            );
            const cluster = parseAllDocuments(config, { version: "1.1" })
                .map(each => each.toJS())
                .find(({ kind }) => kind === "ClusterConfiguration");
            for (const { extraArgs } of [cluster.apiServer, cluster.etcd.local]) {
                strictEqual(extraArgs.find(({ name }: { name: string }) => name === "note").value, text);
            }
        }
    });

    it("are the whole content of a file", async () => {
        for (const text of textsOf("content")) {
            const [patch] = patchFiles(await nodeSpec({ patches: { "etcd+merge": text } }));
            strictEqual(patch!.content, text);
        }
        for (const text of textsOf("kubeadm")) {
            const files = resticFiles("/b", {
                owner: "o",
                exports: [],
                password: text,
                keep: {},
                repository: { folder: "/r" },
            });
            strictEqual(files.find(each => each.path === "/b/password")!.content, `${text}\n`);
        }
    });

    it("come out of hosts.toml as they are, by the TOML of Python", function () {
        const program = "import sys, tomllib, json; print(json.dumps(tomllib.loads(sys.stdin.read())))";
        for (const text of textsOf("mirror")) {
            const endpoint = `https://a/${text}`;
            const toml = hostsToml({ registry: "*", endpoints: [endpoint], username: text, password: text });
            const said = read("python3", ["-c", program], toml);
            skipIf(this, said === undefined && "no python3 here");
            const [host, { header }] = Object.entries<any>(JSON.parse(said!).host)[0]!;
            strictEqual(host, endpoint);
            strictEqual(Buffer.from(header.Authorization[0].split(" ")[1], "base64").toString(), `${text}:${text}`);
        }
    });

    it("come out of the proxy's environment by a shell, and out of apt's configuration by apt, with quotes and blanks percent-encoded", function () {
        for (const text of textsOf("proxy")) {
            const url = `http://proxy:3128/${text}`;
            const [environment, apt] = proxyFiles(hostSpec({ proxy: { httpProxy: url, noProxy: [text] } }));
            const encoded = url.replace(/['\s]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
            strictEqual(
                read("sh", ["-c", '. "$0"; printf %s "$HTTP_PROXY"', file(environment!.content)], "", {}),
                encoded,
            );
            const said = read("apt-config", ["shell", "P", "Acquire::http::Proxy"], "", {
                ...process.env,
                APT_CONFIG: file(apt!.content),
            });
            skipIf(this, said === undefined && "no apt here");
            strictEqual(read("sh", ["-c", `${said}printf %s "$P"`]), encoded);
        }
    });

    it("are one word of apt's list of sources", () => {
        for (const text of textsOf("source")) {
            const url = `https://mirror/${text}`;
            const [source] = aptFiles("1.34.4", { repository: url });
            deepStrictEqual(source!.content.trimEnd().split(" ").slice(2), [`${url}/`, "/"]);
        }
    });

    it("come out of cloud.conf as they are, by git, whose format it has", () => {
        for (const text of textsOf("cloudConf")) {
            const conf = cloudConf({
                access: {
                    authUrl: "https://c",
                    region: text,
                    applicationCredentialId: "i",
                    applicationCredentialSecret: text,
                },
                loadBalancer: { availabilityZone: text },
            });
            for (const key of [
                "Global.region",
                "Global.application-credential-secret",
                "LoadBalancer.availability-zone",
            ]) {
                strictEqual(read("git", ["config", "-f", file(conf), "--null", "--get", key]), `${text}\0`);
            }
        }
    });

    it("are one line of a timer, and of the kernel's settings", () => {
        for (const text of textsOf("timer")) {
            ok(timerOf("when", text).split("\n").includes(`OnCalendar=${text}`));
        }
        for (const text of textsOf("settings")) {
            const [settings] = setSysctls(hostSpec({ sysctls: { "kernel.note": text } }))!.files!;
            deepStrictEqual(
                settings!.content.split("\n").filter(each => each.startsWith("kernel.")),
                [`kernel.note = ${text}`],
            );
        }
    });
});
