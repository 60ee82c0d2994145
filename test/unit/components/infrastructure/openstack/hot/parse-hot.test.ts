import assert from "node:assert/strict";
import { parseHot } from "../../../../../../components/infrastructure/openstack/hot";
import { saying } from "./samples";

const template = (...lines: string[]) => parseHot(["heat_template_version: 2018-08-31", ...lines].join("\n"), "t.yaml");

describe("a Heat template", () => {
    it("is read with its version by name or date", () => {
        assert.equal(parseHot("heat_template_version: rocky", "t.yaml").version, "2018-08-31");
        assert.equal(template().version, "2018-08-31");
    });

    it("is read with parameters, resources, conditions and outputs", () => {
        const hot = template(
            "parameters: { size: { type: number, default: 3, hidden: true } }",
            "conditions: { big: { equals: [{ get_param: size }, 9] } }",
            "resources:",
            "  a: { type: OS::Heat::None, depends_on: b, condition: big }",
            "  b: { type: OS::Heat::None, deletion_policy: Retain }",
            "outputs: { id: { value: { get_resource: a } } }",
        );
        assert.equal(hot.parameters.size.default, 3);
        assert.equal(hot.parameters.size.hidden, true);
        assert.deepEqual(hot.resources.a.dependsOn, ["b"]);
        assert.equal(hot.resources.a.condition, "big");
        assert.deepEqual(hot.resources.b.rest, { deletion_policy: "Retain" });
        assert.deepEqual(hot.outputs.id.value, { get_resource: "a" });
    });

    const resource = (value: string) => ["resources:", "  a:", "    type: X", "    properties:", `      p: ${value}`];
    for (const [title, lines, ...parts] of [
        ["an unknown section", ["resource: {}"], /t\.yaml:2/, /unknown section resource/, /resources/],
        ["a misspelt function", resource("{ get_parm: x }"), /t\.yaml:6/, /get_parm is no function/, /get_param/],
        ["a function of CloudFormation", resource('{ "Fn::Join": [",", []] }'), /t\.yaml:6/, /Use list_join/],
        ["an unknown parameter", resource("{ get_param: size }"), /t\.yaml:6/, /no parameter size/, /none/],
        ["an unknown resource", resource("{ get_attr: [b, id] }"), /t\.yaml:6/, /no resource b/, /a\./],
        [
            "a dependency on nothing",
            ["resources:", "  a:", "    type: X", "    depends_on: c"],
            /t\.yaml:5/,
            /depends on c/,
        ],
        ["a resource without type", ["resources:", "  a: { properties: {} }"], /t\.yaml:3/, /type is missing/],
        ["an output without value", ["outputs:", "  a: {}"], /t\.yaml:3/, /value is missing/],
        ["an unknown type of parameter", ["parameters:", "  a:", "    type: list"], /t\.yaml:4/, /list is not known/],
    ] as [string, string[], ...RegExp[]][]) {
        it(`is refused for ${title}, with its line`, () => {
            assert.throws(() => template(...lines), saying(...parts));
        });
    }

    it("is refused when a function needs a newer version", () => {
        const text = "heat_template_version: 2013-05-23\noutputs:\n  a:\n    value: { str_split: [',', x] }\n";
        assert.throws(() => parseHot(text, "t.yaml"), saying(/t\.yaml:4/, /needs heat_template_version 2015-10-15/));
    });

    it("is refused when it is none", () => {
        assert.throws(() => parseHot("AWSTemplateFormatVersion: 2010-09-09", "t.yaml"), saying(/Heat's own language/));
        assert.throws(() => parseHot("heat_template_version: 2019-01-01", "t.yaml"), saying(/t\.yaml:1/, /not known/));
        assert.throws(() => parseHot("- a", "t.yaml"), saying(/no template/));
    });

    it("may have data that looks a little like a function", () => {
        const hot = template(...resource("{ filter: x, repeat: y }"));
        assert.deepEqual(hot.resources.a.properties, { p: { filter: "x", repeat: "y" } });
    });
});
