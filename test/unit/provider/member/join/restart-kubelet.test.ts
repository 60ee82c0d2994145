import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { kubeadmScript } from "../../../../../provider/kubeadm/kubeadm-script";

const restartKubeletWhenReady = kubeadmScript("member/join/lib/restart-kubelet-when-ready.sh");

/** Runs the script with an API server that is ready at the third request, and then answers this code for the node. */
function restarts(nodeCode: string): string[] {
    const world = `
        asked=0
        curl() {
            for url in "$@"; do :; done
            case $url in
                https://10.0.0.2:6443/readyz) [ -e "$0.2" ] && printf 200 || printf 000 ;;
                https://10.0.0.2:6443/api/v1/nodes/m2) printf '${nodeCode}' ;;
                *) printf 'asked %s' "$url" >&2 ;;
            esac
        }
        sleep() { asked=$((asked + 1)); [ $asked -lt 2 ] || : >"$0.2"; }
        systemctl() { echo "$*"; }
        trap 'rm -f "$0.2"' EXIT
    `;
    const script = `${world}\n${restartKubeletWhenReady}\nhurry_kubelet\nprintf 'waited %s\\n' $asked\n`;
    const name = `/tmp/nfv-hurry-${process.pid}-${nodeCode}`;
    const env = { ...process.env, ADDRESS: "10.0.0.2", NAME: "m2" };
    const { status, stdout, stderr } = spawnSync("sh", ["-euc", script, name], { encoding: "utf8", env });
    assert.deepEqual([status, stderr], [0, ""]);
    const lines = stdout.trim().split("\n");
    assert.equal(lines.pop(), "waited 2");
    return lines;
}

describe("kubelet of a master that joins", () => {
    it("is started anew, once, when its own API server is ready and does not know the node", () => {
        assert.deepEqual(restarts("404"), ["restart kubelet.service"]);
    });

    it("is left alone where the node is there already, and where that cannot be said", () => {
        for (const code of ["200", "403", "000"]) assert.deepEqual(restarts(code), [], code);
    });
});
