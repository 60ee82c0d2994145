import assert from "node:assert/strict";
import { settingOf, withSettings } from "../../../../pipeline/stack/configuration";

const file = `# of the site
encryptionsalt: v1:abc
config:
  aws:token:
    secure: AAAB # keep
  pulumi-nfv:cluster:
    pools:
      workers:
        count: 2 # two
`;
const count = (value: number) => [{ path: ["pools", "workers", "count"], value }];

describe("the configuration of a stack with other values", () => {
    it("keeps comments, secrets and all else", () => {
        assert.equal(withSettings(file, "cluster", count(3)), file.replace("count: 2 # two", "count: 3"));
    });

    it("is made where there is none", () => {
        const text = withSettings("", "core", [...count(3), { path: ["heal"], value: { run: "a", nodes: ["w1"] } }]);
        assert.equal(settingOf(text, "core", ["pools", "workers", "count"]), 3);
        assert.deepEqual(settingOf(text, "core", ["heal"]), { run: "a", nodes: ["w1"] });
        assert.equal(settingOf(text, "other", ["heal"]), undefined);
    });

    it("has words in quotes: Pulumi would read a plain date as a time, and 1_000 as a number", () => {
        for (const word of ["2026-11-27", "1_000", "0b11", "one"]) {
            const text = withSettings("", "cluster", [{ path: ["heal"], value: { run: word, nodes: [word] } }]);
            assert.match(text, new RegExp(`run: "${word}"\n {6}nodes:\n {8}- "${word}"`));
            assert.deepEqual(settingOf(text, "cluster", ["heal"]), { run: word, nodes: [word] });
        }
    });

    it("opens an object that was stored as its text", () => {
        const text = `config:\n  pulumi-nfv:cluster: '{"kubernetes":{"version":"1.34.4"}}'\n`;
        assert.equal(settingOf(text, "cluster", ["kubernetes", "version"]), "1.34.4");
        const changed = withSettings(text, "cluster", count(1));
        assert.equal(settingOf(changed, "cluster", ["kubernetes", "version"]), "1.34.4");
        assert.equal(settingOf(changed, "cluster", ["pools", "workers", "count"]), 1);
    });

    const refused: [string, string, RegExp][] = [
        ["an encrypted value", "config:\n  pulumi-nfv:cluster:\n    secure: AAAB\n", /encrypted/],
        ["a text that is no object", "config:\n  pulumi-nfv:cluster: canary-word\n", /pulumi-nfv:cluster is no object/],
        ["a word above", "config:\n  pulumi-nfv:cluster:\n    pools: canary\n", /cluster\.pools is no object/],
        ["a list", "- a\n", /a mapping is expected/],
        ["a text that is no YAML", "config: [\n", /no YAML/],
    ];
    for (const [what, text, message] of refused) {
        it(`of ${what} is refused, without quoting it`, () => {
            assert.throws(
                () => withSettings(text, "cluster", count(1)),
                (error: Error) => message.test(error.message) && !error.message.includes("canary"),
            );
        });
    }
});
