import assert from "node:assert/strict";
import { script } from "../../../../provider/shell/script-file";
import { type ShellRun, shellIn } from "../shell/lib/shell-run";

describe("endpoint/find-interface.sh", () => {
    let shell: ShellRun;
    const run = (given: string) => {
        const values = `VIP_INTERFACE='${given}' ADDRESS=10.0.0.11\n`;
        return shell.run(`${values}${script("endpoint/find-interface.sh")}echo "found $interface"`);
    };

    beforeEach(() => {
        shell = shellIn("sh");
    });
    afterEach(() => shell.remove());

    it("takes the given interface", () => assert.equal(run("eth7").stdout, "found eth7\n"));

    it("finds the one that has the node's address", () => {
        shell.program(
            "ip",
            `[ "$*" = "-o address show to 10.0.0.11" ] && echo "2: ens3    inet 10.0.0.11/24 scope global ens3"`,
        );
        assert.equal(run("").stdout, "found ens3\n");
    });

    it("fails where no interface has it, and says so", () => {
        shell.program("ip", "true");
        const { status, stdout, stderr } = run("");
        assert.deepEqual([status, stdout, stderr], [1, "", "no network interface has the address 10.0.0.11\n"]);
    });
});
