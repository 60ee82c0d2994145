import assert from "node:assert/strict";
import { commandHelp, helpOf } from "../../../tools/command-help";
import { main } from "../../../tools/nfv";

/** What a command prints, by `console.log` and `console.error`. */
async function printed(argv: string[]): Promise<string> {
    const lines: string[] = [];
    const { log, error } = console;
    console.log = (text: string) => void lines.push(text);
    console.error = console.log;
    try {
        await main(argv);
    } finally {
        Object.assign(console, { log, error });
    }
    return lines.join("\n");
}

describe("the help of a command", () => {
    for (const [name, { options }] of Object.entries(commandHelp))
        it(`of ${name} shows its own options, which it takes, and an example`, async () => {
            const text = await printed([name, "--help"]);
            assert.equal(text, helpOf(name));
            assert.equal(await printed(["help", name]), text);
            assert.match(text, new RegExp(`\nExamples:\n.*nfv ${name}`));
            const given = Object.keys(options).flatMap(each => {
                const [option, value] = each.replace(/^-\w, /, "").split(" ");
                return value === undefined ? [option!] : [option!, "1"];
            });
            // The first option that it does not know is the one of the test.
            assert.match(await printed([name, ...given, "--nonsense"]), /INVALID_INPUT\n.*'--nonsense'/);
            assert.match(await printed([name, "--nonsense"]), new RegExp(`nfv help ${name} shows`));
        });

    it("of none is that of all, and of an unknown one an error", async () => {
        assert.match(await printed(["help"]), /^nfv: tools around/);
        assert.match(await printed(["help", "nope"]), /there is no command nope\n/);
    });

    it("names the command, option or add-on that was meant, also one that runs operations", async () => {
        assert.match(await printed(["chek"]), /there is no command chek; did you mean "check"\?/);
        assert.match(await printed(["help", "scael"]), /there is no command scael; did you mean "scale"\?/);
        assert.match(await printed(["check", "--stak", "a"]), /'--stak'; did you mean "--stack"\?/);
        assert.match(await printed(["bundle", "--add-ons", "cinder-cis"]), /did you mean "cinder-csi"\?/);
    });
});
