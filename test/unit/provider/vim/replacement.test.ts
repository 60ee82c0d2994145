import assert from "node:assert/strict";
import { KubeApi } from "../../../../provider/vim";
import { refuseReplacement } from "../../../../provider/vim/replacement";
import { FakeApi } from "./fake-api";

const path = "/api/v1/namespaces/demo/persistentvolumeclaims/data";
const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "demo", name: "data" };

describe("an object that Pulumi is to replace", () => {
    let fake: FakeApi;
    let api: KubeApi;
    beforeEach(async () => {
        fake = await FakeApi.start();
        api = new KubeApi({ endpoint: fake.endpoint, caCertificate: fake.ca }, { bearerToken: "admin-token" });
        fake.objects.set(path, { metadata: { name: "data", uid: "uid-7" } });
    });
    afterEach(() => fake.stop());

    it("is refused where it is the very object that would be deleted afterwards, with a way that works", async () => {
        const refused = await refuseReplacement(api, claim, "uid-7");
        assert.match(refused!.message, /both are the same object/);
        assert.match(
            refused!.hint,
            /kubectl --namespace demo delete persistentvolumeclaim data, then pulumi up --refr/,
        );
    });

    it("is made where another one has its name: on the cluster that the network function moves to", async () =>
        assert.equal(await refuseReplacement(api, claim, "uid-of-the-former-cluster"), undefined));

    it("is made where it is gone, or its kind is", async () => {
        fake.objects.clear();
        assert.equal(await refuseReplacement(api, claim, "uid-7"), undefined);
        assert.equal(await refuseReplacement(api, { ...claim, kind: "Unknown" }, "uid-7"), undefined);
        assert.equal(await refuseReplacement(api, { ...claim, apiVersion: "gone/v1" }, "uid-7"), undefined);
    });

    it("is not made on a guess: an API that does not answer is an error", async () => {
        fake.notYet = 1;
        await assert.rejects(refuseReplacement(api, claim, "uid-7"), { code: "API_UNREACHABLE" });
    });
});
