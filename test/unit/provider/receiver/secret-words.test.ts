import assert from "node:assert/strict";
import { mentions, secretWords } from "../../../../provider/receiver/secret-words";

describe("the secrets of what is sent", () => {
    it("are the texts under keys that name a secret, at any depth", () => {
        const kubeconfig = {
            clusters: [{ cluster: { server: "https://a", "certificate-authority-data": "public" } }],
            users: [{ user: { token: "t1", "client-key-data": "k1", "client-certificate-data": "public" } }],
        };
        const accessInfo = {
            bearer_token: "t2",
            client_cert: "public",
            auth: { password: { value: "p1" } },
            user: "u",
        };
        assert.deepEqual(secretWords([kubeconfig, { accessInfo }, undefined]), ["t1", "k1", "t2", "p1"]);
    });

    for (const [title, text, expected] of [
        ["whole", "x 0123456789abcdefghij y", true],
        ["its begin, cut off", "token=0123456789ab", true],
        ["its end", "…89abcdefghij", true],
        ["a few characters of it", "0123456789a", false],
        ["nothing of it", "the cluster is not known", false],
    ] as const)
        it(`${expected ? "are recognized" : "do not hide a text"}: ${title}`, () =>
            assert.equal(mentions(text, ["0123456789abcdefghij"]), expected));

    it("that are short are recognized as a whole", () => {
        assert.equal(mentions("pw: s3cret", ["s3cret"]), true);
        assert.equal(mentions("pw: s3cre", ["s3cret"]), false);
    });
});
