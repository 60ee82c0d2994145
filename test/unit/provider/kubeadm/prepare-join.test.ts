import assert from "node:assert/strict";
import { joinCluster } from "../../../../provider/kubeadm/join-cluster";
import { runWithKubectl } from "../network/fake-kubectl";
import { nodeSpec } from "../sample-specs";

/** What is done on a ready control-plane node before a worker joins. curl gets `code` from the API; kubectl knows the node by `address`. */
async function prepared(code: string, address = "") {
    const spec = await nodeSpec({ role: "worker", name: "w1", address: "10.0.0.21" });
    const { run, env } = joinCluster("join")(spec)!.preparation!;
    const programs = `
        curl() { printf '{}\\n${code}'; }
        kubeadm() { echo abcdef.0123456789abcdef; }
    `;
    const answers = [{ when: /get node w1/, stdout: address }];
    const { stdout, calls, ...ran } = runWithKubectl(`${programs}${run}`, env!, answers);
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(stdout, "abcdef.0123456789abcdef\n");
    return calls.map(call => / (get|delete) node /.exec(` ${call}`)?.[1]);
}

describe("before a machine joins", function () {
    this.timeout(30_000);

    it("kubectl has nothing to do where the API knows no node of this name", async () => {
        assert.deepEqual(await prepared("404"), []);
    });

    it("the node of a former machine with its address goes, also where the API could not be asked by curl", async () => {
        for (const code of ["200", "403", "000"]) {
            assert.deepEqual(await prepared(code, "10.0.0.21"), ["get", "delete"], code);
        }
    });

    it("a node of this name with another address stays: kubeadm refuses the name", async () => {
        assert.deepEqual(await prepared("200", "10.0.0.99"), ["get"]);
    });
});
