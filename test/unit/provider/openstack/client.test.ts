import assert from "node:assert/strict";
import { NfvError } from "../../../../provider/common/errors";
import { createAuthority } from "../../../../provider/identity/certificates";
import type { ServiceName } from "../../../../provider/openstack/auth";
import { getVolume } from "../../../../provider/openstack/cinder";
import { CloudClient } from "../../../../provider/openstack/client";
import { getServer } from "../../../../provider/openstack/nova";
import { serverCertificate } from "../../../support/server-certificate";
import { type Answer, FakeCloud } from "./fake-cloud";

const unknownPath = { NeutronError: { type: "HTTPNotFound" }, error: { type: "HTTPNotFound", message: "" } };

describe("the client of a cloud", () => {
    let cloud: FakeCloud;
    beforeEach(async () => {
        cloud = await FakeCloud.start();
    });
    afterEach(() => cloud.stop());

    const rejected = async (work: Promise<unknown>): Promise<NfvError> => {
        const error = await work.then(
            () => assert.fail("nothing was thrown"),
            each => each,
        );
        assert.ok(error instanceof NfvError, String(error));
        assert.ok(!error.message.includes("Xy-secret"), "a secret is shown");
        return error;
    };

    it("logs in once, for many requests at the same time", async () => {
        cloud.routes["GET /compute/flavors/detail"] = { flavors: [{ id: "1" }] };
        const client = cloud.client();
        await Promise.all([1, 2, 3].map(() => client.list("compute", "/flavors/detail", "flavors")));
        assert.equal(cloud.count("POST /identity/v3/auth/tokens"), 1);
        assert.equal(cloud.calls.at(-1)!.headers["x-auth-token"], "token-1");
    });

    it("logs in again when its token has ended", async () => {
        cloud.routes["GET /compute/limits"] = call =>
            call.headers["x-auth-token"] === "token-1" ? { status: 401 } : { body: { limits: 1 } };
        assert.deepEqual(await cloud.client().get("compute", "/limits"), { limits: 1 });
        assert.equal(cloud.tokens, 2);
    });

    it("adds the version where the catalogue leaves it out", async () => {
        cloud.routes["GET /network/v2.0/networks"] = { networks: [1] };
        cloud.routes["GET /image/v2/images"] = { images: [2] };
        const client = cloud.client();
        assert.deepEqual(await client.list("network", "/networks", "networks"), [1]);
        assert.deepEqual(await client.list("image", "/images", "images"), [2]);
    });

    it("follows the pages of all services, whatever host their links name", async () => {
        const linked = (key: string) => (call: { query: URLSearchParams }) => ({
            body: call.query.has("marker")
                ? { [key]: [3] }
                : { [key]: [1, 2], [`${key}_links`]: [{ rel: "next", href: `http://internal/x?limit=2&marker=2` }] },
        });
        cloud.routes["GET /compute/servers/detail"] = linked("servers");
        cloud.routes["GET /image/v2/images"] = call => ({
            body: call.query.has("marker") ? { images: [3] } : { images: [1, 2], next: "/v2/images?marker=2" },
        });
        const client = cloud.client();
        assert.deepEqual(await client.list("compute", "/servers/detail", "servers"), [1, 2, 3]);
        assert.deepEqual(await client.list("image", "/images", "images", { name: "x" }), [1, 2, 3]);
    });

    it("repeats reads that fail for a moment, and only so often", async () => {
        cloud.routes["GET /compute/limits"] = (_, times) =>
            times === 1
                ? { status: 502 }
                : times === 2
                  ? undefined
                  : times === 3
                    ? { status: 429 }
                    : { body: { ok: 1 } };
        assert.deepEqual(await cloud.client().get("compute", "/limits"), { ok: 1 });
        assert.equal(cloud.count("GET /compute/limits"), 4);
        cloud.routes["GET /compute/broken"] = () => ({ status: 500, body: { computeFault: { message: "database" } } });
        const error = await rejected(cloud.client().get("compute", "/broken"));
        assert.equal(error.code, "CLOUD_UNREACHABLE");
        assert.match(error.reason, /GET \/broken of compute: 500 database/);
        assert.equal(cloud.count("GET /compute/broken"), 4);
    });

    it("never repeats a change that may have been made", async () => {
        cloud.routes["POST /compute/servers"] = () => ({ status: 500 });
        await rejected(cloud.client().change("compute", "POST", "/servers", { body: {} }));
        assert.equal(cloud.count("POST /compute/servers"), 1);
        cloud.routes["POST /compute/servers"] = () => undefined;
        await rejected(cloud.client().change("compute", "POST", "/servers", { body: {} }));
        assert.equal(cloud.count("POST /compute/servers"), 2);
    });

    describe("takes a 404 for the word that a thing does not exist", () => {
        const pages: [string, Answer][] = [
            [
                "a proxy's page",
                { status: 404, headers: { "content-type": "text/html" }, body: "<html>not here</html>" },
            ],
            ["an answer without a body", { status: 404 }],
            ["an endpoint that leads to another service", { status: 404, body: { message: "x", title: "Not Found" } }],
            ["a path that Neutron or Heat does not know", { status: 404, body: unknownPath }],
        ];
        const things: [ServiceName, string, string][] = [
            ["compute", "/servers/s1", "/compute/servers/s1"],
            ["block-storage", "/volumes/v1", "/block-storage/volumes/v1"],
            ["network", "/ports/p1", "/network/v2.0/ports/p1"],
            ["orchestration", "/stacks/core", "/orchestration/stacks/core"],
            ["load-balancer", "/lbaas/loadbalancers/l1", "/load-balancer/v2/lbaas/loadbalancers/l1"],
        ];
        for (const [service, path, url] of things) {
            it(`only in the words of ${service}, also when it deletes`, async () => {
                cloud.services.push("load-balancer");
                const client = cloud.client();
                assert.equal(await client.get(service, path), undefined);
                await client.change(service, "DELETE", path);
                for (const [what, answer] of pages) {
                    cloud.routes[`GET ${url}`] = cloud.routes[`DELETE ${url}`] = () => answer;
                    const error = await rejected(client.get(service, path));
                    assert.equal(error.code, "CLOUD_UNREACHABLE", what);
                    assert.match(error.reason, /404.*a proxy may have answered/, what);
                    assert.equal((await rejected(client.change(service, "DELETE", path))).code, "CLOUD_UNREACHABLE");
                }
            });
        }

        it("and of a server only if Nova's list does not have it either", async () => {
            cloud.routes["GET /compute/servers"] = { servers: [{ id: "s1" }] };
            const error = await rejected(getServer(cloud.client(), "s1"));
            assert.match(error.reason, /the server s1 does not exist, and lists it/);
            assert.equal(await getServer(cloud.client(), "s2"), undefined);
        });
    });

    it("gives up on a cloud that does not answer, in bounded time", async () => {
        const { config } = cloud.client();
        await cloud.stop();
        const began = Date.now();
        const client = new CloudClient(config, { pauseSeconds: 0.01 });
        const error = await rejected(client.session());
        assert.equal(error.code, "CLOUD_UNREACHABLE");
        assert.match(error.reason, /127\.0\.0\.1:\d+: .*ECONNREFUSED.* \(4 attempts\)/);
        assert.ok(Date.now() - began < 2000);
        cloud = await FakeCloud.start();
    });

    it("says who was refused, and by whom", async () => {
        cloud.routes["POST /identity/v3/auth/tokens"] = () => ({ status: 401 });
        const error = await rejected(cloud.client().session());
        assert.equal(error.code, "CLOUD_AUTH_FAILED");
        assert.match(error.reason, /identity\/v3 \(test\) refuses the user "u" in the project "p"/);
    });

    it("asks for the region where there are several, and names those there are", async () => {
        cloud.regions = ["north", "south"];
        assert.match((await rejected(cloud.client().session())).reason, /several regions .* none: north, south/);
        assert.match(
            (await rejected(cloud.client({ region: "nort" }).session())).reason,
            /no region "nort", only north/,
        );
        await cloud.client({ region: "north" }).session();
    });

    it("says that a service is not there", async () => {
        const error = await rejected(cloud.client().get("load-balancer", "/lbaas/loadbalancers"));
        assert.match(error.reason, /no load-balancer service with a public endpoint/);
        assert.equal(await cloud.client().has("load-balancer"), false);
        assert.equal(await cloud.client({ interface: "internal" }).has("compute"), false);
    });

    it("follows Heat from a stack's name to its id", async () => {
        cloud.routes["GET /orchestration/stacks/core"] = () => ({
            status: 302,
            headers: { location: `${cloud.url}/orchestration/stacks/core/1` },
        });
        cloud.routes["GET /orchestration/stacks/core/1"] = { stack: { id: "1" } };
        assert.deepEqual(await cloud.client().get("orchestration", "/stacks/core"), { stack: { id: "1" } });
    });

    it("takes an answer without what was asked for as no answer: a proxy may have written it", async () => {
        const page = { message: "maintenance" };
        for (const path of ["/compute/servers/s1", "/compute/servers", "/block-storage/volumes/v1"]) {
            cloud.routes[`GET ${path}`] = page;
        }
        const strange = (answer: Promise<unknown>) =>
            assert.rejects(answer, /CLOUD_UNREACHABLE[\s\S]*the answer has no/);
        await strange(getServer(cloud.client(), "s1"));
        await strange(cloud.client().list("compute", "/servers", "servers"));
        await strange(getVolume(cloud.client(), "v1"));
    });

    it("is undefined where there is nothing; deleting that is well", async () => {
        assert.equal(await cloud.client().get("compute", "/servers/none"), undefined);
        await cloud.client().change("compute", "DELETE", "/servers/none");
    });

    describe("over TLS", () => {
        it("trusts the authority given, and no other", async () => {
            const authority = await createAuthority("cloud", 1);
            const { certificate: cert, key } = await serverCertificate(authority);
            const secure = await FakeCloud.start({ cert, key });
            try {
                assert.equal((await secure.client({ ca: authority.certificate }).session()).token, "token-1");
                const other = await createAuthority("other", 1);
                for (const changes of [{ ca: other.certificate }, {}]) {
                    const error = await rejected(secure.client(changes).session());
                    assert.equal(error.code, "CLOUD_UNREACHABLE");
                    assert.match(error.hint, /authority: cacert in clouds.yaml/);
                    assert.doesNotMatch(error.reason, /attempts/);
                }
                assert.equal((await secure.client({ insecure: true }).session()).token, "token-2");
            } finally {
                await secure.stop();
            }
        });
    });
});
