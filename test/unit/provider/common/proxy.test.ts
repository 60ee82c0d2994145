import assert from "node:assert/strict";
import { createServer as createPlainServer, type Server } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { proxyFor } from "../../../../provider/common/proxy";
import { createAuthority } from "../../../../provider/identity/certificates";
import { Registry } from "../../../../provider/images/registry";
import { Http } from "../../../../provider/openstack/http";
import { verifiedConnection } from "../../../../provider/receiver/verified-connection";
import { send } from "../../../../provider/vim/client";
import { fetchText } from "../../../../tools/http";
import { HttpProxy } from "../../../support/http-proxy";
import { serverCertificate } from "../../../support/server-certificate";

describe("which proxy a request takes", () => {
    const of = (url: string, noProxy = "", more = {}) =>
        proxyFor(url, { HTTPS_PROXY: "http://p.corp:3128", HTTP_PROXY: "p.corp:8080", NO_PROXY: noProxy, ...more })?.url
            .host;

    it("is that of its scheme, in both spellings, with and without a scheme of its own", () => {
        assert.equal(of("https://cloud.corp:5000/v3"), "p.corp:3128");
        assert.equal(of("http://cloud.corp/"), "p.corp:8080");
        assert.equal(proxyFor("https://cloud.corp", { https_proxy: "http://q:1" })?.url.host, "q:1");
        assert.equal(proxyFor("https://cloud.corp", {}), undefined);
        assert.equal(proxyFor("https://cloud.corp", { HTTP_PROXY: "http://q:1" }), undefined);
    });

    it("is none for this machine itself", () => {
        for (const host of ["localhost", "127.0.0.1", "127.9.9.9", "[::1]"])
            assert.equal(of(`https://${host}:6443/`), undefined);
    });

    const excepted: [noProxy: string, url: string, isDirect: boolean][] = [
        ["*", "https://cloud.corp/", true],
        ["corp", "https://cloud.corp/", true],
        [".corp", "https://cloud.corp/", true],
        ["*.corp", "https://cloud.corp/", true],
        ["cloud.corp", "https://cloud.corp/", true],
        ["Cloud.Corp", "https://cloud.corp/", true],
        ["loud.corp", "https://cloud.corp/", false],
        [".cloud.corp", "https://cloud.corp/", false],
        ["cloud.corp:5000", "https://cloud.corp:5000/", true],
        ["cloud.corp:5000", "https://cloud.corp/", false],
        ["cloud.corp:443", "https://cloud.corp/", true],
        ["10.0.0.5", "https://10.0.0.5:6443/", true],
        ["10.0.0.5", "https://10.0.0.50:6443/", false],
        ["10.0.0.0/8", "https://10.200.3.4:6443/", true],
        ["10.0.0.0/8", "https://11.0.0.1/", false],
        ["10.1.2.3/16", "https://10.1.200.1/", true],
        ["fd00::/8", "https://[fd00::5]:6443/", true],
        ["fd00::5", "https://[fd00::5]:6443/", true],
        ["10.0.0.0/8", "https://cloud.corp/", false],
        ["a.test, b.test\tcloud.corp", "https://cloud.corp/", true],
    ];
    for (const [noProxy, url, isDirect] of excepted) {
        it(`${isDirect ? "is none" : "is used"} for ${url} with NO_PROXY ${noProxy}`, () =>
            assert.equal(of(url, noProxy), isDirect ? undefined : "p.corp:3128"));
    }

    it("is refused by the variable's name, and without its login, if it is no HTTP proxy", () => {
        for (const text of ["socks5://u:secret@p:1080", "http://"])
            assert.throws(
                () => of("https://cloud.corp", "", { HTTPS_PROXY: text }),
                /^Error: HTTPS_PROXY names no HTTP proxy/,
            );
    });
});

describe("requests where only a proxy leads out", () => {
    // Nothing goes to this address but by the proxy, behind which it is this machine.
    const outside = "203.0.113.10";
    const variables = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"];
    const former = Object.fromEntries(Object.entries(process.env).filter(([name]) => variables.includes(name)));
    let ca: string;
    let servers: Server[];
    let proxy: HttpProxy;
    let behind = 0;

    before(async () => {
        const authority = await createAuthority("outside", 1);
        const { certificate: cert, key } = await serverCertificate(authority, outside);
        ca = authority.certificate;
        const answer = (_: unknown, response: any) => response.setHeader("docker-x", "1").end('{"a":1}');
        servers = [createServer({ cert, key }, answer), createPlainServer(answer)];
        for (const server of servers) await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
    });
    after(() => {
        for (const server of servers) server.closeAllConnections();
        for (const server of servers) server.close();
    });
    beforeEach(async () => {
        behind = (servers[0]!.address() as AddressInfo).port;
        proxy = await HttpProxy.start(() => behind);
        const url = new URL(proxy.url);
        Object.assign(url, { username: "me", password: "pass%20word" });
        process.env["HTTPS_PROXY"] = url.href;
        process.env["HTTP_PROXY"] = proxy.url;
        process.env["NO_PROXY"] = "10.0.0.0/8";
    });
    afterEach(async () => {
        for (const name of variables) delete process.env[name];
        Object.assign(process.env, former);
        await proxy.stop();
    });
    const patience = { attempts: 1, timeoutSeconds: 5 };

    const requests: Record<string, () => Promise<unknown>> = {
        "of the cloud": async () => {
            const http = new Http({ ca }, patience);
            const both = [1, 2].map(() => http.send({ method: "GET", url: `https://${outside}:5000/v3` }));
            assert.deepEqual(
                (await Promise.all(both)).map(({ text }) => text),
                ['{"a":1}', '{"a":1}'],
            );
            http.close();
        },
        "of a Kubernetes API": async () =>
            assert.equal((await send({ url: `https://${outside}:6443/version`, ca })).status, 200),
        "of a registry": () => new Registry({ address: outside, ca }).pushBlob("a", "sha256:1", 0, () => assert.fail()),
        "of a receiver": async () =>
            (await verifiedConnection(new URL(`https://${outside}/`), ca, AbortSignal.timeout(5000))).destroy(),
    };
    for (const [what, ask] of Object.entries(requests)) {
        it(`${what} go through it, with its login`, async () => {
            await ask();
            assert.match(proxy.asked.join(), new RegExp(`^CONNECT ${outside}:\\d+`));
            assert.equal(proxy.logins[0], `Basic ${Buffer.from("me:pass word").toString("base64")}`);
        });

        it(`${what} name it in their error, and not its login`, async () => {
            proxy.status = 407;
            const error = await ask().then(
                () => assert.fail("it should have failed"),
                each => each as Error,
            );
            assert.match(
                error.message,
                /the proxy 127\.0\.0\.1:\d+ \(HTTPS_PROXY\) answers 407 to a connection to 203/,
            );
            assert.doesNotMatch(error.message, /pass/);
        });
    }

    it("of a cloud without TLS go through it as a whole", async () => {
        behind = (servers[1]!.address() as AddressInfo).port;
        const http = new Http({}, patience);
        assert.equal(
            (await http.send({ method: "POST", url: `http://${outside}:5000/v3?a=b`, body: {} })).text,
            '{"a":1}',
        );
        assert.deepEqual(proxy.asked, [`POST http://${outside}:5000/v3?a=b`]);
        http.close();
    });

    it("verify the certificate of the server behind it", async () => {
        const other = await createAuthority("other", 1);
        await assert.rejects(send({ url: `https://${outside}:6443/`, ca: other.certificate }), {
            code: "API_UNREACHABLE",
            message: /certificate/,
        });
    });

    it("of downloads say that they do not use it", async () => {
        process.env["HTTP_PROXY"] = proxy.url;
        await assert.rejects(
            fetchText(new URL("http://nowhere.invalid/x")),
            /asked directly: downloads do not go through the proxy 127/,
        );
    });
});
