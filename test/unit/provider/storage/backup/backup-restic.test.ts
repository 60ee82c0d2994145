import assert from "node:assert/strict";
import { BackupMachine } from "./backup-machine";
import { done, failed, specsFor, summary } from "./backup-runs";

let machine: BackupMachine;
const { specOf } = specsFor(() => machine);
const failedPlainly = (...end: Parameters<typeof failed>) => {
    failed(...end);
    assert.doesNotMatch(end[0].stderr, /message_type/);
};
const ends = (code: number, ...lines: string[]) =>
    machine.write("fail-backup", `cat <<'END'\n${lines.join("\n")}\nEND\nexit ${code}`);
const exitError = (code: number, message: string) => JSON.stringify({ message_type: "exit_error", code, message });
const error = (item: string, said: object) =>
    JSON.stringify({ message_type: "error", error: said, during: "archival", item });

describe("a backup and its restic", () => {
    beforeEach(() => {
        machine = new BackupMachine();
        done(machine.start(specOf()));
        machine.forgetCalls();
    });
    afterEach(() => machine.remove());

    for (const [message, why] of [
        ["Fatal: wrong password or no key found", /: wrong password or no key found $/m],
        [
            'Fatal: unable to open "config": no such file or directory\nIs there a repository?\n/x',
            /: unable to open "config": no such file or directory $/m,
        ],
        ["unable to create lock in backend: repository is already locked by PID 7\nlock was", /locked by PID 7 $/m],
        ["context deadline exceeded\ngithub.com/restic/restic/main", /restic failed: context deadline exceeded $/m],
    ] as [string, RegExp][]) {
        it(`gives the cause where restic, from 0.17 on, ends with JSON: ${message.split("\n")[0]}`, () => {
            ends(1, exitError(1, message));
            failedPlainly(machine.night(), why);
        });
    }

    it("counts files that were deleted meanwhile as no failure, also where restic ends with JSON", () => {
        const end = exitError(3, "Warning: at least one source file could not be read");
        ends(3, error("/e/a", { message: "lstat /e/a: no such file or directory" }), summary, end);
        done(machine.night());
        ends(3, error("/e/a", { message: "read /e/a: input/output error" }), summary, end);
        failedPlainly(machine.night(), /restic failed: read \/e\/a: input\/output error/);
    });

    it("knows deleted files again in whose names restic writes &, < and > as numbers", () => {
        const item = (name: string) =>
            error(name, {}).replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e");
        ends(3, item("/none/a & <b>"), summary);
        done(machine.night());
        machine.write("exports/a & <b>", "");
        ends(3, item(machine.at("exports/a & <b>")), summary);
        failedPlainly(machine.night(), /it could not be read/);
        ends(3, item('/none/a & <b>"'), summary);
        failedPlainly(machine.night(), /it could not be read/);
    });

    it("takes nothing of the environment for its own settings", () => {
        // As of /etc/environment.
        const values = [
            "RESTIC_REPOSITORY=/other",
            "RESTIC_PASSWORD_COMMAND=false",
            "AWS_SESSION_TOKEN=x",
            "AWS_PROFILE=y",
        ];
        machine.write("proxy.env", values.join("\n"));
        done(machine.night());
        assert.match(
            machine.read("restic-environment"),
            /^(proxy= of=RESTIC_CACHE_DIR,RESTIC_PASSWORD_FILE,RESTIC_REPOSITORY_FILE, key=\n)+$/,
        );
    });
});
