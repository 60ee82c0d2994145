import { deepStrictEqual, strictEqual } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import {
    asHeatShows,
    stackParameters,
    withoutHidden,
} from "../../../../../../components/infrastructure/openstack/heat/heat-parameters";

const template = `heat_template_version: "2018-08-31"
parameters:
  name: { type: string }
  size: { type: number, default: 3 }
  password: { type: string, hidden: true }
  optional: { type: string }
resources: {}
`;

type Inside = { promise: () => Promise<string>; isSecret: Promise<boolean> };

describe("parameters of a stack", () => {
    it("are written as Heat writes them, so that the plug-in sees no difference", () => {
        const cases: [string, Parameters<typeof asHeatShows>[1], string][] = [
            ["string", "a, b", "a, b"],
            ["string", 5, "5"],
            ["number", "007", "7"],
            ["number", 2.5, "2.5"],
            ["boolean", "yes", "True"],
            ["boolean", false, "False"],
            ["comma_delimited_list", "a, b,c", "a,b,c"],
            ["comma_delimited_list", ["a", "b"], "a,b"],
            ["json", '{"a":[1,true,null],"ü":"x"}', '{"a": [1, true, null], "\\u00fc": "x"}'],
        ];
        for (const [type, value, shown] of cases) strictEqual(asHeatShows(type, value), shown, `${type} ${value}`);
    });

    it("are all given, also where the template has a default; what nobody gives is left for Heat to complain of", async () => {
        const made = stackParameters(template, { name: "n", password: pulumi.secret("p"), other: "x" });
        deepStrictEqual(Object.keys(made), ["name", "size", "password"]);
        const inside = (name: string) => made[name] as unknown as Inside;
        strictEqual(await inside("size").promise(), "3");
        strictEqual(await inside("password").promise(), "p");
        deepStrictEqual([await inside("password").isSecret, await inside("name").isSecret], [true, false]);
    });

    it("are hidden nowhere, and a template without hidden ones stays as it is", () => {
        const open = withoutHidden(template);
        deepStrictEqual(parse(open).parameters.password, { type: "string" });
        strictEqual(withoutHidden(open), open);
    });
});
