import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import type { NfvError } from "../../../../provider/common/errors";
import { ApiRefused, KubeApi, NotYet, settle } from "../../../../provider/vim";
import { NoAnswer } from "../../../../provider/vim/client";
import { FakeApi } from "./fake-api";

describe("what a Kubernetes API says of a request", () => {
    let api: FakeApi;
    beforeEach(async () => {
        api = await FakeApi.start();
    });
    afterEach(() => api.stop());
    const client = (auth = { bearerToken: "admin-token" }) =>
        new KubeApi({ endpoint: api.endpoint, caCertificate: api.ca }, auth);
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
    const path = "/api/v1/namespaces/default/configmaps/a";
    const refusal = async (status: number, message: string) => {
        api.refuses = { path, status, message };
        return client()
            .apply(path, object)
            .then(
                () => assert.fail("it was taken"),
                (error: NfvError) => error,
            );
    };

    it("is asked with strict field validation: what it does not know, it refuses", async () => {
        await client().apply(path, object);
        assert.match(api.seen.at(-1)!.query, /(^|&)fieldValidation=Strict(&|$)/);
    });

    it("has a hint for each kind of refusal: who asks, what the account may do, policies, the object, the moment", async () => {
        const hints: [number, string, RegExp][] = [
            [401, "Unauthorized", /does not accept the token or client certificate/],
            [403, 'configmaps is forbidden: User "u" cannot patch resource "configmaps"', /lacks this right/],
            [403, 'pods "a" is forbidden: exceeded quota: q', /policy of the cluster/],
            [403, 'admission webhook "x" denied the request: no', /policy of the cluster/],
            [400, "strict decoding error: unknown field", /object itself is wrong/],
            [422, "spec.replicas: Invalid value: -1", /object itself is wrong/],
            [
                500,
                "failed to create typed patch object: .spec.a: field not declared in schema",
                /object itself is wrong/,
            ],
            [404, 'namespaces "a" not found', /does not exist/],
            [409, "the object has been modified", /at the same time/],
        ];
        for (const [status, message, hint] of hints) {
            const error = await refusal(status, message);
            assert.ok(error instanceof ApiRefused, `${status} is not tried again`);
            assert.match(error.reason, new RegExp(`${status} `));
            assert.match(error.hint, hint, `${status} ${message}`);
        }
    });

    it("is tried again where the server is not well", async () => {
        for (const status of [429, 500, 503]) assert.ok((await refusal(status, "not now")) instanceof NotYet);
    });

    it("is missing for a reason that is named with the address, each with its own hint", async () => {
        const free = createServer().listen(0, "127.0.0.1");
        await new Promise(resolve => free.once("listening", resolve));
        const { port } = free.address() as AddressInfo;
        await new Promise(resolve => free.close(resolve));
        const rows: [string, RegExp, RegExp][] = [
            [`https://127.0.0.1:${port}`, /connection refused/, /Nothing listens/],
            [`https://localhost:${port}`, /connection refused/, /Nothing listens/],
            ["https://no-such-name.invalid:6443", /name no-such-name.invalid is not known/, /resolver/],
            [api.endpoint, /certificate is not signed/, /Check caCertificate/],
        ];
        for (const [endpoint, reason, hint] of rows) {
            const error: NfvError = await new KubeApi({ endpoint }, { bearerToken: "t" }).get("/version").then(
                () => assert.fail("it answered"),
                failure => failure,
            );
            assert.equal(error.code, "API_UNREACHABLE");
            assert.ok(error.reason.startsWith(`${endpoint}: `), error.reason);
            assert.match(error.reason, reason);
            assert.match(error.hint, hint);
        }
    });

    it("is waited for as long as it is no answer, or longer where the server says that it is not well yet", async () => {
        const took = async (error: Error) => {
            const began = Date.now();
            await assert.rejects(settle(1.5, () => Promise.reject(error), 0.3));
            return (Date.now() - began) / 1000;
        };
        const said = { code: "API_UNREACHABLE", cause: "c" } as const;
        assert.ok((await took(new NoAnswer(said))) < 0.6);
        assert.ok((await took(new NotYet(said))) > 0.6);
    });
});
