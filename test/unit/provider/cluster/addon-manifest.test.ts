import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { kubeadmScript } from "../../../../provider/kubeadm/kubeadm-script";
import { type ShellRun, shellIn } from "../shell/lib/shell-run";

/** As kubeadm prints it with a folder of patches: the Deployment has lost its first line. */
const printed = `---
[patches] Reading patches from path "/etc/kubernetes/pulumi-nfv/patches"
---
kind: Deployment
metadata:
  name: coredns
spec:
  replicas: 2
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: coredns
data:
  Corefile: |
    .:53 {
    }
---
apiVersion: v1
kind: Service
metadata:
  name: kube-dns
  # Without this resourceVersion value, an update of the Service fails
  resourceVersion: "0"
spec:
  clusterIP: 10.96.0.10
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: coredns
`;
const kept = `---
apiVersion: v1
kind: Service
metadata:
  name: kube-dns
spec:
  clusterIP: 10.96.0.10
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: coredns
`;

describe("what is put back of CoreDNS", () => {
    let shell: ShellRun;
    beforeEach(() => {
        shell = shellIn("sh");
    });
    afterEach(() => shell.remove());

    const apply = ({ deployment = "deployment.apps/coredns", nodes = "v1.34.4" } = {}) =>
        shell.run(`
            kubeadm() { if [ "$1" = version ]; then echo v1.34.4; else cat <<'END'
${printed}END
            fi; }
            kubectl() {
                case "$*" in
                    *"get deployment coredns"*) echo "${deployment}" ;;
                    *"get daemonset"*) echo "no daemonset is asked for" >&2; return 1 ;;
                    *"get nodes"*) echo "${nodes}" ;;
                    *apply*) cat > applied; echo "$*" > how ;;
                esac
            }
            ADDON=coredns
            ${kubeadmScript("cluster/apply-coredns-again.sh")}`);
    const file = (name: string) => spawnSync("cat", [`${shell.folder}/${name}`], { encoding: "utf8" }).stdout;

    it("is its Service and its rights, and neither Corefile nor Deployment", () => {
        const { status, stderr } = apply();
        assert.equal(status, 0, stderr);
        assert.equal(file("applied"), kept);
        assert.match(file("how"), /--server-side --force-conflicts --field-manager=pulumi-nfv/);
    });

    it("is nothing where somebody has taken CoreDNS away", () => {
        assert.equal(apply({ deployment: "" }).status, 0);
        assert.equal(file("applied"), "");
    });

    it("is nothing while the nodes move to another version", () => {
        const { status, stderr } = apply({ nodes: "v1.33.13" });
        assert.notEqual(status, 0);
        assert.match(stderr, /what kubeadm would make is not known/);
        assert.equal(file("applied"), "");
    });
});
