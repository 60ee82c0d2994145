import { strict as assert } from "node:assert";
import { Lab } from "../../lab";
import { asStory } from "../support/story";
import { command, eventually } from "./cluster-fixture";
import { BackedUpCluster, show, tenMarkers } from "./etcd-backup-cluster";

/** What was done once by a word stays done, whichever machines the cluster has by then; and a machine that is none of its members gets no key. */
describe("a cluster that was restored, and whose control-plane nodes were replaced since", function () {
    this.timeout("30m");
    asStory(this);
    let cluster: BackedUpCluster;
    let snapshot = "";
    const note = "/var/lib/pulumi-nfv/etcd-restored";
    const on = (node: string, command: string) => cluster.fixture.lab.mustSsh(node, command);
    const seconds = (from: number) => Math.round((Date.now() - from) / 1000);
    const masters = () => Object.keys(cluster.args.infrastructure.hosts.controlPlane).sort();
    const replace = (former: string, next: string) => {
        const { controlPlane } = cluster.args.infrastructure.hosts;
        delete controlPlane[former];
        const { address, hostKey } = cluster.fixture.lab.node(next);
        controlPlane[next] = { address, ssh: { hostKey } };
    };
    const up = async (...more: string[]) => {
        await cluster.give();
        return cluster.up(...more);
    };
    const succeeds = async (...more: string[]) => {
        const began = Date.now();
        let { code, output } = await up(...more);
        // kubeadm gives etcd two seconds for an answer, which a busy machine does not keep.
        if (code !== 0 && /context deadline exceeded/.test(output)) ({ code, output } = await up(...more));
        assert.equal(code, 0, output);
        console.log(`      up ${more.join(" ")}: ${seconds(began)} s`);
        show(output, /restore|warning|heal|Ready/i);
        return output;
    };
    /** All are members of one etcd and healthy, and it has what was written since the restore. */
    const isWhole = async () => {
        const pki = "/etc/kubernetes/pki/etcd";
        const etcdctl = `etcdctl --cacert=${pki}/ca.crt --cert=${pki}/server.crt --key=${pki}/server.key endpoint health --cluster`;
        const kubectl = "kubectl --kubeconfig /etc/kubernetes/admin.conf -n kube-system";
        const said = await eventually(120, () => on("m1", `${kubectl} exec etcd-m1 -- ${etcdctl}`));
        const count = said.split("\n").filter(line => line.includes("is healthy")).length;
        assert.equal(count, masters().length, said);
        assert.deepEqual(await cluster.markers("since"), ["since"]);
        assert.deepEqual(await cluster.markers("lost"), []);
        await eventually(120, () =>
            cluster.fixture.kubectl("wait", "--for=condition=Ready", "nodes", "--all", "--timeout=60s"),
        );
    };

    before(async () => {
        cluster = await BackedUpCluster.open("again", {
            masters: ["m1", "m2", "m3"],
            workers: [],
            others: ["m4", "m5"],
        });
        await succeeds();
        await cluster.writeAroundSnapshot({});
        cluster.args.etcdRestore = { run: "a" };
        await succeeds();
        snapshot = (await on("m1", `cut -d ' ' -f 2 ${note}`)).trim();
        await cluster.write("since");
        assert.deepEqual(await cluster.markers("kept"), tenMarkers("kept"));
    });
    after(() => cluster?.fixture.close());

    it("tells a node that joins what was done: the same word, put back, restores nothing, and etcd stays whole", async () => {
        delete cluster.args.etcdRestore;
        replace("m3", "m4");
        await succeeds();
        assert.equal(await on("m4", `cat ${note}`), `a ${snapshot}\n`);
        cluster.args.etcdRestore = { run: "a" };
        const output = await succeeds();
        assert.match(output, /nothing is restored/);
        await isWhole();
    });

    it("nor where two of three have lost the note: one that knows it is enough", async () => {
        delete cluster.args.etcdRestore;
        replace("m2", "m5");
        await succeeds();
        for (const name of ["m4", "m5"]) await on(name, `rm -f ${note}`);
        cluster.args.etcdRestore = { run: "a" };
        const output = await succeeds();
        assert.match(output, /nothing is restored/);
        await isWhole();
        for (const name of ["m4", "m5"]) assert.equal(await on(name, `cat ${note}`), `a ${snapshot}\n`);
    });

    it("gives no key to a blank machine that answers by SSH in place of a member that lives, and keeps the member", async () => {
        const { lab } = cluster.fixture;
        const { address } = lab.node("m5");
        // A Service with externalIPs would send the operator's traffic to a pod: here it goes to another machine, which has the member's host key.
        const keys = (await on("m5", "tar -C /etc/ssh -c $(cd /etc/ssh && ls ssh_host_*) | base64 -w0")).trim();
        const mac = (await on("m3", "cat /sys/class/net/eth0/address")).trim();
        await on("m3", "tar -C /etc/ssh -c -f /root/own-keys.tar $(cd /etc/ssh && ls ssh_host_*)");
        await on("m3", "sysctl -qw net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2");
        await on("m3", `ip address add ${address}/32 dev lo`);
        await on("m3", `echo ${keys} | base64 -d | tar -C /etc/ssh -x && systemctl restart ssh`);
        const device = `$(ip -o route get ${address} | sed -n 's/.* dev \\([^ ]*\\).*/\\1/p')`;
        await command(lab.enter(["sh", "-c", `ip neigh replace ${address} lladdr ${mac} nud permanent dev ${device}`]));
        try {
            assert.equal((await on("m5", "cat /sys/class/net/eth0/address")).trim(), mac);
            const began = Date.now();
            const { code, output } = await up("--refresh");
            assert.notEqual(code, 0, output);
            assert.match(
                output,
                /m5[\s\S]*FOREIGN_NODE[\s\S]*cannot prove that it is m5[\s\S]*etcd's member m5 answers/,
            );
            console.log(`      refused after ${seconds(began)} s`);
            show(output, /m5|FOREIGN/);
            const secret =
                "ls /etc/kubernetes/pki/*.key /etc/kubernetes/pki/etcd/*.key /etc/kubernetes/pulumi-nfv/kube-apiserver/encryption.yaml 2>/dev/null | wc -l";
            assert.equal((await on("m5", secret)).trim(), "0");
            await isWhole();
        } finally {
            const undo = `sleep 1; ip address del ${address}/32 dev lo; tar -C /etc/ssh -x -f /root/own-keys.tar; systemctl restart ssh`;
            await on("m5", `setsid sh -c '${undo}' > /dev/null 2>&1 < /dev/null &`);
            await command(lab.enter(["sh", "-c", `ip neigh del ${address} dev ${device}`]));
            await eventually(60, () => on("m3", "true"));
        }
        await succeeds("--refresh");
        await isWhole();
        await cluster.fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("gets what it lacks where it proves by kubelet's key that it is the member, whether it began the cluster or joined", async () => {
        for (const name of ["m1", "m5"]) await on(name, "rm /etc/kubernetes/pki/sa.pub");
        const output = await succeeds("--refresh");
        assert.match(output, /place the cluster's keys/);
        for (const name of ["m1", "m5"]) await on(name, "grep -q 'PUBLIC KEY' /etc/kubernetes/pki/sa.pub");
        await isWhole();
    });

    it("makes a member anew that was really lost, at its address", async () => {
        const { lab, project } = cluster.fixture;
        const { address } = lab.node("m5");
        await lab.removeNode("m5");
        await Lab.up({ name: "again", nodes: ["m1", "m2", "m3", "m4", "m5", "store"], image: "kubernetes", nfs: true });
        assert.equal(lab.node("m5").address, address);
        replace("m5", "m5");
        await succeeds("--refresh");
        await isWhole();
        await project.up({ refresh: true, expectNoChanges: true });
    });
});
