import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { kubeadmScript } from "../../../../provider/kubeadm/kubeadm-script";
import { resetNodeScript } from "../../../../provider/member/leave/leave-scripts";

const cniOfOthers = kubeadmScript("kubeadm/lib/cni-of-others.sh");
const removeCniConfiguration = kubeadmScript("member/leave/lib/remove-cni-configuration.sh");

/** Output of iptables-save: it escapes the quotes in the plugins' comments. */
const comment = (text: string) => `-m comment --comment "${text.replaceAll('"', '\\"')}"`;
const theirs = [
    ":CNI-aaaa - [0:0]",
    ":CNI-DN-aaaa - [0:0]",
    ":CNI-HOSTPORT-DNAT - [0:0]",
    "-A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT-DNAT",
    `-A POSTROUTING -m comment --comment "CNI portfwd requiring masquerade" -j CNI-HOSTPORT-MASQ`,
    `-A POSTROUTING -s 10.88.0.2/32 ${comment('name: "podman" id: "1"')} -j CNI-aaaa`,
    `-A CNI-aaaa -d 10.88.0.0/16 ${comment('name: "podman" id: "1"')} -j ACCEPT`,
    `-A CNI-HOSTPORT-DNAT -p tcp ${comment('dnat name: "podman" id: "1"')} -m multiport --dports 80 -j CNI-DN-aaaa`,
    "-A CNI-DN-aaaa -p tcp -m tcp --dport 80 -j DNAT --to-destination 10.88.0.2:80",
];
const ours = [
    ":KUBE-SERVICES - [0:0]",
    ":CNI-bbbb - [0:0]",
    ":CNI-DN-bbbb - [0:0]",
    `-A POSTROUTING -s 10.244.1.2/32 ${comment('name: "cbr0" id: "2"')} -j CNI-bbbb`,
    `-A CNI-bbbb -d 10.244.0.0/16 ${comment('name: "cbr0" id: "2"')} -j ACCEPT`,
    `-A CNI-HOSTPORT-DNAT -p tcp ${comment('dnat name: "cbr0" id: "2"')} -m multiport --dports 90 -j CNI-DN-bbbb`,
    "-A CNI-DN-bbbb -p tcp -m tcp --dport 90 -j DNAT --to-destination 10.244.1.2:90",
    `-A POSTROUTING ${comment("podnet")} -j MASQUERADE`,
];
const nobodys = ["*nat", ":PREROUTING ACCEPT [0:0]", "-A INPUT -p tcp -m tcp --dport 22 -j ACCEPT", "COMMIT"];

describe("a reset and the container networks of others", () => {
    let root: string;
    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-cni-"));
        put("etc/cni/net.d/10-podnet.conflist", '{ "name": "podnet" }');
        put("var/lib/pulumi-nfv/original/.cni", "");
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    const put = (file: string, content: string) => {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), content);
    };
    const run = (command: string, stdin: string[] = []) => {
        const functions = removeCniConfiguration + cniOfOthers;
        const script = `${functions}\nremove_cni_configuration\nothers=$(others_networks)\n${command} "$others"\n`;
        const moved = script.replace(/\/(etc\/cni|sys\/class|var\/lib\/pulumi-nfv|var\/lib\/cni)\b/g, `${root}/$1`);
        const input = stdin.map(line => `${line}\n`).join("");
        const { stdout, stderr, status } = spawnSync("sh", ["-euc", moved], { input, encoding: "utf8" });
        assert.deepEqual([stderr, status], ["", 0]);
        return stdout.split("\n").filter(Boolean);
    };
    const withPodman = () => put("etc/cni/net.d/87-podman.conflist", '{"cniVersion":"0.4.0","name":"podman","x":1}');
    const rules = [...nobodys.slice(0, 2), ...theirs, ...ours, ...nobodys.slice(2)];

    it("takes all rules of CNI where nobody else has a network", () => {
        assert.deepEqual(run("without_cluster_rules", rules), nobodys);
    });

    it("leaves the rules of podman's containers", () => {
        withPodman();
        assert.deepEqual(run("without_cluster_rules", rules), [...nobodys.slice(0, 2), ...theirs, ...nobodys.slice(2)]);
    });

    it("leaves their leases, and takes those of the cluster", () => {
        const files = ["networks/podman/10.88.0.2", "results/podman-1-eth0", "networks/cbr0/10.244.1.2"];
        const put_all = () => {
            for (const file of [...files, "results/cbr0-2-eth0", "flannel/2"]) put(`var/lib/cni/${file}`, "");
        };
        put_all();
        withPodman();
        run("remove_cni_state");
        const left = (folder: string) => readdirSync(join(root, "var/lib/cni", folder)).sort();
        assert.deepEqual(
            [left("."), left("networks"), left("results")],
            [["networks", "results"], ["podman"], ["podman-1-eth0"]],
        );
        rmSync(join(root, "etc/cni/net.d/87-podman.conflist"));
        put_all();
        run("remove_cni_state");
        assert.ok(!existsSync(join(root, "var/lib/cni")));
    });

    it("leaves a bridge that a network of others has, also by the name that the cluster's has", () => {
        const links = "for link in cni0 flannel.1; do is_bridge_of_others $link && echo $link; done; :";
        assert.deepEqual(run(links), []);
        put("etc/cni/net.d/87-podman.conflist", '{ "plugins": [{ "type": "bridge", "bridge" : "cni0" }] }');
        assert.deepEqual(run(links), [], "nobody uses it");
        put("sys/class/net/cni0/brif/veth1", "");
        assert.deepEqual(run(links), ["cni0"]);
        rmSync(join(root, "etc/cni/net.d/87-podman.conflist"));
        put(
            "etc/cni/net.d/10-podnet.conflist",
            '{ "name": "podnet", "plugins": [{ "type": "bridge", "bridge": "cni0" }] }',
        );
        assert.deepEqual(run(links), [], "the cluster's own, where a reset keeps its configuration");
    });

    it("leaves a configuration, and its leases, where our notes of what was there before us are lost, and says so", () => {
        put("etc/cni/net.d/10-shop.conflist", '{ "name": "shop" }');
        put("etc/cni/net.d/10-flannel.conflist", '{ "name": "cbr0", "plugins": [{ "type": "flannel" }] }');
        put("var/lib/cni/networks/shop/10.1.0.2", "");
        rmSync(join(root, "var/lib/pulumi-nfv/original"), { recursive: true });
        const [said, ...others] = run("remove_cni_state");
        assert.match(said!, /^stays: .*10-shop.conflist: our notes/);
        assert.deepEqual(others, []);
        assert.deepEqual(readdirSync(join(root, "etc/cni/net.d")), ["10-shop.conflist"]);
        assert.ok(existsSync(join(root, "var/lib/cni/networks/shop/10.1.0.2")));
    });

    it("leaves nerdctl's networks, which have a folder for each of its namespaces", () => {
        put("etc/cni/net.d/default/nerdctl-bridge.conflist", '{\n  "name": "bridge",\n  "plugins": []\n}\n');
        put("etc/cni/net.d/multus.d/kubeconfig", "");
        assert.deepEqual(run("echo"), ["bridge "]);
        assert.deepEqual(readdirSync(join(root, "etc/cni/net.d")), ["default"]);
    });

    it("uses this in the script that takes Kubernetes off a machine, behind the configuration", () => {
        assert.match(
            resetNodeScript,
            /\nremove_cni_configuration\n[\s\S]*others_networks[\s\S]*\nremove_cni_state [\s\S]*without_cluster_rules /,
        );
    });
});
