import assert from "node:assert/strict";
import { unknownValue } from "../../../../provider/contract/values";
import { vim } from "../../../../provider/vim/vim";
import type { VimInputs } from "../../../../provider/vim/vim-inputs";
import { runClockFast } from "../../../support/fast-clock";
import { listener } from "../support/cluster";
import { FakeApi } from "./fake-api";
import { vimInputs } from "./sample-inputs";

describe("a VIM whose endpoint changes", () => {
    runClockFast();
    let api: FakeApi;
    const inputs = (changes: Partial<VimInputs> = {}) => vimInputs(api, changes);

    let resourceUrn: string;
    let times = 0;

    beforeEach(async () => {
        api = await FakeApi.start();
        resourceUrn = `urn:vim-${++times}`;
    });
    afterEach(() => api.stop());

    const asked = (endpoint: string, changes: Partial<VimInputs> = {}) =>
        inputs({
            ...{ endpoint, caCertificate: undefined, sslCaCert: "none", resourceUrn },
            clusterId: changes.clusterIdentifier ?? endpoint,
            ...changes,
        });
    const otherName = () => api.endpoint.replace("127.0.0.1", "localhost");
    /** As provider/adapters/serve.ts does it: the result of check, then that of the cluster. */
    const checked = async (olds: Partial<VimInputs>, news: VimInputs, context = listener()) => {
        const { inputs: said } = vim.check(olds, news);
        const live = await vim.checkInCloud!(olds, news, context);
        const problems = live.failures.map(({ reason }) => reason).join();
        return { news: { ...said, ...live.inputs }, problems };
    };
    const made = async (changes: Partial<VimInputs> = {}) => {
        const first = (await checked({}, asked(api.endpoint, changes))).news;
        return { first, ...(await vim.create(first, listener())) };
    };

    it("is the same Vim: it keeps the cluster's first name, and its access is proven again", async () => {
        const { id, first, outs } = await made();
        const { news, problems } = await checked(first, asked(otherName()));
        assert.equal(problems, "");
        assert.equal(news.clusterId, api.endpoint);
        assert.deepEqual(vim.diff(id, outs, news), { changes: true, replaces: [] });
        const updated = (await vim.update(id, outs, news, listener())).outs;
        assert.equal(updated.vimConnectionInfo.interfaceInfo.endpoint, otherName());
        const again = await checked(news, asked(otherName()));
        assert.deepEqual(vim.diff(id, updated, again.news), { changes: false, replaces: [] });
    });

    it("is refused where another cluster is at the new one: at preview, and at the act where it was silent until then", async () => {
        const { id, first, outs } = await made();
        api.clusterUid = "cluster-2";
        const { news, problems } = await checked(first, asked(otherName()));
        const said =
            /INVALID_INPUT[\s\S]*localhost:\d+ is another cluster than https:\/\/127.* uid cluster-2, it had cluster-1[\s\S]*another name, or another clusterIdentifier/;
        assert.match(problems, said);
        const before = structuredClone([...api.objects]);
        await assert.rejects(vim.update(id, outs, news, listener()), said);
        assert.deepEqual([...api.objects], before);
        api.clusterUid = undefined;
        assert.match((await checked(first, asked(otherName()))).problems, /cannot be told/);
    });

    it("warns at preview where the new one is silent, and the Vim depends on what may make it answer", async () => {
        const { first } = await made();
        const moved = asked(otherName(), { dependent: true });
        await api.stop();
        const context = listener();
        assert.equal((await checked(first, moved, context)).problems, "");
        assert.match(context.warned.join(), /which cluster it is cannot be asked now/);
        api = await FakeApi.start();
    });

    it("is replaced only by a clusterIdentifier of another cluster", async () => {
        const { id, first, outs } = await made();
        const named = asked(otherName(), { clusterIdentifier: "site" });
        const same = (await checked(first, named)).news;
        assert.deepEqual(vim.diff(id, outs, same), { changes: true, replaces: [] });
        const { outs: updated } = await vim.update(id, outs, same, listener());
        const later = (await checked(same, named)).news;
        assert.deepEqual([later.clusterId, vim.diff(id, updated, later).changes], [api.endpoint, false]);
        assert.deepEqual(vim.diff(id, updated, (await checked(same, asked(otherName()))).news).replaces, []);
        api.clusterUid = "cluster-2";
        const other = await checked(first, named);
        assert.deepEqual([other.problems, vim.diff(id, outs, other.news).replaces], ["", ["clusterId"]]);
    });

    it("asks nothing where the program names the cluster: ours has its new endpoint only when the run has made it", async () => {
        const { id, first, outs } = await made({ clusterIdentifier: "core-1" });
        const asks = api.seen.length;
        const { news } = await checked(first, asked(api.endpoint, { clusterIdentifier: "core-1" }));
        assert.equal(api.seen.length, asks);
        assert.equal(vim.diff(id, outs, news).changes, false);
        const elsewhere = asked("https://127.0.0.1:1", { clusterIdentifier: "core-1", dependent: true });
        const context = listener();
        await api.stop();
        const moved = await checked(news, elsewhere, context);
        assert.deepEqual([moved.problems, moved.news.clusterId, context.warned], ["", "core-1", []]);
        assert.deepEqual(vim.diff(id, outs, moved.news).replaces, []);
        api = await FakeApi.start();
    });

    it("is refused where another cluster is there, also where the program says that it is the same", async () => {
        const { id, first, outs } = await made({ clusterIdentifier: "core-1" });
        const moved = asked(otherName(), { clusterIdentifier: "core-1" });
        assert.equal((await checked(first, moved)).problems, "");
        const { news } = await checked(first, moved);
        api.clusterUid = "cluster-2";
        const said = /is the cluster "core-1" still, but kube-system has the uid cluster-2 there, and had cluster-1/;
        assert.match((await checked(first, moved)).problems, said);
        await assert.rejects(vim.update(id, outs, news, listener()), said);
        api.clusterUid = undefined;
        assert.equal((await checked(first, moved)).problems, "");
    });

    it("or whose clusterIdentifier does, is refused where the cluster's uid cannot be read, with what to do", async () => {
        api.clusterUid = undefined;
        const { first } = await made();
        const moved = (await checked(first, asked(otherName()))).problems;
        assert.match(moved, /INVALID_INPUT[\s\S]*cannot be told/);
        assert.ok(moved.includes(`clusterIdentifier: "${api.endpoint}"`), moved);
        const named = asked(api.endpoint, { clusterIdentifier: "site" });
        const renamed = (await checked(first, named)).problems;
        assert.match(renamed, /"site" is another cluster than "https:[\s\S]*cannot be told[\s\S]*another name/);
        assert.ok(renamed.includes(`clusterIdentifier: "${api.endpoint}"`), renamed);
        const told = await checked(first, asked(otherName(), { clusterIdentifier: api.endpoint }));
        assert.deepEqual([told.problems, told.news.clusterId], ["", api.endpoint]);
    });

    it("asks the former endpoint where the state does not say which cluster it was", async () => {
        const { clusterUid: _, ...first } = (await made()).first;
        const other = await FakeApi.start();
        try {
            other.clusterUid = "cluster-2";
            assert.match((await checked(first, asked(other.endpoint))).problems, /uid cluster-2, it had cluster-1/);
            assert.equal((await checked(first, asked(otherName()))).problems, "");
            const named = (endpoint: string) => checked(first, asked(endpoint, { clusterIdentifier: "site" }));
            assert.deepEqual(
                [(await named(api.endpoint)).problems, (await named(api.endpoint)).news.clusterId],
                ["", api.endpoint],
            );
            assert.deepEqual(
                [(await named(other.endpoint)).problems, (await named(other.endpoint)).news.clusterId],
                ["", "site"],
            );
        } finally {
            await other.stop();
        }
    });

    it("keeps its name where the cluster is silent at the check, and proves at the act that it is the same", async () => {
        const { id, first, outs } = await made();
        const named = asked(api.endpoint, { clusterIdentifier: "site" });
        api.notYet = 1000;
        const { news, problems } = await checked(first, named);
        api.notYet = 0;
        assert.deepEqual([problems, news.clusterId, vim.diff(id, outs, news).replaces], ["", api.endpoint, []]);
        assert.equal((await vim.update(id, outs, news, listener())).outs.clusterId, api.endpoint);
        api.clusterUid = "cluster-2";
        await assert.rejects(vim.update(id, outs, news, listener()), /did not answer[\s\S]*Run pulumi up again/);
        api.clusterUid = undefined;
        await assert.rejects(vim.update(id, outs, news, listener()), /cannot be told/);
    });

    it("that is replaced leaves what the new one has, though only one of them knows the cluster's uid", async () => {
        for (const more of [{}, { clusterId: "else", endpoint: otherName() }]) {
            const { id, first, outs } = await made();
            await vim.create(first, listener());
            const before = [...api.objects.keys()];
            const context = listener();
            await vim.delete(id, { ...outs, ...more, clusterUid: undefined }, context);
            assert.deepEqual([...api.objects.keys()], before);
            assert.equal(/one cluster cannot be told/.test(context.warned.join()), "clusterId" in more);
        }
    });

    it("and one that is replaced on the same cluster leave what the new one has", async () => {
        const { id, first, outs } = await made();
        const replacement = (await vim.create(first, listener())).outs;
        const before = [...api.objects.keys()];
        await vim.delete(id, outs, listener());
        assert.deepEqual([...api.objects.keys()], before);
        assert.ok(api.tokens.has(replacement.bearerToken));
    });

    describe("is asked at preview whether its access works", () => {
        const problems = async (
            { endpoint = api.endpoint, ...changes }: Partial<VimInputs>,
            olds: Partial<VimInputs> = {},
        ) => (await checked(olds, asked(endpoint, changes))).problems;
        const wrong = { auth: { bearerToken: "no-token" } };

        it("and refused with a false token, when it is made and when it is changed", async () => {
            assert.equal(await problems({}), "");
            const { first } = await made();
            const said = /^core: ask the cluster: API_REFUSED\n.*401 Unauthorized\n.*does not accept the token/;
            assert.match(await problems(wrong), said);
            assert.match(await problems(wrong, first), said);
        });

        it("and refused where it cannot be reached, within 15 s, with address and reason", async () => {
            const began = Date.now();
            const said = await problems({ endpoint: "https://127.0.0.1:1" });
            assert.match(said, /API_UNREACHABLE\n {4}https:\/\/127\.0\.0\.1:1: connection refused/);
            assert.ok(Date.now() - began < 15_000);
        });

        it("and only there: what is not known yet, what this run may make, and what did not change, refuses nothing", async () => {
            const endpoint = "https://127.0.0.1:1";
            for (const [changes, olds] of [
                [{ auth: { bearerToken: unknownValue } }, {}],
                [{ dependent: true }, {}],
                // Credentials that may not read the cluster's uid.
                [{}, asked(endpoint)],
            ] as [Partial<VimInputs>, Partial<VimInputs>][]) {
                assert.equal(await problems({ endpoint, ...changes }, olds), "");
            }
        });
    });
});
