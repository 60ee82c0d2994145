import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { countsIn, runOptionsOf } from "../../../pipeline/command-options";
import { operationCommands, runCommand } from "../../../pipeline/commands";
import { completionFor } from "../../../pipeline/completion";
import { eventsIn } from "../../../pipeline/read-lines";

describe("the command line of operations", () => {
    it("makes guards, hash and choices of options", () => {
        const given = { key: "cluster", allow: "scale,heal", maxDisruption: ["workers=20%"], wait: true, plan: "ab" };
        assert.deepEqual(runOptionsOf(given), {
            guards: { allow: ["scale", "heal"], maxDisruption: { workers: "20%" } },
            ...{ plan: "ab", previewOnly: false, refresh: false, whenBusy: "wait", takeOver: false },
        });
        assert.deepEqual(countsIn(["workers=3", "controlPlane=1"]), { workers: 3, controlPlane: 1 });
    });

    const refused: [string[], RegExp][] = [
        [["scale"], /INVALID_INPUT[\s\S]*missing required argument/],
        [["up", "--yess"], /unknown option '--yess'/],
        [["up"], /give --yes, --plan HASH or --preview/],
        [["heal"], /name nodes, or give --all/],
        [["completion", "fish"], /bash and zsh/],
    ];
    for (const [argv, message] of refused) {
        it(`refuses nfv ${argv.join(" ")} before anything begins`, () => assert.rejects(runCommand(argv), message));
    }

    it("completes commands in bash", () => {
        const script = completionFor("bash", operationCommands());
        const asked = `${script}\nCOMP_WORDS=(nfv sca); COMP_CWORD=1; _nfv; echo "\${COMPREPLY[*]}"`;
        assert.equal(execFileSync("bash", ["-c", asked], { encoding: "utf8" }), "scale\n");
    });

    it("reads events among other lines, also of a run that was killed", () => {
        const line = '{"type":"phase","time":"","phase":"a"}';
        assert.deepEqual(eventsIn(`npm notice\n${line}\n{"type":"pha`).length, 1);
        assert.throws(() => eventsIn("nothing"), /no event/);
    });
});
