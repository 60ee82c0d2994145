import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countsIn, runOptionsOf } from "../../../../pipeline/commands/command-options";
import { approval } from "../../../../pipeline/commands/command-run";
import { operationCommands, runCommand } from "../../../../pipeline/commands/commands";
import { completionFor } from "../../../../pipeline/commands/completion";
import { eventsIn } from "../../../../pipeline/events/read-lines";
import type { Plan } from "../../../../pipeline/plan/plan";
import { operationCommands as operations } from "../../../../tools/operation-commands";

describe("the command line of operations", () => {
    const hash = "5f0c9a41d3b82e6f7a90c1d4";

    it("makes guards, hash and choices of options", () => {
        const given = { key: "cluster", allow: "scale,heal", maxDisruption: ["workers=20%"], wait: true, plan: hash };
        assert.deepEqual(runOptionsOf(given), {
            guards: { allow: ["scale", "heal"], maxDisruption: { workers: "20%" } },
            ...{ plan: hash, previewOnly: false, refresh: false, whenBusy: "wait", takeOver: false },
        });
        assert.deepEqual(countsIn(["workers=3", "controlPlane=1"]), { workers: 3, controlPlane: 1 });
    });

    it("refuses options that would be misread", () => {
        const given = { key: "cluster", maxDisruption: [] };
        for (const plan of ["5f0c9a", "--preview"])
            assert.throws(() => runOptionsOf({ ...given, plan }), /--plan .*24 hexadecimal digits/);
        assert.throws(() => runOptionsOf({ ...given, parallel: "0" }), /--parallel 0: .*1 or more/);
        for (const name of ["plan", "stack", "key", "run", "forbidReplace", "markdown"])
            assert.throws(
                () => runOptionsOf({ ...given, [name]: "" }),
                /-(plan|stack|key|run|replace|markdown): .*empty/,
            );
        const twice = ["workers=1", "workers=5"];
        assert.throws(
            () => runOptionsOf({ ...given, maxDisruption: twice }),
            /--max-disruption: workers is given twice/,
        );
        assert.throws(() => countsIn(twice), /scale: workers is given twice/);
    });

    it("keeps each of several options of one guard", () => {
        const up = operationCommands().commands.find(command => command.name() === "up")!;
        up.parseOptions(["--forbid-replace", "m1, m2", "--forbid-replace=st1", "--allow", "heal", "--allow", "scale"]);
        const { guards } = runOptionsOf(up.opts());
        assert.deepEqual(guards, { allow: ["heal", "scale"], forbidReplace: ["m1", "m2", "st1"] });
    });

    const refused: [string[], RegExp][] = [
        [["scale"], /INVALID_INPUT[\s\S]*missing required argument/],
        [["up", "--yess"], /unknown option '--yess'; did you mean "--yes"\?/],
        [["up", "--max-disruption", "workers"], /--max-disruption workers: GROUP=NUMBER/],
        [["scale", "workers=x"], /scale workers x: a whole number/],
        [["up", "--yes", "--html", "/nonexistent/x"], /--html \/nonexistent\/x: the report cannot be written/],
        [["heal"], /name nodes, or give --all/],
        // before the question for --yes
        [["heal", "w1", "--run", "a b"], /heal: a b: a word of letters/],
        [["rotate", "keys", "--run", "a"], /rotate: keys: there are encryptionKey/],
        [["rotate", "autorities", "--run", "a"], /did you mean "authorities"\?/],
        [["rotate", "loginKey", "--run", "a", "--grace-hours", "2"], /loginKey: has no grace/],
        [["rotate", "loginKey", "--run=-a"], /rotate: -a: a word of letters/],
        [["backup", "--run", "a b"], /backup: a b: a word of letters/],
        [["restore", "--run", "a b"], /restore: a b: a word of letters/],
        [["upgrade", "1.35"], /upgrade: 1\.35: a version such as/],
        [["upgrade", "1.35.1", "--through", "1.36.0"], /1\.35\.1 is not later than 1\.36\.0/],
        [["up", "--allow", "scales"], /there is no operation "scales".*; did you mean "scale"\?/],
        [["up", "--max-disruption", "workers=-1"], /maxDisruption\.workers/],
        [["completion", "fish"], /bash and zsh/],
        [["completion", "bsh"], /did you mean "bash"\?/],
    ];
    for (const [argv, message] of refused) {
        it(`refuses nfv ${argv.join(" ")} before anything begins`, () => assert.rejects(runCommand(argv), message));
    }

    it("says that it cannot ask only when the plan is there: a misspelt name comes first, and the hash can be given", async () => {
        const asked = approval({ hash: "abc123" } as Plan, { json: true }, new AbortController().signal);
        const said =
            /INVALID_INPUT\n.* nfv cannot ask .*give --preview, --plan HASH or --yes\n.*--plan abc123 runs this plan/;
        await assert.rejects(asked, said);
        await assert.rejects(runCommand(["up", "--cwd", tmpdir()]), error => !/cannot ask/.test(String(error)));
    });

    it("knows each command by its name: main passes all others to the tools", () => {
        const names = operationCommands().commands.map(command => command.name());
        assert.deepEqual([...operations].sort(), names.sort());
    });

    it("says in its help how each operation ends, and no option that a person cannot read", () => {
        for (const command of operationCommands().commands) {
            let help = "";
            command.configureOutput({ writeOut: text => (help += text) }).outputHelp();
            assert.doesNotMatch(help, /default: \[\]/);
            assert.equal(/^ {2}130 /m.test(help), !["report", "completion"].includes(command.name()), help);
        }
    });

    it("completes commands in bash", () => {
        const script = completionFor("bash", operationCommands());
        const asked = `${script}\nCOMP_WORDS=(nfv sca); COMP_CWORD=1; _nfv; echo "\${COMPREPLY[*]}"`;
        assert.equal(execFileSync("bash", ["-c", asked], { encoding: "utf8" }), "scale\n");
        const second = `${script}\nfor line in "nfv check --s" "nfv help up" "nfv up --pl"; do COMP_WORDS=($line); COMP_CWORD=2; _nfv; echo "\${COMPREPLY[*]}"; done`;
        assert.equal(
            execFileSync("bash", ["-c", second], { encoding: "utf8" }),
            "--stack --state --share --sarif\nup upgrade\n--plan\n",
        );
    });

    it("completes stacks of the project by the user's own pulumi; without one, or with one that is slow, there is no word", () => {
        const folder = mkdtempSync(join(tmpdir(), "nfv-completion-"));
        const listed = JSON.stringify([{ name: "site-1", current: true }, { name: "site-2" }], undefined, 2);
        const hostile = listed.replaceAll("site-2", `$(touch ${folder}/ran)\`touch ${folder}/ran\`;x`);
        const pulumi = join(folder, "pulumi");
        const give = (text: string) => writeFileSync(pulumi, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
        const bash = completionFor("bash", operationCommands());
        const zsh = completionFor("zsh", operationCommands());
        const hasZsh = spawnSync("zsh", ["-c", "true"]).status === 0;
        const complete = (words: string) => {
            const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}` };
            const run = (shell: string, text: string) => execFileSync(shell, ["-c", text], { encoding: "utf8", env });
            const count = words.split(" ").length;
            const said = run(
                "bash",
                `${bash}\nCOMP_WORDS=(${words}); COMP_CWORD=${count - 1}; _nfv; echo "\${COMPREPLY[*]}"`,
            );
            if (hasZsh)
                assert.equal(
                    run(
                        "zsh",
                        `compdef() :\n_files() :\ncompadd() { shift; print -r -- "$@" }\n${zsh}\nwords=(${words}); CURRENT=${count}; _nfv`,
                    ).trim(),
                    said.trim(),
                );
            return said.trim();
        };
        try {
            give(`[ "$PWD" = ${folder} ] && cat <<'END'\n${listed}\nEND`);
            assert.equal(complete(`nfv up -C ${folder} --stack ''`), "site-1 site-2");
            assert.equal(complete(`nfv check --cwd ${folder} -s ''`), "site-1 site-2");
            assert.equal(complete("nfv up --stack ''"), "");
            give(`cat <<'END'\n${hostile}\nEND`);
            assert.equal(complete(`nfv up -C ${folder} --stack ''`), "site-1", "a name that a shell would expand");
            assert.equal(existsSync(join(folder, "ran")), false);
            give("echo error >&2; exit 255");
            assert.equal(complete(`nfv up -C ${folder} --stack ''`), "");
            give("sleep 30");
            const began = performance.now();
            assert.equal(complete(`nfv up -C ${folder} --stack ''`), "");
            assert.ok(performance.now() - began < 10_000);
        } finally {
            rmSync(folder, { recursive: true });
        }
    }).timeout(30_000);

    it("names the command in the hint of a refusal", async () => {
        await assert.rejects(runCommand(["scale"]), /\n {4}nfv help scale shows what there is\.$/);
        await assert.rejects(runCommand(["up", "--yes", "--key", ""]), /\n {4}nfv help up shows what there is\.$/);
    });

    it("reads events among other lines, also of a run that was killed", () => {
        const line = '{"type":"phase","time":"","phase":"a"}';
        assert.deepEqual(eventsIn(`npm notice\n${line}\n{"type":"pha`).length, 1);
        assert.throws(() => eventsIn("nothing"), /no event/);
        const broken = '{"type":"node","time":"","node":5,"resource":{},"act":"create","state":"begin"}';
        assert.throws(() => eventsIn(`${broken}\n{"type":"error","time":"","text":null}\n{"type":"x"}`), /no event/);
    });

    it("reports an error with its place and hint, and nothing that a terminal would obey", async () => {
        const folder = mkdtempSync(join(tmpdir(), "nfv-report-"));
        const file = join(folder, "events.jsonl");
        const event = {
            type: "error",
            time: "",
            node: "w1\u001b[2J",
            code: "SSH_FAILED",
            text: "a\u001b]0;b\u0007\u202ec",
        };
        writeFileSync(file, JSON.stringify({ ...event, hint: "Look." }));
        const said: string[] = [];
        const { log } = console;
        console.log = (text: string) => void said.push(text);
        try {
            await runCommand(["report", file]);
            await assert.rejects(
                runCommand(["report", join(folder, "none")]),
                /INVALID_INPUT[\s\S]*there is no such file/,
            );
            const html = join(folder, "none", "run.html");
            await assert.rejects(runCommand(["report", file, "--html", html]), /INVALID_INPUT[\s\S]*cannot be written/);
        } finally {
            console.log = log;
            rmSync(folder, { recursive: true });
        }
        assert.deepEqual(said, ["error: w1: SSH_FAILED\n    ac\n    Look."]);
    });
});
