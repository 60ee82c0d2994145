import assert from "node:assert/strict";
import { connect } from "node:tls";
import { newKeySet } from "../../../provider/identity";
import { KubeApi } from "../../../provider/vim";
import { type Authority, FakeApi } from "../../../testing/fake-api";

describe("FakeApi", () => {
    let authority: () => Authority;
    let api: FakeApi;

    before(async () => {
        api = await FakeApi.start(() => authority());
    });
    after(() => api.stop());

    const connects = () =>
        new Promise<boolean>(resolve => {
            const socket = connect({ host: "127.0.0.1", port: api.port, rejectUnauthorized: false }, () => {
                socket.destroy();
                resolve(true);
            });
            socket.on("error", () => resolve(false));
            socket.on("close", () => resolve(false));
        });

    it("ends connections while the cluster has no CA yet, and answers afterwards", async () => {
        authority = () => {
            throw new Error("m1 has no keys of the cluster yet");
        };
        assert.equal(await connects(), false);
        assert.equal(await connects(), false);
        const { certificates, keys } = await newKeySet();
        authority = () => ({ certificate: certificates.caCertificate, key: keys.caKey });
        assert.equal(await connects(), true);
    });

    it("stores nothing of a dry run", async () => {
        const { certificates, keys } = await newKeySet();
        authority = () => ({ certificate: certificates.caCertificate, key: keys.caKey });
        const client = new KubeApi(
            { endpoint: `https://127.0.0.1:${api.port}`, sslCaCert: "none" },
            { bearerToken: "fake" },
        );
        const path = "/api/v1/namespaces/default/configmaps/a";
        const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
        assert.deepEqual(await client.tryApply(path, object), object);
        assert.equal(await client.get(path), undefined);
        await client.apply(path, object);
        assert.deepEqual(await client.get(path), object);
    });
});
