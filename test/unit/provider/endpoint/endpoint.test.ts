import assert from "node:assert/strict";
import fc from "fast-check";
import type { NfvError } from "../../../../provider/common/errors";
import { decideEndpoint, type EndpointRequest } from "../../../../provider/endpoint/decide-endpoint";
import { alivePort, haproxyConfig } from "../../../../provider/endpoint/haproxy-config";
import { keepalivedConfig } from "../../../../provider/endpoint/keepalived-config";
import { virtualRouterId } from "../../../../provider/endpoint/virtual-router-id";
import { vrrpGuard } from "../../../../provider/endpoint/vrrp-guard";
import { hostSpec, masters, vipEndpoint } from "../sample-specs";

describe("the API's address", () => {
    const decide = (wish: EndpointRequest, count = 3) => decideEndpoint("core-1", wish, masters.slice(0, count));

    it("is the virtual one, with a port beside the API server's and a router id of the cluster's own", () => {
        const endpoint = decide({ vip: { address: "10.0.0.100" } });
        assert.equal(endpoint.host, "10.0.0.100");
        assert.equal(endpoint.port, 16443);
        assert.equal(endpoint.vip?.virtualRouterId, virtualRouterId("core-1", { address: "10.0.0.100" }));
        assert.equal(endpoint.hostsEntry, undefined);
    });

    it("is somebody else's load balancer where there is one", () => {
        assert.deepEqual(decide({ external: { host: "api.site" } }), { host: "api.site", port: 6443 });
    });

    it("of a single master is a name, so that the cluster can grow later", () => {
        const endpoint = decide({}, 1);
        assert.equal(endpoint.host, endpoint.hostsEntry?.name);
        assert.equal(endpoint.hostsEntry?.address, masters[0].address);
    });

    it("must be said for several masters, once, and not on the API server's own port", () => {
        const wrong: EndpointRequest[] = [
            {},
            { vip: { address: "10.0.0.100" }, external: { host: "x" } },
            { vip: { address: "10.0.0.100", port: 6443 } },
        ];
        for (const wish of wrong) {
            assert.throws(
                () => decide(wish),
                (error: NfvError) => error.code === "INVALID_INPUT",
            );
        }
    });
});

describe("virtual router id", () => {
    it("is between 1 and 255, always the same for a cluster, and mostly another for another", () => {
        fc.assert(
            fc.property(fc.string(), fc.ipV4(), (id, address) => {
                const number = virtualRouterId(id, { address });
                assert.ok(Number.isInteger(number) && number >= 1 && number <= 255);
                assert.equal(virtualRouterId(id, { address }), number);
            }),
        );
        const seen = new Set(
            Array.from({ length: 200 }, (_, i) => virtualRouterId(`cluster-${i}`, { address: "10.0.0.100" })),
        );
        assert.ok(seen.size > 100, `${seen.size} different ones of 200`);
    });

    it("is the one that is given, and does not hang on an address that is not known yet", () => {
        assert.equal(virtualRouterId("core-1", { address: "10.0.0.100", virtualRouterId: 7 }), 7);
        const unknown = Symbol("an output");
        assert.equal(virtualRouterId("core-1", { address: unknown }), virtualRouterId("core-1", {}));
        assert.notEqual(virtualRouterId("core-1", { address: "10.0.0.100" }), virtualRouterId("core-1", {}));
    });
});

describe("HAProxy's configuration", () => {
    const config = haproxyConfig(vipEndpoint, [...masters].reverse());

    it("has every master once, by name, and does not hang on their order", () => {
        const servers = [...config.matchAll(/^ {4}server (\S+) (\S+)$/gm)].map(
            ([, name, address]) => `${name} ${address}`,
        );
        assert.deepEqual(
            servers,
            masters.map(({ name, address }) => `${name} ${address}:6443`),
        );
        assert.equal(config, haproxyConfig(vipEndpoint, masters));
    });

    it("asks the API servers over TLS whether they are ready", () => {
        assert.match(config, /http-check send meth GET uri \/readyz/);
        assert.match(config, /default-server check check-ssl /);
    });

    it("is quick with a machine that is gone, and patient with an API server under load", () => {
        assert.match(config, /^ {4}timeout connect 1s$/m);
        assert.match(config, /^ {4}timeout check 3s$/m);
        assert.match(config, / fall 3 .*on-marked-down shutdown-sessions$/m);
    });

    it("listens on the network for the API only", () => {
        const binds = [...config.matchAll(/^ {4}bind (\S+)$/gm)].map(([, bind]) => bind);
        assert.deepEqual(binds, ["*:16443", `127.0.0.1:${alivePort(vipEndpoint)}`]);
        assert.match(config, /stats socket \/run\/\S+ mode 600/);
        assert.doesNotMatch(config, /stats (enable|uri)/);
    });
});

describe("keepalived's configuration", () => {
    const config = keepalivedConfig(hostSpec());

    it("speaks with the other masters only, by unicast", () => {
        assert.match(
            config,
            /unicast_src_ip 10\.0\.0\.11\n {4}unicast_peer \{\n {8}10\.0\.0\.12\n {8}10\.0\.0\.13\n {4}\}/,
        );
    });

    it("hears only the other masters", () => assert.match(config, /^ {4}check_unicast_src$/m));

    it("has each setting on a line of its own, as keepalived ignores the rest of a line", () => {
        for (const line of config.split("\n")) {
            assert.ok(line.trim().split(/\s+/).length <= 3, line);
        }
    });

    it("moves the address quickly, back to nobody, and only where HAProxy answers", () => {
        for (const setting of [
            "vrrp_version 3",
            "advert_int 0.2",
            "nopreempt",
            "enable_script_security",
            "state BACKUP",
        ]) {
            assert.ok(config.includes(`${setting}\n`), setting);
        }
        assert.match(config, /track_script \{\n {8}haproxy\n/);
        assert.match(config, /virtual_router_id 77\n {4}priority 101\n/);
    });

    it("of an only master has no peers", () => {
        assert.doesNotMatch(keepalivedConfig(hostSpec({ masters: masters.slice(0, 1) })), /unicast/);
    });
});

describe("rules that keep pods from taking the virtual address", () => {
    const accepts = (rules: string) => [...rules.matchAll(/^ {8}(i.* )?accept$/gm)].map(([line]) => line.trim());
    const drops = (rules: string) => [...rules.matchAll(/^ {8}(.*) counter drop$/gm)].map(([, rule]) => rule);
    const single = masters.slice(0, 1);

    it("let a master hear the others, from the wire and not forwarded", () => {
        assert.deepEqual(accepts(vrrpGuard(hostSpec())), [
            'iifname "@INTERFACE@" ip saddr { 10.0.0.12, 10.0.0.13 } ip daddr 10.0.0.11 ip ttl 255 accept',
            "ip saddr 10.0.0.11 ip daddr { 10.0.0.12, 10.0.0.13 } accept",
        ]);
    });

    it("let no advert for the masters or the address pass a worker", () => {
        const rules = vrrpGuard(hostSpec({ role: "worker", address: "10.0.0.21" }));
        assert.deepEqual(accepts(rules), []);
        const guarded = "ip daddr { 10.0.0.100, 10.0.0.11, 10.0.0.12, 10.0.0.13 }";
        assert.deepEqual(drops(rules), [guarded, guarded]);
    });

    it("leave VRRP with another router id alone", () => {
        const [first, second] = vrrpGuard(hostSpec()).split("policy accept;\n")[1]!.split("\n");
        assert.deepEqual([first!.trim(), second!.trim()], ["meta l4proto != 112 accept", "@th,8,8 != 77 accept"]);
    });

    it("keep multicast from an only master, which listens to it, and let it speak", () => {
        const rules = vrrpGuard(hostSpec({ masters: single }));
        assert.match(rules, /prerouting[^}]*ip daddr \{ [^}]*224\.0\.0\.18/);
        assert.match(rules, /output[^}]*\n {8}accept\n/);
        assert.doesNotMatch(vrrpGuard(hostSpec({ role: "worker", address: "10.0.0.21", masters: single })), /224/);
    });

    it("are of the family of each address", () => {
        const six = [1, 2].map(i => ({ name: `m${i}`, address: `fd00::${i}` }));
        const endpoint = { ...vipEndpoint, host: "fd00::9", vip: { ...vipEndpoint.vip!, address: "fd00::9" } };
        const rules = vrrpGuard(hostSpec({ masters: six, address: "fd00::1", endpoint }));
        assert.match(rules, /ip6 saddr \{ fd00::2 \} ip6 daddr fd00::1 ip6 hoplimit 255 accept/);
        assert.doesNotMatch(rules, /\bip (saddr|daddr|ttl)/);
    });
});
