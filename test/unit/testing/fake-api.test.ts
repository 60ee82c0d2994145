import assert from "node:assert/strict";
import { connect } from "node:tls";
import { newKeySet } from "../../../provider/identity";
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
});
