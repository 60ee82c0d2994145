import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../support/user-project";

/** The script with programs in place of `nfv` and `pulumi` that note their words. */
describe("what the timer's script does", () => {
    let folder: string;
    const program = (name: string, text: string) =>
        writeFileSync(join(folder, "node_modules/.bin", name), `#!/bin/sh\necho "${name} $*" >>"$NOTES"\n${text}\n`, {
            mode: 0o755,
        });
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-timer-"));
        mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    const notes = () => (existsSync(join(folder, "notes")) ? readFileSync(join(folder, "notes"), "utf8") : "");
    const run = (word: string) => {
        const { status, stderr } = spawnSync("sh", [join(projectRoot, "examples/pipelines/nfv-pipeline.sh"), word], {
            env: {
                ...process.env,
                NFV_PROJECT: folder,
                NFV_STACK: "dev",
                NFV_REPORTS: join(folder, "reports"),
                NFV_ALLOW: "scale",
                NFV_MAX_DISRUPTION: "workers=1",
                NOTES: join(folder, "notes"),
            },
            cwd: tmpdir(),
            encoding: "utf8",
        });
        return { status, stderr };
    };
    const finds = (heals: string[], code = 20, repairEnds = 0) =>
        program(
            "nfv",
            `[ "$1" = check ] || exit ${repairEnds}\necho '${JSON.stringify({ heals, found: [], verdict: "heal", reason: "it" })}'; exit ${code}`,
        );

    it("repairs the nodes that are broken, and allows nothing else", () => {
        finds(["w1", "w2"]);
        const { status, stderr } = run("heal");
        assert.equal(status, 0, stderr);
        const [, words] = notes().trim().split("\n");
        assert.match(words!, /^nfv repair w1 w2 --yes --wait .* --max-disruption workers=1 --cwd/);
        assert.doesNotMatch(words!, /--allow|--refresh/);
    });

    it("repairs what is certain although a person is needed, and still calls the person", () => {
        finds(["w1"], 22);
        const { status, stderr } = run("heal");
        assert.deepEqual([status, notes().split("\n")[1]?.slice(0, 13)], [22, "nfv repair w1"], stderr);
        finds(["w1"], 22, 4);
        assert.equal(run("heal").status, 4, "a repair that failed");
    });

    for (const code of [21, 22])
        it(`repairs nothing where the check ends with ${code} and names no node`, () => {
            finds([], code);
            assert.deepEqual([run("heal").status, notes().trim().split("\n").length], [code, 1]);
        });

    it("leaves what others have changed, where nothing is broken", () => {
        finds([]);
        const { status, stderr } = run("heal");
        assert.deepEqual([status, notes().trim().split("\n").length], [20, 1], stderr);
        assert.match(stderr, /left to a run that somebody approves/);
    });

    it("checks out the commit that Pulumi says ran last, with its configuration, and not the branch's head", () => {
        const git = (...argv: string[]) =>
            execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...argv], {
                cwd: folder,
                encoding: "utf8",
            }).trim();
        git("init", "--quiet", "--initial-branch=main", ".");
        const commit = (text: string) => {
            writeFileSync(join(folder, "Pulumi.yaml"), text);
            git("add", "Pulumi.yaml");
            git("commit", "--quiet", "-m", text);
            return git("rev-parse", "HEAD");
        };
        const deployed = commit("approved");
        commit("merged, and not approved");
        const history = [
            { kind: "refresh", environment: { "git.head": "0".repeat(40) } },
            { kind: "update", environment: {} },
            { kind: "update", environment: { "git.head": deployed } },
            { kind: "update", environment: { "git.head": "1".repeat(40) } },
        ];
        program("pulumi", `[ "$2" != history ] || echo '${JSON.stringify(history)}'`);
        const { status, stderr } = run("deployed");
        assert.equal(status, 0, stderr);
        assert.equal(git("rev-parse", "HEAD"), deployed);
        assert.match(notes(), /pulumi config refresh --stack dev --force/);
        program("pulumi", `[ "$2" != history ] || echo '[]'`);
        assert.deepEqual([run("deployed").status, git("rev-parse", "HEAD")], [2, deployed]);
    });
});
