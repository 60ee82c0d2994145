import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import type { NfvError } from "../../../../../provider/common/errors";
import type { HookSpec } from "../../../../../provider/operation/hooks/hook-spec";
import { kinds } from "../../../../../provider/operation/hooks/kinds";
import { skipIf } from "../../../../support/skip";
import { specOf, toolsIn } from "./fixtures";
import { Folders, scaleOut, vnfd } from "./tacker/fixtures";

const python = `import pickle, sys
given = pickle.load(sys.stdin.buffer)
print("at " + given["operation"], file=sys.stderr)
data = {"parameters": given["request"]["additionalParams"], "vdus": sorted(vnfc["vduId"] for vnfc in given["vnf_instance"]["instantiatedVnfInfo"]["vnfcResourceInfo"])}
sys.stdout.buffer.write(pickle.dumps({"user_script_err_handling_data": data}))
`;

describe("a hook that is a package of Tacker", () => {
    const folders = new Folders();
    afterEach(() => folders.remove());

    const packageOf = (events: Parameters<typeof vnfd>[0]) =>
        folders.package({ "Definitions/vnfd.yaml": vnfd(events), "Scripts/hook.py": python });
    const hookOf = (folder: string, change: Partial<HookSpec> = {}) =>
        specOf({ kind: "tacker", files: [folder], ...change });
    const eventsOf = (hook: HookSpec) => kinds.tacker.eventsOf(hook, "/");
    const refusal = (hook: HookSpec) =>
        eventsOf(hook).then(
            () => assert.fail("it was not refused"),
            (error: NfvError) => error,
        );

    it("runs at the events for which the VNFD names a script, or at those of the hook", async () => {
        const folder = packageOf(["scale_end", "instantiate_end", "scale_rollback_start"]);
        assert.deepEqual(await eventsOf(hookOf(folder)), ["instantiateEnd", "scaleEnd", "scaleRollbackStart"]);
        assert.deepEqual(await eventsOf(hookOf(folder, { events: ["scaleEnd"] })), ["scaleEnd"]);
    });

    it("is refused at an event without a script, unless the hook gives the script", async () => {
        const folder = packageOf(["scale_end"]);
        const error = await refusal(hookOf(folder, { events: ["scaleEnd", "healEnd"] }));
        assert.deepEqual(
            [error.code, error.reason],
            ["INVALID_INPUT", `hook mgmt: the VNFD of ${folder} names no script for heal_end`],
        );
        assert.match(error.hint, /scripts for scale_end\. Take healEnd out/);
        const tacker = { script: "Scripts/hook.py" };
        assert.deepEqual(await eventsOf(hookOf(folder, { events: ["healEnd"], tacker })), ["healEnd"]);
    });

    it("is refused if no script is named at all, or there is no package", async () => {
        assert.match((await refusal(hookOf(packageOf([])))).reason, /names no management script/);
        assert.equal((await refusal(hookOf(folders.empty()))).code, "INVALID_INPUT");
    });

    it("runs as Tacker does, with the hook's settings, and leaves its data", async function () {
        skipIf(this, spawnSync("python3", ["-c", "import pickle"]).status !== 0 && "there is no python3");
        const folder = packageOf(["scale_end"]);
        const tools = toolsIn("/");
        const tacker = { vdus: { controlPlane: "masterNode", workers: "workerNode" } };
        const { errorHandlingData } = await kinds.tacker.run(
            hookOf(folder, { tacker }),
            scaleOut("end"),
            () => {},
            tools,
        );
        assert.deepEqual(errorHandlingData, {
            parameters: { colour: "blue" },
            vdus: ["masterNode", "workerNode", "workerNode", "workerNode"],
        });
        assert.deepEqual(tools.reported, ["at scale_end"]);
    });
});
