import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { EndpointSpec, HostSpec } from "../../../../provider/common/model";
import { haproxyConfig } from "../../../../provider/endpoint/haproxy-config";
import { keepalivedConfig } from "../../../../provider/endpoint/keepalived-config";
import { formerConstants, parseFormers } from "../../../../provider/endpoint/side-by-side";
import { vrrpGuard } from "../../../../provider/endpoint/vrrp-guard";
import { hostSteps } from "../../../../provider/host/host-steps";
import { proxyFiles } from "../../../../provider/node/configure-proxy";
import { hostsLines } from "../../../../provider/node/write-hosts-file";
import { script } from "../../../../provider/shell/script-file";
import { plan, planOnTheWay } from "../../../../provider/steps";
import { hostSpec, masters, vipEndpoint } from "../sample-specs";

const former: EndpointSpec = {
    host: "10.0.0.101",
    port: 8443,
    vip: { address: "10.0.0.101", prefixLength: 24, interface: "", virtualRouterId: 78 },
};
const named: EndpointSpec = { host: "core.x", port: 6443, hostsEntry: { name: "core.x", address: "10.0.0.11" } };
const proxy = { httpProxy: "http://proxy:3128" };
const serving = (formerEndpoints: EndpointSpec[]): HostSpec => hostSpec({ formerEndpoints, proxy });
const environment = (spec: HostSpec) => proxyFiles(spec)[0]!.content;

/** What is left of a file after the former endpoint's removal. */
function taken(text: string): string {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "nfv-side-")), "file");
    fs.writeFileSync(file, text, { mode: 0o600 });
    const { status, stderr } = spawnSync("sh", ["-eu"], {
        input: `${script("endpoint/without-former.sh", formerConstants)}\nwithout_former '${file}'\n`,
        encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    assert.equal(fs.statSync(file).mode & 0o777, 0o600);
    const left = fs.readFileSync(file, "utf8");
    fs.rmSync(path.dirname(file), { recursive: true });
    return left;
}

describe("two endpoints side by side", () => {
    const files: Record<string, (spec: HostSpec) => string> = {
        HAProxy: spec => haproxyConfig(spec.endpoint, spec.masters, spec.formerEndpoints),
        keepalived: keepalivedConfig,
        "the guard": vrrpGuard,
        "the proxy's variables": environment,
    };
    for (const [title, make] of Object.entries(files)) {
        it(`${title}: what is left behind the former one is what a fresh machine has`, () => {
            const both = make(serving([former]));
            assert.notEqual(both, make(serving([])));
            assert.equal(taken(both), make(serving([])));
        });
    }

    it("HAProxy listens on both ports, and answers keepalived at both, also before keepalived knows the new one", () => {
        const binds = (formers: EndpointSpec[]) =>
            [...haproxyConfig(vipEndpoint, masters, formers).matchAll(/^ {4}bind (\S+)$/gm)].map(([, bind]) => bind);
        assert.deepEqual(binds([former]), ["*:16443", "*:8443", "127.0.0.1:16444", "127.0.0.1:8444"]);
        assert.deepEqual(binds([{ ...former, port: 16443 }, named]), ["*:16443", "127.0.0.1:16444"]);
    });

    it("keepalived has an instance for each address, with a router id of its own and the same peers", () => {
        const config = keepalivedConfig(serving([former]));
        assert.deepEqual(
            [...config.matchAll(/virtual_router_id (\d+)/g)].map(([, id]) => id),
            ["77", "78"],
        );
        assert.equal(config.match(/unicast_peer \{\n {8}10\.0\.0\.12\n {8}10\.0\.0\.13\n/g)!.length, 2);
        assert.match(config, /10\.0\.0\.100\/24[\s\S]*10\.0\.0\.101\/24/);
        // only the port changes: one address, one instance
        const samePlace = { ...vipEndpoint, port: 8443 };
        assert.equal(keepalivedConfig(serving([samePlace])), keepalivedConfig(serving([])));
    });

    it("the guard has a table of its own for the former router id", () => {
        const rules = vrrpGuard(serving([former]));
        assert.match(rules, /table inet pulumi-nfv-vrrp-former-78 \{[\s\S]*@th,8,8 != 78 accept/);
        assert.match(rules, /table inet pulumi-nfv-vrrp \{[\s\S]*@th,8,8 != 77 accept/);
    });

    it("a name that only the nodes know stays in /etc/hosts, and both are excluded from the proxy", () => {
        assert.match(hostsLines(serving([named])).join("\n"), /former begin\n10\.0\.0\.11 core\.x\n/);
        const last = [...environment(serving([former])).matchAll(/^NO_PROXY='(.*)'$/gm)].at(-1)![1]!.split(",");
        assert.ok(last.includes("10.0.0.100") && last.includes("10.0.0.101"));
    });

    it("runs the steps of the wanted endpoint under their fingerprints, so that nothing is to do behind it", () => {
        const [wanted, meanwhile] = [serving([]), serving([former])];
        const onTheWay = planOnTheWay(hostSteps, { wanted, meanwhile }, "key");
        const prints = (steps: typeof onTheWay) => steps.map(step => [step.id, step.fingerprint]);
        assert.deepEqual(prints(onTheWay), prints(plan(hostSteps, wanted, "key")));
        const haproxy = onTheWay.find(({ id }) => id === "host.haproxy")!;
        assert.match(haproxy.files![0]!.content, /bind \*:8443/);
    });

    it("lines on a machine that are no endpoint are none", () => {
        assert.deepEqual(parseFormers([JSON.stringify(former), "", "{", '{"a":1}']), [former]);
    });
});
