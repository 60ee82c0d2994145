import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { script } from "../../../../../provider/shell/script-file";
import { type ShellRun, shellIn } from "../../shell/lib/shell-run";

/** Objects of the cluster are files "NAMESPACE-NAME"; a patch takes their place. */
const world = `
    mktemp() { mkdir work; echo work; }
    sleep() { echo x >> slept; }
    date() { echo $((1000 + 60 * $(cat slept 2>/dev/null | wc -l))); }
    kubectl() {
        case "$3 $4" in
            "create configmap") shift 4; echo "$*" ;;
            "get configmap") cat "$2-$5" 2>/dev/null || true ;;
            "patch configmap") for last; do :; done; cat "$last" > "$2-$5" ;;
        esac
    }
`;

describe("the new authorities are made known in the cluster", () => {
    let shell: ShellRun;
    const at = (name: string) => join(shell.folder, name);
    const read = (name: string) => readFileSync(at(name), "utf8");
    const publish = () => {
        const values = { ADMIN_CONFIG: "admin", PKI_FOLDER: "pki", ROTATION_FAILED: exitCodes.ROTATION_FAILED };
        const lines = script("procedures/authorities/publish-authority.sh", values).split("\n");
        const begin = lines.findIndex(line => line.startsWith("work="));
        return shell.run([...lines.slice(0, begin), world, ...lines.slice(begin)].join("\n"));
    };
    beforeEach(() => {
        shell = shellIn("sh");
        mkdirSync(at("pki"));
        writeFileSync(at("pki/ca.crt"), "new\n");
        writeFileSync(at("pki/front-proxy-ca.crt"), "new front\n");
        writeFileSync(at("kube-public-cluster-info"), "clusters:\n- cluster:\n    certificate-authority-data: b2xk\n");
        writeFileSync(at("kube-system-kube-root-ca.crt"), "new");
        writeFileSync(at("kube-system-extension-apiserver-authentication"), "old and new");
    });
    afterEach(() => shell.remove());

    it("to machines that join, and alone to servers that take users of the API", () => {
        const { status, stderr } = publish();
        assert.equal(status, 0, stderr);
        assert.match(read("kube-public-cluster-info"), /^cluster-info --from-file=kubeconfig=/);
        assert.match(
            read("kube-system-extension-apiserver-authentication"),
            /--from-file=client-ca-file=pki\/ca.crt --from-file=requestheader-client-ca-file=pki\/front-proxy-ca.crt /,
        );
    });

    it("and fails where pods do not get them", () => {
        writeFileSync(at("kube-system-kube-root-ca.crt"), "old");
        const { status, stderr } = publish();
        assert.equal(status, exitCodes.ROTATION_FAILED);
        assert.match(stderr, /pods do not get the new authority/);
    });
});
