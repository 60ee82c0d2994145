import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
    chmodSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readFileSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostSpec } from "../../../../provider/common/model";
import { addressProbe } from "../../../../provider/endpoint/address-probe";
import { checkVirtualAddress } from "../../../../provider/endpoint/check-virtual-address";
import { loadBalancerSteps } from "../../../../provider/endpoint/take-away";
import { vrrpGuard } from "../../../../provider/endpoint/vrrp-guard";
import { caCertHash } from "../../../../provider/identity";
import { exitCodes } from "../../../../provider/shell/exit-codes";
import { plan } from "../../../../provider/steps";
import { createIdentity, type Identity } from "../identity/made-identity";
import { hostSpec, masters, vipEndpoint } from "../sample-specs";

const foreign = "52:54:00:00:00:99";

describe("the look for another machine with the virtual address", () => {
    let root: string;
    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-address-"));
        mkdirSync(join(root, "bin"));
        mkdirSync(join(root, "etc/pulumi-nfv"), { recursive: true });
        for (const tool of ["grep", "awk"]) symlinkSync(`/usr/bin/${tool}`, join(root, "bin", tool));
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    const program = (name: string, text: string) => {
        writeFileSync(join(root, "bin", name), `#!/bin/sh\n${text}\n`);
        chmodSync(join(root, "bin", name), 0o755);
    };
    /** Runs on a node with eth1. `found`: output of the probe; undefined: there is no Python. */
    const run = (
        found: string | undefined,
        { held = "", spec = hostSpec() }: { held?: string; spec?: HostSpec } = {},
    ) => {
        const step = checkVirtualAddress(spec)!;
        program(
            "ip",
            `case "$*" in *"to ${step.env!["VIP"]}") printf '%s' '${held}' ;; *) echo "2: eth1 inet x" ;; esac`,
        );
        if (found !== undefined) program("python3", `shift 2; echo "$*" > "${root}/asked"; printf '%s' '${found}'`);
        const script = step.run!.replace(/^PATH=.*$/m, "").replace(/\/etc\//g, `${root}/etc/`);
        const env = { ...step.env, PATH: join(root, "bin") };
        const { status, stdout, stderr } = spawnSync("/bin/sh", ["-eu"], { input: script, encoding: "utf8", env });
        const asked = existsSync(join(root, "asked")) ? readFileSync(join(root, "asked"), "utf8").trim() : undefined;
        return { status, code: step.errors![status!], stdout, stderr, asked };
    };

    it("refuses an address for which a machine answers that is no master, and names it", () => {
        const { status, code, stderr } = run(`${foreign}\n52:54:00:00:00:98`);
        assert.deepEqual([status, code], [exitCodes.ADDRESS_IN_USE, "ADDRESS_IN_USE"]);
        assert.match(stderr, /52:54:00:00:00:99 52:54:00:00:00:98 answers for 10\.0\.0\.100 on eth1 already/);
    });

    it("takes one for which none answers, and asks where keepalived would have it, with all masters", () => {
        const { status, asked } = run("");
        assert.equal(status, 0);
        const { caCertHash: authority } = hostSpec();
        assert.equal(
            asked,
            `eth1 10.0.0.100 1.6 16443 ${authority} ${masters.map(({ address }) => address).join(" ")}`,
        );
        const vip = { ...vipEndpoint.vip!, interface: "eth7" };
        assert.match(run("", { spec: hostSpec({ endpoint: { ...vipEndpoint, vip } }) }).asked!, /^eth7 /);
    });

    it("asks nobody where the machine has the address itself, or guards it as a node of a cluster that serves it", () => {
        const itself = run(foreign, { held: "2: eth1 inet 10.0.0.100/24" });
        assert.deepEqual([itself.status, itself.asked], [0, undefined]);
        for (const role of ["controlPlane", "worker"] as const) {
            writeFileSync(join(root, "etc/pulumi-nfv/virtual-address.nft"), vrrpGuard(hostSpec({ role })));
            const served = run(foreign);
            assert.deepEqual([served.status, served.asked], [0, undefined], role);
        }
    });

    it("asks again for another address, also one that has the former one's beginning, and not for that which it goes back to", () => {
        const at = (address: string) => ({ ...vipEndpoint, host: address, vip: { ...vipEndpoint.vip!, address } });
        const [former, next] = [vipEndpoint, at("10.0.0.10")];
        writeFileSync(join(root, "etc/pulumi-nfv/virtual-address.nft"), vrrpGuard(hostSpec()));
        assert.equal(run(foreign, { spec: hostSpec({ endpoint: next }) }).code, "ADDRESS_IN_USE");
        const both = hostSpec({ endpoint: next, formerEndpoints: [former] });
        writeFileSync(join(root, "etc/pulumi-nfv/virtual-address.nft"), vrrpGuard(both));
        assert.equal(run(foreign).status, 0);
    });

    it("says so where it cannot look", () => {
        const { status, stdout } = run(undefined);
        assert.deepEqual([status, stdout], [0, "no python3: not looked who has 10.0.0.100\n"]);
        const vip = { ...vipEndpoint.vip!, address: "fd00::9" };
        const six = run(foreign, { spec: hostSpec({ endpoint: { ...vipEndpoint, vip } }) });
        assert.deepEqual([six.status, six.asked], [0, undefined]);
    });

    it("is done once for an address on each node, whoever comes or goes, and again after it was taken away", () => {
        const print = (changes: Partial<HostSpec>) =>
            plan([checkVirtualAddress], hostSpec(changes), "key")[0]!.fingerprint;
        const vip = { ...vipEndpoint.vip!, address: "10.0.0.101" };
        assert.equal(print({ masters: masters.slice(0, 1) }), print({}));
        assert.equal(print({ role: "worker" }), print({}));
        assert.notEqual(print({ endpoint: { ...vipEndpoint, vip } }), print({}));
        assert.ok(loadBalancerSteps.includes(checkVirtualAddress(hostSpec())!.id));
        assert.equal(checkVirtualAddress(hostSpec({ endpoint: { host: "api.site", port: 6443 } })), undefined);
    });
});

describe("an unknown machine that answers for the virtual address", () => {
    let folder: string;
    let ours: Identity;
    let theirs: Identity;
    before(async () => {
        folder = mkdtempSync(join(tmpdir(), "nfv-serves-"));
        [ours, theirs] = await Promise.all(["core", "other"].map(clusterName => createIdentity({ clusterName })));
    });
    after(() => rmSync(folder, { recursive: true, force: true }));

    /** Certificate of an API server at 127.0.0.1. */
    const certificateOf = ({ caCertificate, caKey }: Identity) => {
        const at = (name: string) => join(folder, name);
        const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });
        writeFileSync(at("ca.crt"), caCertificate);
        writeFileSync(at("ca.key"), caKey);
        writeFileSync(at("names"), "subjectAltName=IP:127.0.0.1\n");
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=api", "-keyout", at("key"), "-out", at("csr"));
        const authority = ["-CA", at("ca.crt"), "-CAkey", at("ca.key"), "-CAcreateserial"];
        openssl("x509", "-req", "-in", at("csr"), ...authority, "-extfile", at("names"), "-out", at("crt"));
        return { key: readFileSync(at("key")), cert: readFileSync(at("crt")) };
    };
    /** Whether it counts as ours: an API server of `server` whose cluster-info names the authority of `said`. */
    const counts = async (server: Identity, said: Identity) => {
        const data = Buffer.from(said.caCertificate).toString("base64");
        const kubeconfig = `clusters:\n- cluster:\n    certificate-authority-data: ${data}\n    server: https://x\n`;
        const api = createServer(certificateOf(server), (request, response) => {
            response.statusCode = request.url === "/api/v1/namespaces/kube-public/configmaps/cluster-info" ? 200 : 404;
            response.end(JSON.stringify({ data: { kubeconfig } }));
        }).listen(0, "127.0.0.1");
        await new Promise(resolve => api.once("listening", resolve));
        const { port } = api.address() as AddressInfo;
        const question = `${addressProbe.split("for _ in range(3)")[0]}print(serves_our_cluster())`;
        const values = ["lo", "127.0.0.1", "1", String(port), caCertHash(ours.caCertificate)];
        const child = spawn("python3", ["-c", question, ...values], { stdio: ["ignore", "pipe", "inherit"] });
        let text = "";
        child.stdout.on("data", chunk => (text += chunk));
        await new Promise(resolve => child.once("close", resolve));
        api.close();
        return text.trim();
    };

    it("is ours where it serves our cluster: a master that leaves in the same run", async () =>
        assert.equal(await counts(ours, ours), "True"));
    it("is not where it serves another cluster", async () => assert.equal(await counts(theirs, theirs), "False"));
    it("is not where it only repeats what our cluster says", async () =>
        assert.equal(await counts(theirs, ours), "False"));
});
