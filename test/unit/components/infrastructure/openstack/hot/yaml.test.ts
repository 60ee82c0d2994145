import assert from "node:assert/strict";
import fc from "fast-check";
import { parse } from "yaml";
import { readYaml } from "../../../../../../components/infrastructure/openstack/hot/read-yaml";
import { writeYaml } from "../../../../../../components/infrastructure/openstack/hot/write-yaml";
import { saying } from "./samples";

describe("YAML that Heat reads", () => {
    it("means what PyYAML takes it for, and dates stay text", () => {
        const read = readYaml(
            [
                "date: 2013-05-23",
                "on_word: on",
                "octal: 0644",
                "plain_octal: 0o644",
                "time: 22:22",
                "grouped: 1_000",
                "exponent: 1e3",
                "float: 1.0e+3",
                "hex: 0x1F",
                "letter: y",
                'quoted: "on"',
                "nothing:",
                "big: 12345678901234567890",
            ].join("\n"),
            "t.yaml",
        );
        assert.deepEqual(read, {
            date: "2013-05-23",
            on_word: true,
            octal: 420,
            plain_octal: "0o644",
            time: 1342,
            grouped: 1000,
            exponent: "1e3",
            float: 1000,
            hex: 31,
            letter: "y",
            quoted: "on",
            nothing: null,
            big: "12345678901234567890",
        });
    });

    it("resolves anchors and merges maps, own keys first", () => {
        const read = readYaml("base: &b { a: 1, b: 2 }\nuse:\n  <<: *b\n  b: 3\nlist: [*b]\n", "t.yaml");
        assert.deepEqual(read, { base: { a: 1, b: 2 }, use: { a: 1, b: 3 }, list: [{ a: 1, b: 2 }] });
    });

    it("may begin a line within brackets further left than its surroundings, as Python's reader allows", () => {
        const text =
            "a:\n  b: [ x,\ny,\n  z ]\n  c: { d: 1,\n  e: 2 }\nf:\n  - [ { g: 1 },\n# no item\n  { h: 2 } ]\nwrong: !include i\n";
        const known = text.slice(0, text.indexOf("wrong"));
        assert.deepEqual(readYaml(known, "t.yaml"), {
            a: { b: ["x", "y", "z"], c: { d: 1, e: 2 } },
            f: [[{ g: 1 }, { h: 2 }]],
        });
        assert.throws(() => readYaml(text, "t.yaml"), saying(/t\.yaml:11/, /tag !include/));
    });

    for (const [title, text, ...parts] of [
        ["a key that is no text", "outputs:\n  on: 1\n", /t\.yaml:2/, /key on is not text/, /Quote it: "on"/],
        ["a key given twice", "a: 1\na: 2\n", /t\.yaml:2/, /unique/],
        ["broken YAML", "a: [1\nb: 2\nc: 3\n", /t\.yaml:2/],
        ["an unknown tag", "a: !include x\n", /t\.yaml:1/, /tag !include/],
        ["an alias in itself", "a: &x [*x]\n", /t\.yaml:1/, /contains itself/],
    ] as [string, string, ...RegExp[]][]) {
        it(`refuses ${title}, with its line`, () => {
            assert.throws(() => readYaml(text, "t.yaml"), saying(...parts));
        });
    }
});

describe("YAML that we write", () => {
    const nasty = [
        "on",
        "y",
        "No",
        "null",
        "~",
        "",
        "2013-05-23",
        "0644",
        "22:22",
        "1_000",
        "1e3",
        "=",
        "<<",
        "- a",
        "a: b",
    ];
    const more = [
        "#x",
        "a #b",
        " lead",
        "trail ",
        "OS::Nova::Server",
        "%index%",
        "tab\there",
        "a\nb\n",
        "a\n\n",
        "\na",
        "  x\ny",
    ];
    const text = fc.oneof(
        fc.constantFrom(...nasty, ...more),
        fc.string({ unit: "grapheme", maxLength: 12 }),
        fc.string(),
    );
    const scalar = fc.oneof(
        text,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
        fc.boolean(),
        fc.constant(null),
    );
    const key = fc
        .oneof(fc.constantFrom(...nasty, "get_param", "list_join"), fc.string({ maxLength: 8 }))
        .filter(k => k !== "__proto__");
    const { value } = fc.letrec<{ value: any }>(tie => ({
        value: fc.oneof(
            { depthSize: "small", withCrossShrink: true },
            scalar,
            fc.array(tie("value"), { maxLength: 4 }),
            fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
        ),
    }));
    const same = (a: unknown) => JSON.stringify(a, (_, item) => (Object.is(item, -0) ? 0 : item));

    it("says the same to readers of versions 1.1 and 1.2, and to ours", () => {
        fc.assert(
            fc.property(value, tree => {
                const written = writeYaml(tree);
                assert.equal(same(parse(written, { version: "1.2", merge: false, maxAliasCount: 0 })), same(tree));
                assert.equal(same(parse(written, { version: "1.1", merge: false, maxAliasCount: 0 })), same(tree));
                assert.equal(same(readYaml(written, "t.yaml")), same(tree));
            }),
            { numRuns: 1000 },
        );
    });

    it("keeps scripts readable, and functions on one line", () => {
        const written = writeYaml({
            user_data: "#!/bin/sh\necho x\n",
            port: { get_attr: ["p", "fixed_ips", 0] },
            on: "off",
        });
        assert.equal(
            written,
            'user_data: |\n  #!/bin/sh\n  echo x\nport: { get_attr: [p, fixed_ips, 0] }\n"on": "off"\n',
        );
    });
});
