import { strict as assert } from "node:assert";
import { machineStatusQuery } from "../../../../provider/kubeadm/look";

describe("the look at a machine", () => {
    it("has more than twice the time that its script itself waits for what hangs", () => {
        const { script, timeoutSeconds } = machineStatusQuery("10.0.0.11");
        const waits = [...script.matchAll(/ -m (\d+)|\btimeout (\d+)|--request-timeout=(\d+)s/g)];
        assert.ok(waits.length >= 5);
        const seconds = waits.reduce((sum, [, ...each]) => sum + Number(each.find(one => one !== undefined)), 0);
        assert.ok(timeoutSeconds > 2 * seconds, `${timeoutSeconds} of ${seconds}`);
    });
});
