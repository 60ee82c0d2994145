import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { endpointReachedScript } from "../../../../../provider/procedures/endpoint/move-endpoint";
import { shellIn } from "../../shell/lib/shell-run";

/** The real script; kubectl fails as often as the file `failures` says. */
describe("the test whether the cluster has its endpoint", () => {
    let shell: ReturnType<typeof shellIn>;
    beforeEach(() => {
        shell = shellIn("sh");
        shell.program("sleep", "");
        shell.program(
            "kubectl",
            `left=$(cat '${shell.folder}/failures')
[ "$left" = 0 ] || { echo $((left - 1)) > '${shell.folder}/failures'; echo 'Unable to connect to the server: EOF' >&2; exit 1; }
printf 'apiVersion: v1\\ncontrolPlaneEndpoint: "10.0.0.100:8443"\\n'`,
        );
    });
    afterEach(() => shell.remove());

    const run = (place: string, failures: number) => {
        writeFileSync(join(shell.folder, "failures"), String(failures));
        return shell.run(`set -eu\nPLACE='${place}'\n${endpointReachedScript.replace(/^PATH=.*$/gm, "")}`);
    };

    it("passes where the cluster names it, also when an API server restarts meanwhile", () => {
        assert.equal(run("10.0.0.100:8443", 0).status, 0);
        assert.equal(run("10.0.0.100:8443", 3).status, 0);
    });

    it("fails with the other endpoint, and with kubectl's words where no API server answers", () => {
        const { status, stderr } = run("10.0.0.200:8443", 0);
        assert.equal(status, 1);
        assert.match(stderr, /its endpoint is 10\.0\.0\.100:8443, 10\.0\.0\.200:8443 is wanted/);
        const silent = run("10.0.0.100:8443", 99);
        assert.equal(silent.status, 1);
        assert.match(silent.stderr, /EOF/);
        assert.doesNotMatch(silent.stderr, /is wanted/);
    });
});
