import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NfvError } from "../../../../../provider/common/errors";
import type { HookFacts } from "../../../../../provider/operation/hooks/contract";
import { kinds } from "../../../../../provider/operation/hooks/kinds";
import { runScript } from "../../../../../provider/operation/hooks/script-hook";
import { ownFolder, specOf, toolsIn } from "./fixtures";
import { scaleOut } from "./tacker/fixtures";

describe("a hook that is a script on the operator's machine", () => {
    const folder = ownFolder();
    const run = async (text: string, { tools = toolsIn(folder.path), facts = scaleOut("end") } = {}) => {
        folder.put({ "hooks/hook.sh": `#!/bin/sh\n${text}\n` });
        return { ...(await runScript(specOf({ files: ["hooks/hook.sh"] }), facts, tools)), lines: tools.reported };
    };
    const failure = async (text: string): Promise<NfvError & { errorHandlingData?: object }> => {
        try {
            await run(text);
        } catch (error) {
            if (error instanceof NfvError) return error;
            throw error;
        }
        return assert.fail("it did not fail");
    };

    it("gets all facts as JSON on its standard input, and works in its own folder", async () => {
        await run("cat >facts; pwd >place");
        assert.deepEqual(JSON.parse(readFileSync(join(folder.path, "hooks/facts"), "utf8")), asJson(scaleOut("end")));
        assert.equal(readFileSync(join(folder.path, "hooks/place"), "utf8"), `${join(folder.path, "hooks")}\n`);
    });

    it("gets the simple values as environment, and ours", async () => {
        const facts = { ...scaleOut("end"), attempt: 3 };
        const { lines } = await run(
            "env | grep -v RESULT | grep '^PULUMI_NFV_[A-Z_]*=' | grep -v RECORDS; echo \"home $HOME\"",
            {
                facts,
            },
        );
        // A hook has the operator's environment, too, with the settings of this package.
        const own = lines.filter(line => process.env[line.split("=")[0]!] === undefined);
        assert.deepEqual(own.sort(), [
            "PULUMI_NFV_ADDED=w2 w3",
            "PULUMI_NFV_ATTEMPT=3",
            "PULUMI_NFV_CLUSTER=core",
            "PULUMI_NFV_CLUSTER_ID=c0ffee",
            "PULUMI_NFV_EVENT=scale_end",
            "PULUMI_NFV_HOOK=mgmt",
            "PULUMI_NFV_OPERATION=scale",
            "PULUMI_NFV_OPERATION_ID=7",
            "PULUMI_NFV_REMOVED=",
            "PULUMI_NFV_REPLACED=",
            `home ${process.env["HOME"] ?? ""}`,
        ]);
    });

    it("does not get the secrets of the backend", async () => {
        const ofRun = ["PULUMI_NFV_PLAN", "PULUMI_NFV_INPUTS_KEY", "PULUMI_NFV_REPAIR"];
        const secrets = ["PULUMI_CONFIG_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE_FILE", "PULUMI_ACCESS_TOKEN", ...ofRun];
        const before = secrets.map(name => process.env[name]);
        for (const name of secrets) process.env[name] = "open-sesame";
        try {
            assert.deepEqual((await run("env | grep open-sesame || true")).lines, []);
        } finally {
            secrets.forEach((name, i) => {
                if (before[i] === undefined) delete process.env[name];
                else process.env[name] = before[i];
            });
        }
    });

    it("leaves what it writes to $PULUMI_NFV_RESULT, and nothing else", async () => {
        const left = `printf '{"errorHandlingData":{"ticket":5},"other":1}' >"$PULUMI_NFV_RESULT"`;
        assert.deepEqual(await run(left), { errorHandlingData: { ticket: 5 }, lines: [] });
        assert.deepEqual(await run("true"), { lines: [] });
        assert.deepEqual(await run(`echo '{}' >"$PULUMI_NFV_RESULT"`), { lines: [] });
    });

    it("leaves no file of ours behind", async () => {
        const place = 'dirname "$PULUMI_NFV_RESULT"';
        const { lines } = await run(`echo x >"$PULUMI_NFV_RESULT.other"; ${place}; echo '{}' >"$PULUMI_NFV_RESULT"`);
        const { reason } = await failure(`${place}; exit 1`);
        for (const each of [lines[0]!, reason.split("\n").at(-1)!]) {
            assert.match(each, /pulumi-nfv-hook-/);
            assert.equal(existsSync(each), false);
        }
    });

    it("fails with its exit code and its last lines, and what it left is kept", async () => {
        const error = await failure(
            `seq 1 30 >&2; printf '{"errorHandlingData":{"ticket":5}}' >"$PULUMI_NFV_RESULT"; exit 7`,
        );
        assert.equal(error.code, "HOOK_FAILED");
        assert.match(error.reason, /^hooks\/hook\.sh ended with exit code 7\n11\n12\n[\s\S]*30$/);
        assert.deepEqual(error.errorHandlingData, { ticket: 5 });
    });

    it("fails if what it leaves is no JSON", async () => {
        assert.match((await failure(`echo oops >"$PULUMI_NFV_RESULT"`)).reason, /\$PULUMI_NFV_RESULT has no JSON/);
    });

    it("fails with its own error, not with that of half a result", async () => {
        const error = await failure(`printf '{"error' >"$PULUMI_NFV_RESULT"; echo "no licence"; exit 7`);
        assert.match(error.reason, /exit code 7\nno licence/);
    });

    it("keeps what it leaves when it is told to end", async () => {
        const stop = new AbortController();
        const tools = toolsIn(folder.path, { signal: stop.signal, report: () => stop.abort(new Error("stopped")) });
        const text = `trap 'echo "{\\"errorHandlingData\\":{\\"half\\":1}}" >"$PULUMI_NFV_RESULT"; exit 1' TERM
            echo begun; while :; do sleep 0.05; done`;
        const { errorHandlingData } = await run(text, { tools });
        assert.deepEqual(errorHandlingData, { half: 1 });
    });

    const refused: [title: string, prepare: () => void, said: RegExp][] = [
        ["it does not exist", () => {}, /hook mgmt: hook\.sh: there is no such file/],
        [
            "it is not executable",
            () => {
                folder.put({ "hook.sh": "#!/bin/sh\n" });
                chmodSync(join(folder.path, "hook.sh"), 0o644);
            },
            /hook mgmt: hook\.sh is not executable: chmod \+x hook\.sh/,
        ],
        [
            "it is a folder",
            () => mkdirSync(join(folder.path, "hook.sh")),
            /hook mgmt: hook\.sh is a folder; give the file of the script$/,
        ],
    ];
    for (const [title, prepare, said] of refused)
        it(`is refused if ${title}`, async () => {
            prepare();
            await assert.rejects(kinds.script.eventsOf(specOf({ events: ["scaleEnd"] }), folder.path), error => {
                assert.equal((error as NfvError).code, "INVALID_INPUT");
                assert.match((error as NfvError).reason, said);
                return true;
            });
        });

    it("may be without the right to run where it runs on nodes", async () => {
        folder.put({ "hook.sh": "#!/bin/sh\n" });
        chmodSync(join(folder.path, "hook.sh"), 0o644);
        const hook = specOf({ nodes: {}, events: ["scaleEnd"] });
        assert.deepEqual(await kinds.script.eventsOf(hook, folder.path), ["scaleEnd"]);
    });
});

const asJson = (facts: HookFacts) => JSON.parse(JSON.stringify(facts));
