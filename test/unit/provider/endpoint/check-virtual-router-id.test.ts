import assert from "node:assert/strict";
import { checkVirtualRouterId } from "../../../../provider/endpoint/configure-load-balancer";
import { hostSpec, masters } from "../sample-specs";
import { type ShellRun, shellIn } from "../shell/lib/shell-run";

describe("the look for other owners of the virtual router id", () => {
    let shell: ShellRun;
    const step = (list = masters) => checkVirtualRouterId(hostSpec({ masters: list }))!;
    const run = (...advertising: string[]) => {
        shell.program("python3", `printf '%s\\n' ${advertising.join(" ")}`);
        shell.program("systemctl", "exit 3");
        shell.program("ip", 'echo "2: eth1 inet x"');
        const values = Object.entries(step().env!).map(
            ([name, value]) => `${name}='${name === "LISTENER" ? "" : value}'`,
        );
        const { status, stderr } = shell.run(`${values.join("\n")}\n${step().run}`);
        return { code: status === 0 ? undefined : step().errors![status!], stderr };
    };

    beforeEach(() => {
        shell = shellIn("sh");
    });
    afterEach(() => shell.remove());

    it("finds another machine", () => {
        const { code, stderr } = run("10.99.0.77");
        assert.equal(code, "VRID_IN_USE");
        assert.match(stderr, /^10\.99\.0\.77 advertises VRRP id \d+ on eth1 already/);
    });

    it("is content with an only master that has not heard of this new one yet: it advertises to everybody", () => {
        assert.equal(run(masters[0]!.address).code, undefined);
    });
});
