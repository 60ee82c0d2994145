import assert from "node:assert/strict";
import { adminConfig } from "../../../../../provider/shell/folders";
import { script } from "../../../../../provider/shell/script-file";
import { shellIn } from "./shell-run";

describe("shell/lib/as-administrator.sh and usual-path.sh", () => {
    for (const kind of ["sh", "bash"] as const) {
        it(`set PATH and KUBECONFIG for the programs that follow, in ${kind}`, () => {
            const shell = shellIn(kind);
            try {
                const { stdout } = shell.run(`${script("shell/lib/as-administrator.sh")}printenv PATH KUBECONFIG`);
                assert.equal(stdout, `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n${adminConfig}\n`);
            } finally {
                shell.remove();
            }
        });
    }
});
