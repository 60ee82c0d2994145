import { deepStrictEqual, match, ok } from "node:assert/strict";
import { type FormatName, formats, hasFormat } from "../../../../components/validation/formats";
import { problems } from "../../../../components/validation/validate";
import { carried, ways } from "./carried-texts";
import { type Hostile, hostileTexts, type TextInput, textInputs } from "./text-inputs";

const all = textInputs();
const hostile = Object.entries(hostileTexts) as [Hostile, string][];

/** What is said about this place, in one line. */
function said({ resource, path, args }: TextInput, text: string): string[] {
    const place = path(text)
        .join(".")
        .slice(0, 150)
        .split(/[\n\r\0\u2028]/)[0]!;
    return problems(resource as never, args(text)).filter(
        line => line.startsWith(place) && !line.endsWith(" is required"),
    );
}

/** Alone, and behind a text that the format allows. What passes the format may still be refused by a rule. */
function accepted(input: TextInput): Hostile[] {
    const format = input.format as FormatName;
    const isAccepted = (text: string) =>
        hasFormat(format, text) && said(input, text).every(line => line.includes(": must be of type"));
    const behind = (text: string) => !text.startsWith("-") && isAccepted(`${formats[format].example}${text}`);
    return hostile.filter(([, text]) => isAccepted(text) || behind(text)).map(([what]) => what);
}

describe("every text that a program can give", () => {
    it("is found in the schema", () => {
        ok(all.length > 300, `${all.length}`);
        for (const input of ["VipArgs.interface", "KubernetesCluster.registries keys", "ControlPlaneArgs.extraArgs"]) {
            ok(
                all.some(each => each.input === input),
                input,
            );
        }
    });

    for (const input of all) {
        const way = carried[input.input];
        const what = `${input.resource} ${input.input} (${input.format})`;
        it(`${what} ${way === undefined ? "takes nothing hostile" : `is carried ${ways[way].how}`}`, () => {
            ok(said(input, hostileTexts.NUL).length > 0, "its format is not asked");
            deepStrictEqual(
                accepted(input).filter(each => way === undefined || !ways[way].takes.includes(each)),
                [],
            );
        });
    }

    it("has no row in the table of free texts without need", () => {
        const free = all.filter(input => accepted(input).length > 0).map(({ input }) => input);
        deepStrictEqual(
            Object.keys(carried).filter(input => !free.includes(input)),
            [],
        );
    });

    it("is refused with a sentence of one line that names the place, what is right, and an example", () => {
        const vip = all.find(({ input }) => input === "VipArgs.interface")!;
        deepStrictEqual(said(vip, 'eth0" accept\n'), [
            'controlPlane.endpoint.vip.interface: must be the name of a network interface: at most 15 letters, digits, dots, - and _, such as "eth0"; got "eth0\\" accept\\n"',
        ]);
        const registries = all.find(({ input }) => input === "KubernetesCluster.registries keys")!;
        match(
            said(registries, "../../etc").join("\n"),
            /^registries\.\.\.\/\.\.\/etc: the name must be a registry's name/,
        );
        match(said(registries, "a\nb")[0]!, /^registries\.a\\nb: the name must be [^\n]*$/);
    });
});

describe("the formats of texts", () => {
    for (const [name, { example }] of Object.entries(formats)) {
        it(`${name} has an example that it allows`, () => ok(hasFormat(name as FormatName, example)));
    }
});
