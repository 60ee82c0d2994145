import assert from "node:assert/strict";
import type { NfvError } from "../../../../../provider/common/errors";
import type { HookSpec } from "../../../../../provider/operation/hooks/hook-spec";
import { kinds } from "../../../../../provider/operation/hooks/kinds";
import { objectsOf, runManifests } from "../../../../../provider/operation/hooks/manifest-hook";
import { KubeApi } from "../../../../../provider/vim";
import { FakeApi } from "../../vim/fake-api";
import { ownFolder, specOf, toolsIn } from "./fixtures";

const manifest = `apiVersion: v1
kind: Namespace
metadata: { name: shop }
---
# nothing
---
apiVersion: v1
kind: List
items:
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: one, namespace: shop }, data: { a: b } }
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: two } }
`;
const deployment = "{ apiVersion: apps/v1, kind: Deployment, metadata: { name: web, namespace: shop } }";
const places = [
    "/api/v1/namespaces/shop",
    "/api/v1/namespaces/shop/configmaps/one",
    "/api/v1/namespaces/default/configmaps/two",
    "/apis/apps/v1/namespaces/shop/deployments/web",
];

describe("a hook that is manifests", () => {
    const folder = ownFolder();
    let api: FakeApi;
    beforeEach(async () => {
        api = await FakeApi.start();
        folder.put({ "a.yaml": manifest, "b.yaml": deployment });
    });
    afterEach(() => api.stop());

    const hookOf = (change: Partial<HookSpec> = {}) =>
        specOf({ kind: "manifests", files: ["a.yaml", "b.yaml"], ...change });
    const toolsFor = (signal = new AbortController().signal) =>
        toolsIn(folder.path, {
            signal,
            api: new KubeApi({ endpoint: api.endpoint, caCertificate: api.ca }, { bearerToken: "admin-token" }),
        });
    const changesOf = (method: string) => api.seen.filter(each => each.method === method).map(({ path }) => path);

    it("has the objects of its files in their order, those of lists, too, but no empty documents", () => {
        assert.deepEqual(
            objectsOf(hookOf(), folder.path).map(({ kind, metadata }) => `${kind} ${metadata.name}`),
            ["Namespace shop", "ConfigMap one", "ConfigMap two", "Deployment web"],
        );
    });

    it("applies them in their order, and says which", async () => {
        const tools = toolsFor();
        assert.deepEqual(await runManifests(hookOf(), tools), {});
        assert.deepEqual(changesOf("PATCH"), places);
        assert.deepEqual((api.objects.get(places[1]!) as { data: object }).data, { a: "b" });
        assert.deepEqual(tools.reported, [
            ...["apply Namespace shop", "apply ConfigMap one", "apply ConfigMap two", "apply Deployment web"],
        ]);
        await runManifests(hookOf(), tools);
    });

    it("ends when it is told to, also while it waits for a kind: a retry must not run beside it", async () => {
        const stop = new AbortController();
        folder.put({ "a.yaml": "{ apiVersion: nowhere.example.org/v1, kind: Thing, metadata: { name: a } }" });
        const began = Date.now();
        setTimeout(() => stop.abort(new Error("too late")), 300);
        await assert.rejects(runManifests(hookOf({ files: ["a.yaml"] }), toolsFor(stop.signal)), /too late/);
        assert.ok(Date.now() - began < 7000);
    });

    it("deletes them in the reverse order, also those that are gone or of kinds that the cluster lacks", async () => {
        const tools = toolsFor();
        await runManifests(hookOf(), tools);
        api.objects.delete(places[1]!);
        folder.put({ "c.yaml": "{ apiVersion: none.example/v1, kind: None, metadata: { name: none } }" });
        await runManifests(hookOf({ action: "delete", files: ["a.yaml", "b.yaml", "c.yaml"] }), tools);
        assert.deepEqual(changesOf("DELETE"), [...places].reverse());
        assert.deepEqual([...api.objects.keys()], []);
        assert.equal(tools.reported.at(-1), "delete Namespace shop");
    });

    it("waits while the API is not ready", async () => {
        api.notYet = 2;
        await runManifests(hookOf({ files: ["b.yaml"] }), toolsFor());
        assert.deepEqual(changesOf("PATCH"), places.slice(-1));
    });

    it("waits until a kind is served whose definition it has just applied", async () => {
        const asked: string[] = [];
        const resources = [{ name: "shops", kind: "Shop", namespaced: false, verbs: [] }];
        const later = {
            get: async () => (asked.push("get") < 3 ? undefined : { resources }),
            apply: async (path: string) => asked.push(path),
        } as never;
        folder.put({ "shop.yaml": "{ apiVersion: shop.example/v1, kind: Shop, metadata: { name: one } }" });
        await runManifests(hookOf({ files: ["shop.yaml"] }), toolsIn(folder.path, { api: later }));
        assert.deepEqual(asked, ["get", "get", "get", "/apis/shop.example/v1/shops/one"]);
    });

    it("ends between two objects when it is told to", async () => {
        const stop = new AbortController();
        const tools = toolsFor(stop.signal);
        tools.report = text => text.includes("ConfigMap one") && stop.abort(new Error("stopped"));
        await assert.rejects(runManifests(hookOf(), tools), /stopped/);
        assert.deepEqual(changesOf("PATCH"), places.slice(0, 2));
    });

    it("fails where there is no cluster", async () => {
        await assert.rejects(runManifests(hookOf(), toolsIn(folder.path)), { code: "HOOK_FAILED" });
    });

    const refused: [title: string, file: string, text: string | undefined, said: RegExp][] = [
        ["a file does not exist", "gone.yaml", undefined, /hook mgmt: gone\.yaml: there is no such file/],
        ["a file is a folder", ".", undefined, /hook mgmt: \.: it is a folder/],
        ["a file is no YAML", "broken.yaml", "a: [", /hook mgmt: broken\.yaml: Flow sequence/],
        [
            "an object has no name",
            "name.yaml",
            "{ apiVersion: v1, kind: ConfigMap, metadata: {} }",
            /no apiVersion, kind or/,
        ],
        ["an object has no kind", "kind.yaml", "{ apiVersion: v1, metadata: { name: a } }", /no apiVersion, kind or/],
        ["a document is no object", "text.yaml", "just text", /no apiVersion, kind or/],
    ];
    for (const [title, file, text, said] of refused)
        it(`is refused at preview if ${title}`, async () => {
            if (text !== undefined) folder.put({ [file]: text });
            await assert.rejects(kinds.manifests.eventsOf(hookOf({ files: [file] }), folder.path), error => {
                assert.equal((error as NfvError).code, "INVALID_INPUT");
                assert.match((error as NfvError).reason, said);
                return true;
            });
        });
});
