import assert from "node:assert/strict";
import { bytesOf, ownResources, sizesFrom } from "../../../bench/preview/state";
import { clusterArguments } from "../../../bench/simulation/simulated-cluster";
import { reveal } from "../../../bench/stored-cluster";
import { validate } from "../../../components/validation/validate";
import { FakeApi, newKeyPair } from "../../../testing";

describe("the pure parts of the benches on simulated machines", () => {
    it("describes a cluster that the package accepts", () => {
        const { private: privateKey, public: hostKey } = newKeyPair();
        const args = clusterArguments(3, 50, 20_000, () => ({ port: 22, privateKey, hostKey }));
        assert.equal(Object.keys(args.infrastructure.hosts.pools.workers).length, 50);
        validate("KubernetesCluster", "core", args as never);
    });

    it("gives every machine an address of its own, also where there are many", () => {
        const { hosts } = clusterArguments(3, 197, 20_000, () => ({})).infrastructure;
        const all = [...Object.values(hosts.controlPlane), ...Object.values(hosts.pools.workers)];
        assert.equal(new Set(all.map(each => (each as { address: string }).address)).size, 200);
    });

    it("counts the state of one machine, not of those whose name only ends alike", () => {
        const type = "pulumi-nodejs:dynamic/nfv:Host";
        const one = { urn: "urn:x::core-w1", type };
        const resources = [one, { urn: "urn:x::core-w11", type }, { urn: "urn:x::core-w1", type: "other" }];
        assert.equal(ownResources(resources).length, 2);
        assert.equal(bytesOf(resources, "w1"), JSON.stringify(one).length);
    });

    it("takes numbers of nodes that leave room for a worker", () => {
        assert.deepEqual(sizesFrom("5,50", 3), [5, 50]);
        assert.throws(() => sizesFrom("5,3", 3), /above 3/);
        assert.throws(() => sizesFrom("many", 3), /whole numbers/);
    });

    it("reveals secrets wherever they stand, also one in another", () => {
        const secret = (value: unknown) => ({
            "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
            plaintext: JSON.stringify(value),
        });
        assert.deepEqual(reveal({ a: [secret({ b: secret("c") })], d: 1 }), { a: [{ b: "c" }], d: 1 });
    });

    it("makes what is not there once, hands out tokens, and forgets what was deleted", () => {
        const api = Reflect.construct(FakeApi, []) as FakeApi;
        const body = JSON.stringify({ kind: "Namespace", metadata: { name: "nfv" } });
        const ask = (method: string, path: string) => api.answer(method, path, body).status;
        assert.equal(ask("POST", "/api/v1/namespaces"), 201);
        assert.equal(ask("POST", "/api/v1/namespaces"), 409);
        assert.equal(ask("GET", "/api/v1/namespaces/nfv"), 200);
        assert.equal(ask("POST", "/api/v1/namespaces/kube-system/serviceaccounts/nfv-vim/token"), 201);
        assert.equal(ask("DELETE", "/api/v1/namespaces/nfv"), 200);
        assert.equal(ask("GET", "/api/v1/namespaces/nfv"), 404);
    });

    it("reads back what was applied, a token in its secret", () => {
        const api = Reflect.construct(FakeApi, []) as FakeApi;
        assert.equal(api.answer("GET", "/api/v1/x", "").status, 404);
        api.answer("PATCH", "/api/v1/x", JSON.stringify({ kind: "Secret", metadata: { name: "x" } }));
        const { status, body } = api.answer("GET", "/api/v1/x", "");
        assert.equal(status, 200);
        assert.equal(typeof (body as { data: { token: string } }).data.token, "string");
    });
});
