import assert from "node:assert/strict";
import fc from "fast-check";
import { decideEndpoint, type EndpointWish } from "../../../../provider/endpoint/decide-endpoint";
import { alivePort, haproxyConfig } from "../../../../provider/endpoint/haproxy-config";
import { keepalivedConfig } from "../../../../provider/endpoint/keepalived-config";
import { virtualRouterId } from "../../../../provider/endpoint/virtual-router-id";
import type { NfvError } from "../../../../provider/errors";
import { hostSpec, masters, vipEndpoint } from "../sample-specs";

describe("the API's address", () => {
    const decide = (wish: EndpointWish, count = 3) => decideEndpoint("core-1", wish, masters.slice(0, count));

    it("is the virtual one, with a port beside the API server's and a router id of the cluster's own", () => {
        const endpoint = decide({ vip: { address: "10.0.0.100" } });
        assert.equal(endpoint.host, "10.0.0.100");
        assert.equal(endpoint.port, 16443);
        assert.equal(endpoint.vip?.virtualRouterId, virtualRouterId("core-1", "10.0.0.100"));
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
        const wrong: EndpointWish[] = [
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
                const number = virtualRouterId(id, address);
                assert.ok(Number.isInteger(number) && number >= 1 && number <= 255);
                assert.equal(virtualRouterId(id, address), number);
            }),
        );
        const seen = new Set(Array.from({ length: 200 }, (_, i) => virtualRouterId(`cluster-${i}`, "10.0.0.100")));
        assert.ok(seen.size > 100, `${seen.size} different ones of 200`);
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
