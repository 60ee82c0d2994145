import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { softwareScript } from "../../../../provider/kubeadm/foreign-software";
import { parseMachineStatus } from "../../../../provider/kubeadm/machine-status";
import { resetNodeScript } from "../../../../provider/member/leave/leave-scripts";
import { kernelModulesFile, stateFolder } from "../../../../provider/shell/folders";
import { script } from "../../../../provider/shell/script-file";
import { type ShellRun, shellIn } from "../shell/lib/shell-run";

const calico = '{ "name": "k8s-pod-network", "plugins": [{ "type": "calico" }] }';

describe("the look at what another cluster has left", () => {
    let shell: ShellRun;
    beforeEach(() => {
        shell = shellIn("sh");
        for (const name of ["ps", "systemctl", "dpkg-query"]) shell.program(name, "");
        for (const name of ["iptables-save", "ip6tables-save", "ctr", "nft"]) says(name, "");
        mkdirSync(join(shell.folder, "sys/class/net/lo"), { recursive: true });
    });
    afterEach(() => shell.remove());

    const says = (program: string, text: string) => {
        const file = join(shell.folder, `said by ${program}`);
        writeFileSync(file, text);
        shell.program(program, `cat '${file}'`);
    };
    const put = (file: string, content = "x\n") => {
        mkdirSync(dirname(join(shell.folder, file)), { recursive: true });
        writeFileSync(join(shell.folder, file), content);
    };
    const within = (text: string) => text.replace(/(?<![\w.])\/(etc|opt|var\/lib|sys)\//g, `${shell.folder}/$1/`);
    const look = () => {
        const { stdout, stderr, status } = shell.run(within(softwareScript));
        assert.deepEqual([stderr, status], ["", 0]);
        return parseMachineStatus(stdout.replaceAll(shell.folder, "")).software!.running;
    };

    it("finds none on a blank machine", () => assert.deepEqual(look(), []));

    const leaves: Record<string, [what: () => void, name: RegExp]> = {
        "CNI's configuration": [
            () => put("etc/cni/net.d/05-calico.conflist", calico),
            /^\/etc\/cni\/net.d\/05-calico.conflist$/,
        ],
        "a CNI plugin's kubeconfig": [
            () => put("etc/cni/net.d/calico-kubeconfig"),
            /^\/etc\/cni\/net.d\/calico-kubeconfig$/,
        ],
        "leases of addresses": [() => put("var/lib/cni/networks/cbr0/10.244.0.2"), /^\/var\/lib\/cni\/networks\/cbr0$/],
        "a kubeconfig of kubeadm": [
            () => put("etc/kubernetes/super-admin.conf"),
            /^\/etc\/kubernetes\/super-admin.conf$/,
        ],
        "keys of kubeadm": [() => put("etc/kubernetes/pki/sa.key"), /^\/etc\/kubernetes\/pki\/sa.key$/],
        "kubelet's settings": [() => put("var/lib/kubelet/config.yaml"), /^\/var\/lib\/kubelet\/config.yaml$/],
        "kubelet's assignment of CPUs": [
            () => put("var/lib/kubelet/cpu_manager_state"),
            /^\/var\/lib\/kubelet\/cpu_manager_state$/,
        ],
        "etcd's data": [() => put("var/lib/etcd/snap/db"), /^\/var\/lib\/etcd\/snap$/],
        "a bridge": [() => put("sys/class/net/cni0/mtu"), /^link cni0$/],
        "a tunnel of flannel": [() => put("sys/class/net/flannel.1/mtu"), /^link flannel.1$/],
        "a tunnel of Calico": [() => put("sys/class/net/vxlan.calico/mtu"), /^link vxlan.calico$/],
        "a pod's link of Calico": [() => put("sys/class/net/cali12d4a061371/mtu"), /^link cali12d4a061371$/],
        "links of Cilium": [() => put("sys/class/net/cilium_host/mtu"), /^link cilium_host$/],
        "rules of kube-proxy": [
            () => says("iptables-save", "*nat\n:KUBE-SERVICES - [0:0]\n-A PREROUTING -j KUBE-SERVICES\nCOMMIT\n"),
            /^rules of iptables: chains KUBE-SERVICES/,
        ],
        "rules of Calico": [
            () => says("ip6tables-save", ":cali-FORWARD - [0:0]\n"),
            /^rules of ip6tables: chains cali-FORWARD/,
        ],
        "kube-proxy's nftables": [
            () => says("nft", "table inet filter\ntable ip6 kube-proxy\n"),
            /^nftables table ip6 kube-proxy$/,
        ],
        containers: [() => says("ctr", "3f2a\n"), /^1 containers in containerd's namespace k8s.io$/],
    };
    for (const [what, [make, name]] of Object.entries(leaves)) {
        it(`finds ${what}, by name`, () => {
            make();
            const found = look();
            assert.equal(found.length, 1, found.join());
            assert.match(found[0]!, name);
        });
    }

    it("takes nothing of podman, nerdctl, the loopback or a blank disk for a cluster's", () => {
        put(
            "etc/cni/net.d/87-podman-bridge.conflist",
            '{ "name": "podman", "plugins": [{ "type": "bridge", "bridge": "cni0" }] }',
        );
        put("etc/cni/net.d/nerdctl-bridge.conflist", '{ "name": "bridge", "plugins": [] }');
        put("etc/cni/net.d/200-loopback.conf", '{ "name": "lo", "type": "loopback" }');
        put("var/lib/cni/networks/podman/10.88.0.2");
        put("var/lib/etcd/lost+found/x");
        put("sys/class/net/cni0/brif/veth1");
        says("iptables-save", "*nat\n:CNI-HOSTPORT-DNAT - [0:0]\n:DOCKER - [0:0]\nCOMMIT\n");
        says("nft", "table inet firewalld\n");
        assert.deepEqual(look(), []);
    });

    it("looks for none where our cluster is noted, also after a run that was interrupted", () => {
        put(join(stateFolder, "cluster"), "core-1 m1");
        put("etc/cni/net.d/05-calico.conflist", calico);
        assert.deepEqual(look(), []);
    });

    it("looks for none where our files are, though somebody has deleted our notes", () => {
        put(kernelModulesFile, "overlay\n");
        put("var/lib/cni/networks/podnet/10.244.0.2");
        put("sys/class/net/cni0/mtu");
        assert.deepEqual(look(), []);
    });

    it("takes away what it would find, when our own cluster leaves", () => {
        const rules = [
            "*filter",
            ":cali-FORWARD - [0:0]",
            ":KUBE-FORWARD - [0:0]",
            ":CILIUM_FORWARD - [0:0]",
            '-A FORWARD -m comment --comment "cali:wUHhoiAYhphO9Mso" -j cali-FORWARD',
            "-A FORWARD -s 10.0.0.0/8 -j ACCEPT",
            "COMMIT",
        ];
        writeFileSync(join(shell.folder, "rules"), `${rules.join("\n")}\n`);
        const filter = script("kubeadm/lib/cni-of-others.sh");
        const { stdout } = shell.run(`${filter}\nwithout_cluster_rules "" < '${join(shell.folder, "rules")}'`);
        assert.equal(stdout, "*filter\n-A FORWARD -s 10.0.0.0/8 -j ACCEPT\nCOMMIT\n");
        for (const what of [/\$\(cluster_links\)/, /cluster_tables \|/]) assert.match(resetNodeScript, what);
    });
});
