import { strict as assert } from "node:assert";
import { startPulumi } from "../../../dev/pulumi-process";

describe("a run of Pulumi in a test", () => {
    const run = (quietMinutes: number, script: string) =>
        startPulumi({ argv: ["/bin/sh", "-c"], folder: "/", env: process.env, quietMinutes }, [script]).done;

    it("is asked to stop when it has said nothing new for its time; what it says then is kept", async () => {
        const { code, output } = await run(
            0.005,
            "trap 'echo cancelled; exit 3' INT; while :; do sleep 0.1; printf '@ updating....\\n'; done",
        );
        assert.equal(code, 3);
        assert.match(output, /SIGINT: the run has said nothing new for 0\.005 minutes\ncancelled/);
    });

    it("is killed when it does not stop", async () => {
        const { code, output } = await run(0.005, "trap '' INT; while :; do sleep 0.1; done");
        assert.equal(code, 137);
        assert.match(output, /SIGKILL/);
    });

    it("goes on as long as it says something", async () => {
        const { code } = await run(0.04, "for i in 1 2 3 4 5 6 7 8; do sleep 0.4; echo step $i; done");
        assert.equal(code, 0);
    });
});
