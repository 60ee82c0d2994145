import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { NfvError } from "../../../../../../provider/common/errors";
import {
    runTackerScript,
    TackerScriptFailed,
    type TackerScriptOptions,
} from "../../../../../../provider/operation/hooks/tacker/run-tacker-script";
import { skipIf } from "../../../../../support/skip";
import { projectRoot } from "../../../../../support/user-project";
import { Folders, factsOf, node, scaleOut, vnfd } from "./fixtures";

const noPython = spawnSync("python3", ["-c", "import pickle"]).status === 0 ? undefined : "there is no python3";

const head = "import json, os, pickle, subprocess, sys, time\ngiven = pickle.load(sys.stdin.buffer)\n";
const print = (value: string) => `sys.stdout.buffer.write(pickle.dumps(${value}))\n`;

describe("a script of Tacker", () => {
    const folders = new Folders();
    const running: ChildProcess[] = [];
    before(function () {
        skipIf(this, noPython);
    });
    afterEach(() => {
        for (const child of running.splice(0)) child.kill("SIGKILL");
        folders.remove();
    });

    const packageOf = (script: string) => folders.package({ "Scripts/hook.py": head + script });
    const run = (script: string, options: Partial<TackerScriptOptions> = {}) =>
        runTackerScript({ packageFolder: packageOf(script), facts: scaleOut("end"), ...options });
    const failure = async (script: string, options: Partial<TackerScriptOptions> = {}) => {
        const error = await run(script, options).then(
            result => assert.fail(`it did not fail but gave ${JSON.stringify(result)}`),
            (reason: unknown) => reason,
        );
        if (!(error instanceof NfvError)) throw error;
        return error;
    };
    const dataOf = async (script: string) => (await run(script)).errorHandlingData!;

    it("gets one pickled dict with the keys of Tacker, and its folder unpacked beside it", async () => {
        const lines = [
            "seen = {key: type(each).__name__ for key, each in given.items()}",
            "here = os.path.dirname(os.path.abspath(__file__))",
            "beside = os.path.samefile(here, os.path.join(given['tmp_csar_dir'], 'Scripts'))",
            "data = {'seen': seen, 'beside': beside, 'argv': len(sys.argv), 'tmp': given['tmp_csar_dir']}",
            print("{'user_script_err_handling_data': data}"),
        ];
        const { seen, beside, argv, tmp } = await dataOf(lines.join("\n"));
        assert.deepEqual(seen, {
            operation: "str",
            request: "dict",
            vnf_instance: "dict",
            grant_request: "dict",
            grant_response: "dict",
            tmp_csar_dir: "str",
            user_script_err_handling_data: "dict",
        });
        assert.deepEqual([beside, argv], [true, 1]);
        assert.equal(existsSync(tmp as string), false, "the copy of the package is removed");
    });

    it("gets None for a grant that there is not, and the new package at the end of a modification", async () => {
        const next = folders.package({ "Definitions/vnfd.yaml": vnfd([]), note: "new" });
        const script = [
            "note = open(os.path.join(given['new_csar_dir'], 'note')).read()",
            "data = {'none': given['grant_request'] is None, 'note': note, 'id': given['request']['vnfdId']}",
            print("{'user_script_err_handling_data': data}"),
        ].join("\n");
        const { errorHandlingData } = await runTackerScript({
            packageFolder: packageOf(script),
            script: "Scripts/hook.py",
            facts: factsOf("modify_information", "end"),
            settings: { newPackageFolder: next },
        });
        assert.deepEqual(errorHandlingData, { none: true, note: "new", id: "vnfd-1" });
    });

    it("does not run if the package has none for the event", async () => {
        const packageFolder = packageOf("sys.exit(1)");
        assert.deepEqual(await runTackerScript({ packageFolder, facts: scaleOut("start") }), {});
    });

    it("changes the instance and keeps data for its next attempt", async () => {
        const script = [
            "given['vnf_instance']['metadata']['done'] = given['user_script_err_handling_data']",
            print("{'vnf_instance': given['vnf_instance'], 'user_script_err_handling_data': {'step': 3}}"),
        ].join("\n");
        const { vnfInstance, errorHandlingData } = await run(script, {
            facts: { ...scaleOut("end"), errorHandlingData: { step: 2 } },
        });
        assert.deepEqual((vnfInstance as { metadata: object }).metadata, { done: { step: 2 } });
        assert.deepEqual(errorHandlingData, { step: 3 });
    });

    it("runs once for each group that scales, and finds what it left for the group before", async () => {
        const script = [
            "seen = given['user_script_err_handling_data'].get('seen', []) + [given['request']['aspectId']]",
            print("{'user_script_err_handling_data': {'seen': seen}}"),
        ].join("\n");
        const after = [node("m1"), node("w1"), node("w2"), node("e1")];
        const { errorHandlingData } = await run(script, {
            facts: factsOf("scale", "end", { after, added: ["w2", "e1"] }),
        });
        assert.deepEqual(errorHandlingData, { seen: ["edge", "workers"] });
    });

    const garbage = {
        nothing: "",
        text: "print('all is well')",
        "text that begins like an instruction of a pickle": "print('configuring\\nw1\\ndone')",
        "a pickle that is cut off": "sys.stdout.buffer.write(pickle.dumps({'vnf_instance': {'a': 1}})[:-3])",
        "a pickle of something else": print("[1, 2]"),
        "text of 20 MiB": "print('x' * (20 << 20))",
    };
    for (const [what, script] of Object.entries(garbage)) {
        it(`succeeds with ${what} on its standard output`, async () => assert.deepEqual(await run(script), {}));
    }

    it("may print plain data that JSON does not have", async () => {
        const values = [
            "import datetime",
            "data = {'bytes': b'abc', 'set': {3, 1, 2}, 'tuple': (1, None), 'frozen': frozenset(['x']), 1: True,",
            "    'time': datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc), 'day': datetime.date(2026, 1, 2)}",
        ].join("\n");
        const seen = [];
        for (const protocol of [0, 2, 4]) {
            const dumped = `pickle.dumps({'user_script_err_handling_data': data}, ${protocol})`;
            seen.push(await dataOf(`${values}\nsys.stdout.buffer.write(${dumped})\n`));
        }
        assert.deepEqual(seen[0], {
            bytes: "abc",
            set: [1, 2, 3],
            tuple: [1, null],
            frozen: ["x"],
            "1": true,
            time: "2026-01-02T03:04:05+00:00",
            day: "2026-01-02",
        });
        assert.deepEqual(seen.slice(1), [seen[0], seen[0]]);
    });

    it("cannot run anything by its result", async () => {
        const trap = join(folders.empty(), "trap");
        const bad = `class Bad:\n    def __reduce__(self):\n        return os.system, ('touch ${trap}',)\n`;
        const error = await failure(bad + print("{'vnf_instance': {'a': Bad()}}"));
        assert.equal(error.code, "HOOK_FAILED");
        assert.match(error.reason, /ended, but its result contains posix\.system, which is no plain data/);
        const old = `${bad}sys.stdout.buffer.write(pickle.dumps(Bad(), 0))`;
        assert.deepEqual(await run(old), {});
        assert.equal(existsSync(trap), false);
    });

    const refusals = {
        "bytes that are no text": [
            "{'vnf_instance': {'key': [b'\\xff']}}",
            /vnf_instance\.key\[0\] is bytes that are no/,
        ],
        "what is no number": ["{'vnf_instance': {'a': float('nan')}}", /vnf_instance\.a is nan/],
        "a key that JSON does not have": ["{'vnf_instance': {(1, 2): 1}}", /has a key of type tuple/],
        "no dict": ["{'vnf_instance': 'x'}", /its vnf_instance is no dict but str/],
        "more than 16 MiB": ["{'vnf_instance': {'a': 'x' * (17 << 20)}}", /greater than 16 MiB/],
        itself: ["{'vnf_instance': loop}", /too large or contains itself/],
        "the same list very often": ["{'vnf_instance': {'bomb': bomb}}", /too large or contains itself/],
    } as const;
    const loops = "loop = {}\nloop['a'] = loop\nbomb = []\nfor i in range(40):\n    bomb = [bomb, bomb, bomb, bomb]\n";
    for (const [what, [value, message]] of Object.entries(refusals)) {
        it(`cannot give ${what} as its result`, async () => {
            assert.match((await failure(loops + print(value))).reason, message);
        });
    }

    it("cannot take the machine's memory by a small result", async () => {
        const huge = "b'\\x80\\x04}r\\xff\\xff\\xff\\xff.'"; // LONG_BINPUT 4294967295
        assert.deepEqual(await run(`sys.stdout.buffer.write(${huge})`), {});
    });

    it("that fails is an error with the end of its standard error, and may leave data for the next attempt", async () => {
        const script = `${print("{'user_script_err_handling_data': {'reached': 'etcd'}}")}sys.stdout.flush()
for i in range(30): print('line', i, file=sys.stderr)
sys.exit(3)`;
        const lines: string[] = [];
        const error = await failure(script, { onLine: line => lines.push(line) });
        assert.ok(error instanceof TackerScriptFailed);
        assert.deepEqual([error.code, error.step], ["HOOK_FAILED", "hook mgmt: scale_end"]);
        assert.match(error.reason, /^Scripts\/hook\.py ended with exit code 3\nline 18\n(.*\n)*line 29$/);
        assert.deepEqual(error.errorHandlingData, { reached: "etcd" });
        assert.equal(lines.length, 30);
    });

    it("that is ended by a signal is an error", async () => {
        assert.match((await failure("os.kill(os.getpid(), 9)")).reason, /was ended by SIGKILL/);
    });

    it("is shown while it runs", async () => {
        const seen: string[] = [];
        const stop = new AbortController();
        const running = run("print('begun', file=sys.stderr, flush=True)\ntime.sleep(60)", {
            signal: stop.signal,
            onLine: line => {
                seen.push(line);
                stop.abort();
            },
        });
        await assert.rejects(running, { code: "CANCELLED" });
        assert.deepEqual(seen, ["begun"]);
    });

    it("gets no secret of Pulumi, none in its argv, and prints none", async () => {
        const script = `
env = [name for name in os.environ if name.startswith('PULUMI_')]
argv = open('/proc/%d/cmdline' % os.getppid()).read() + ' '.join(sys.argv)
vim = given['vnf_instance']['vimConnectionInfo']['vim1']
print(json.dumps([env, 'hunter2hunter2' in argv, vim['accessInfo']['password'] == 'hunter2' * 2]), file=sys.stderr)
sys.exit('login failed: ' + vim['accessInfo']['password'])`;
        process.env["PULUMI_NFV_TEST_SECRET"] = "x";
        const settings = {
            vimConnectionInfo: {
                vim1: { vimType: "ETSINFV.OPENSTACK_KEYSTONE.V_3", accessInfo: { password: "hunter2hunter2" } },
            },
        };
        const error = await failure(script, { settings }).finally(() => delete process.env["PULUMI_NFV_TEST_SECRET"]);
        assert.match(error.reason, /\[\[\], false, true\]\nlogin failed: \*\*\*$/);
        assert.doesNotMatch(JSON.stringify(error), /hunter2/);
    });

    it("needs Python on this machine, and says so", async () => {
        const error = await failure("", { python: "/no/python3" });
        assert.equal(error.code, "TOOL_MISSING");
        assert.match(error.message, /no program \/no\/python3\n.*Python 3\.7/);
        assert.match((await failure("", { python: "false" })).reason, /false ended with exit code 1 without an answer/);
    });

    /** Writes the process ids of the script and of a child, and waits. */
    const waiting = (pids: string) => `
child = subprocess.Popen(['sleep', '300'])
with open('${pids}.part', 'w') as file: file.write('%d %d' % (os.getpid(), child.pid))
os.rename('${pids}.part', '${pids}')
time.sleep(300)`;
    const allEnded = async (pids: string) => {
        const numbers = readFileSync(pids, "utf8").split(" ").map(Number);
        for (let i = 0; i < 150 && numbers.some(runs); i++) await sleep(100);
        assert.deepEqual(numbers.filter(runs), []);
    };

    it("ends with all its processes at its deadline, also if they ignore SIGTERM", async () => {
        const pids = join(folders.empty(), "pids");
        const error = await failure(`import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)${waiting(pids)}`, {
            timeoutSeconds: 2,
        });
        assert.equal(error.code, "HOOK_FAILED");
        assert.match(error.reason, /did not end within 2 s/);
        await allEnded(pids);
    });

    it("ends with all its processes when the run is cancelled", async () => {
        const pids = join(folders.empty(), "pids");
        const stop = new AbortController();
        const failed = failure(waiting(pids), { signal: stop.signal });
        while (!existsSync(pids)) await sleep(50);
        stop.abort();
        assert.equal((await failed).code, "CANCELLED");
        await allEnded(pids);
    });

    it("ends with all its processes when the operator's process is killed, and its copy is removed", async () => {
        const pids = join(folders.empty(), "pids");
        const packageFolder = packageOf(waiting(pids));
        const program = join(folders.empty(), "operator.ts");
        const module = join(projectRoot, "provider/operation/hooks/tacker/run-tacker-script");
        const options = JSON.stringify({ packageFolder, facts: scaleOut("end") });
        writeFileSync(program, `require(${JSON.stringify(module)}).runTackerScript(${options});\n`);
        const tmp = folders.empty();
        const env = { ...process.env, TMPDIR: tmp };
        const operator = spawn(process.execPath, ["--require", "tsx/cjs", program], { cwd: projectRoot, env });
        running.push(operator);
        for (let i = 0; i < 200 && !existsSync(pids); i++) await sleep(100);
        assert.equal(copies(tmp).length, 1);
        operator.kill("SIGKILL");
        await allEnded(pids);
        for (let i = 0; i < 50 && copies(tmp).length > 0; i++) await sleep(100);
        assert.deepEqual(copies(tmp), []);
    });

    it("may leave a process that works on: nothing waits for it", async () => {
        const started = Date.now();
        const pids = join(folders.empty(), "pids");
        const script = `child = subprocess.Popen(['sleep', '20'])
open('${pids}', 'w').write(str(child.pid))`;
        assert.deepEqual(await run(script), {});
        assert.ok(Date.now() - started < 15_000);
        process.kill(Number(readFileSync(pids, "utf8")));
    });
});

/** Copies of packages in a folder. */
function copies(folder: string): string[] {
    return readdirSync(folder).filter(name => name.startsWith("pulumi-nfv-csar-"));
}

/** A zombie has ended, even if nobody has asked for its exit code. */
function runs(pid: number): boolean {
    const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
    return stdout.trim() !== "" && !stdout.startsWith("Z");
}
