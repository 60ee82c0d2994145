import assert from "node:assert/strict";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { SnapshotMachine } from "../../etcd/snapshot-machine";

/** Real scripts in a real shell. etcd's and kubelet's processes are none here: the stories on lab nodes have them. */
describe("the scripts of a restore of etcd", () => {
    let machine: SnapshotMachine;
    const env = {
        ...{ WORD: "one", SNAPSHOT: "00000010", NAME: "m1", PEER: "https://m1:2380", ADDRESS: "10.0.0.1" },
        ...{ IDENTITY: "-", VERSION: "1.34.9" },
        ...{ MEMBERS: "m1=https://m1:2380,m2=https://m2:2380", TOKEN: "restore-one", BUMP: "1000000000" },
        UPLOADS: "",
    };
    const run = (name: string, changes = {}) =>
        machine.runScript(`procedures/etcd-restore/${name}.sh`, { ...env, ...changes });
    const succeeds = ({ code, stderr }: { code: number | null; stderr: string }) => assert.equal(code, 0, stderr);
    const refused = ({ code, stderr }: { code: number | null; stderr: string }, pattern: RegExp) => {
        assert.equal(code, exitCodes.RESTORE_FAILED, stderr);
        assert.match(stderr, pattern);
    };
    const data = () => machine.read("etcd/member/snap/db");

    beforeEach(() => {
        machine = new SnapshotMachine();
        succeeds(machine.start(machine.specOf()));
        for (const name of ["kube-controller-manager", "kube-scheduler"])
            machine.write(`kubernetes/manifests/${name}.yaml`, `${name}\n`);
        machine.write("etcdutl", restoring);
        machine.restores();
    });
    afterEach(() => machine.remove());

    /** What is restored is the text "restored". */
    const restoring = `#!/bin/sh
case $2 in status) echo '{"hash":1,"revision":4711,"totalKey":12,"totalSize":1024}'; exit 0 ;; esac
while [ $# -gt 0 ]; do case $1 in --data-dir) folder=$2 ;; esac; shift; done
mkdir -p "$folder/member/snap"; echo restored > "$folder/member/snap/db"
`;

    it("choose the latest one, or the one that is named, of the same keys only", () => {
        const chosen = (SNAPSHOT: string) => run("choose-snapshot", { SNAPSHOT });
        assert.match(chosen("latest").stdout, /^00000010 4711 \d{4}-\S+Z\n$/);
        assert.match(chosen("00000010").stdout, /^00000010 4711/);
        refused(chosen("ffffffff"), /there is no snapshot ffffffff of core-12345678\. There are: 00000010 of/);
        machine.write("kubernetes/pki/ca.crt", "another\n");
        refused(
            chosen("latest"),
            /belongs to other keys \([0-9a-f]{16}\) than this cluster has \([0-9a-f]{16}\)[\s\S]*before a rotation of the encryption key[\s\S]*nothing was changed/,
        );
        assert.ok(!machine.commands.includes("unlock") || machine.commands.at(-1) === "snapshots");
    });

    it("say why, where the repository cannot be read", () => {
        machine.write("settings/etcd/password", "other\n");
        refused(
            run("choose-snapshot", { SNAPSHOT: "latest" }),
            /its repository cannot be read: wrong password[\s\S]*nothing was changed/,
        );
    });

    it("prepare beside what runs: a snapshot that is damaged, or of other keys, leaves the machine as it was", () => {
        const before = machine.list("etcd");
        machine.write("damage", "");
        refused(run("prepare-restore"), /is damaged: its content has another checksum[\s\S]*nothing was changed/);
        machine.drop("damage");
        machine.write("kubernetes/pki/sa.pub", "another\n");
        refused(run("prepare-restore"), /belongs to other keys than this machine has; nothing was changed/);
        machine.write("kubernetes/pki/sa.pub", "sa.pub\n");
        machine.write("fail-restore", "echo 'Fatal: no route to host' >&2; exit 1");
        refused(run("prepare-restore"), /no route to host ; nothing was changed/);
        assert.deepEqual(machine.list("etcd"), before);
        assert.equal(data(), "data");
    });

    it("take a snapshot of an older etcd, and refuse that of a newer minor, which etcd would not start with", () => {
        const before = machine.list("etcd");
        machine.write("etcd-program", "#!/bin/sh\necho 'etcd Version: 3.5.35'\n");
        refused(run("prepare-restore"), /made by etcd 3\.6\.6, and this machine's etcd 3\.5\.35 .*nothing was changed/);
        assert.deepEqual(machine.list("etcd"), before);
        for (const version of ["3.6.2", "3.10.0"]) {
            machine.write("etcd-program", `#!/bin/sh\necho 'etcd Version: ${version}'\n`);
            succeeds(run("prepare-restore", { WORD: version }));
        }
    });

    it("take a snapshot of the same minor of Kubernetes or the one before, and refuse any other", () => {
        const before = machine.list("etcd");
        const apiServer = (version: string) =>
            machine.write(
                "kubernetes/manifests/kube-apiserver.yaml",
                `    image: registry/kube-apiserver:v${version}\n`,
            );
        for (const version of ["1.33.9", "1.36.0"]) {
            apiServer(version);
            refused(
                run("prepare-restore"),
                /is of Kubernetes 1\.34\.4, and this machine's API server of 1\.3[36]\.\d.*nothing was changed/,
            );
        }
        assert.deepEqual(machine.list("etcd"), before);
        for (const [version, BUMP] of [
            ["1.34.1", "1"],
            ["1.35.2", "2"],
        ] as const) {
            apiServer(version);
            succeeds(run("prepare-restore", { BUMP }));
        }
    });

    describe("of a snapshot from before an upgrade", () => {
        const start = (at: string, settings = "1.34.4", changes = {}) => {
            machine.write("kubernetes/pulumi-nfv/cluster.yaml", `kind: C\nkubernetesVersion: v${settings}\n`);
            machine.program(
                "kubectl",
                `case $* in *'patch deployment'*) echo "$*" >> ${machine.at("patches")} ;; *clusterrolebinding*) echo "a binding: $*" ;; *'apply -f -') cat >> ${machine.at("bindings")} ;; *'deployment coredns'*) [ -e ${machine.at("no-coredns")} ] || echo 'coredns {"podAntiAffinity":{}}' ;; *) echo 'kubernetesVersion: v${at}' ;; esac`,
            );
            machine.program(
                "kubeadm",
                `echo "$*" >> ${machine.at("kubeadm-calls")}; [ ! -e ${machine.at("no-api")} ] || exit 1; case $* in *coredns*) [ ! -e ${machine.at("no-addon")} ] ;; esac`,
            );
            return run("start-restored", { UPLOADS: "yes", ...changes });
        };
        const told = () => machine.read("kubeadm-calls").split("\n").filter(Boolean);
        beforeEach(() => {
            for (const name of ["prepare-restore", "stop-for-restore", "exchange-data"]) succeeds(run(name));
            machine.write("status", '{"health":"true"}\n');
        });

        it("tell the cluster the version that it runs: nodes join by it, and the next upgrade begins with it", () => {
            machine.write("no-api", "");
            assert.notEqual(start("1.33.9").code, 0);
            assert.equal(machine.read("restored"), "", "the next run goes on");
            machine.drop("no-api");
            machine.drop("kubeadm-calls");
            succeeds(start("1.33.9"));
            assert.match(machine.read("patches"), /"affinity":\{"podAntiAffinity":\{\}\}/);
            assert.match(
                machine.read("bindings"),
                /create clusterrolebinding kubeadm:apiserver-kubelet-client .*-api-admin/,
            );
            const file = machine.at("kubernetes/pulumi-nfv/cluster.yaml");
            const phase = (name: string) => `init phase upload-config ${name} --config ${file}`;
            assert.deepEqual(told(), [phase("kubelet"), `init phase addon coredns --config ${file}`, phase("kubeadm")]);
            assert.equal(machine.read("restored"), "one 00000010\n");
        });

        it("bring CoreDNS to that version, if the cluster has one; the restore does not depend on it", () => {
            machine.write("no-addon", "");
            const { code, stdout } = start("1.33.9");
            assert.equal(code, 0);
            assert.match(stdout, /^CoreDNS stays as the snapshot has it, until the next upgrade$/m);
            assert.match(told().at(-1)!, /upload-config kubeadm/);
        });

        it("bring no CoreDNS where another DNS has its place", () => {
            machine.write("no-coredns", "");
            succeeds(start("1.33.9"));
            assert.doesNotMatch(told().join(), /coredns/);
        });

        it("tell nothing where the cluster has that version", () => {
            succeeds(start("1.34.4"));
            assert.deepEqual(told(), []);
        });

        it("tell nothing on the other nodes", () => {
            succeeds(start("1.33.9", "1.34.4", { UPLOADS: "" }));
            assert.deepEqual(told(), []);
        });

        it("tell nothing where the machine's settings are not of the version that it runs yet: its upgrade does", () => {
            succeeds(start("1.33.9", "1.33.9"));
            assert.deepEqual(told(), []);
        });
    });

    it("stop, exchange and begin again, each also a second time; the previous data is kept", () => {
        for (const name of ["prepare-restore", "prepare-restore"]) succeeds(run(name));
        assert.equal(data(), "data");
        for (const name of ["stop-for-restore", "stop-for-restore"]) succeeds(run(name));
        assert.deepEqual(machine.list("kubernetes/manifests"), []);
        assert.deepEqual(machine.list("aside/manifests").length, 4);
        for (const name of ["exchange-data", "exchange-data"]) succeeds(run(name));
        assert.equal(data(), "restored\n");
        const [kept] = machine.list("etcd").filter(name => name.startsWith("before-restore-"));
        assert.equal(machine.read(`etcd/${kept}/member/snap/db`), "data");
        machine.write("status", '{"health":"true"}\n');
        for (const name of ["start-restored", "start-restored"]) succeeds(run(name));
        assert.equal(machine.list("kubernetes/manifests").length, 4);
        assert.equal(machine.read("restored"), "one 00000010\n");
        assert.deepEqual(
            machine.list("etcd").filter(name => !name.startsWith("before-restore-")),
            ["member"],
        );
        for (const name of ["prepare-restore", "stop-for-restore", "exchange-data"]) succeeds(run(name));
        assert.equal(machine.list("kubernetes/manifests").length, 4, "what is done is not done again");
    });

    it("know all that were done, not the last one alone: a program that is taken back restores nothing", () => {
        for (const [WORD, SNAPSHOT] of [["one"], ["two", "00000011"], ["one"]] as const)
            succeeds(run("note-restored", { WORD, ...(SNAPSHOT && { SNAPSHOT }) }));
        assert.equal(machine.read("restored"), "one 00000010\ntwo 00000011\n");
        assert.match(run("print-restore-state").stdout, /^done=one 00000010\ndone=two 00000011$/m);
        for (const WORD of ["one", "two"])
            for (const name of ["prepare-restore", "stop-for-restore", "exchange-data"])
                succeeds(run(name, { WORD, SNAPSHOT: WORD === "one" ? "00000010" : "00000011" }));
        assert.equal(machine.list("kubernetes/manifests").length, 4);
        assert.equal(data(), "data");
    });

    it("prepare again what was made for other members, or another revision; not where etcd is stopped", () => {
        succeeds(run("prepare-restore"));
        const made = () => machine.read("etcd/pulumi-nfv-restore/plan");
        const later = { MEMBERS: "m1=https://m1:2380,m4=https://m4:2380", BUMP: "2000000000" };
        succeeds(run("prepare-restore", later));
        assert.equal(made(), `${later.MEMBERS} ${later.BUMP}\n`);
        succeeds(run("stop-for-restore"));
        succeeds(run("prepare-restore"));
        assert.equal(made(), `${later.MEMBERS} ${later.BUMP}\n`);
        assert.deepEqual(machine.list("kubernetes/manifests"), []);
    });

    it("say how far the machine is, and what its data was made with", () => {
        const stage = () => /^stage=(.*)$/m.exec(run("print-restore-state").stdout)?.[1];
        const seen = [stage()];
        for (const name of ["prepare-restore", "stop-for-restore", "exchange-data"]) {
            succeeds(run(name));
            seen.push(stage());
        }
        assert.deepEqual(seen, ["", "prepared", "stopped", "exchanged"]);
        assert.match(run("print-restore-state").stdout, /^plan=m1=https:\/\/m1:2380,m2=https:\/\/m2:2380 1000000000$/m);
    });

    it("note on a node that joined since that it was done; never where it is on the way", () => {
        succeeds(run("prepare-restore"));
        succeeds(run("note-restored"));
        assert.equal(machine.read("restored"), "one 00000010\n");
        assert.ok(!machine.has("etcd/pulumi-nfv-restore"));
        for (const name of ["prepare-restore", "stop-for-restore"]) succeeds(run(name, { WORD: "two" }));
        refused(run("note-restored", { WORD: "two" }), /was begun on this machine and has not ended/);
    });

    it("note which objects there are before, and say which ones there are afterwards besides", () => {
        const kubectl = (lines: string[], code = 0) =>
            machine.program(
                "kubectl",
                `case $3 in clusters.*) echo 'Cluster site/edge' ;; *) printf '${lines.join("\\n")}\\n'; exit ${code} ;; esac`,
            );
        const kept = ["Secret kube-system/b", "Namespace /nfv", "Secret kube-system/bootstrap-token-abcdef"];
        kubectl(kept);
        succeeds(run("note-objects"));
        kubectl([...kept, "Secret kube-system/a", "CustomResourceDefinition /clusters.cluster.x-k8s.io"]);
        const back = () => run("print-came-back").stdout.trim().split("\n");
        assert.deepEqual(back(), [
            "Cluster site/edge",
            "CustomResourceDefinition /clusters.cluster.x-k8s.io",
            "Secret kube-system/a",
        ]);
        assert.equal(run("print-came-back", { WORD: "two" }).stdout, "unknown\n");
        kubectl([], 1);
        succeeds(run("note-objects"));
        assert.deepEqual(back(), ["unknown"]);
    });

    it("end an exchange that was killed between its renames", () => {
        for (const name of ["prepare-restore", "stop-for-restore"]) succeeds(run(name));
        machine.move("etcd/member", "etcd/before-restore-x/member");
        succeeds(run("exchange-data"));
        assert.equal(data(), "restored\n");
        machine.drop("etcd/pulumi-nfv-restore/exchanged");
        succeeds(run("exchange-data"));
        assert.equal(data(), "restored\n");
        assert.equal(machine.read("etcd/before-restore-x/member/snap/db"), "data");
    });

    it("exchange nothing while etcd is not stopped, and begin no empty cluster", () => {
        succeeds(run("prepare-restore"));
        refused(run("exchange-data"), /etcd is not stopped/);
        succeeds(run("stop-for-restore"));
        machine.write("etcd/pulumi-nfv-restore/data/member/snap/db", "");
        refused(run("exchange-data"), /there is no data of etcd .* would begin an empty cluster/);
    });

    it("do not end the restore of another word", () => {
        for (const name of ["prepare-restore", "stop-for-restore"]) succeeds(run(name));
        refused(run("prepare-restore", { WORD: "two" }), /another restore \(one 00000010\) was begun on this machine/);
        refused(run("exchange-data", { WORD: "two" }), /not ready for it/);
        assert.equal(data(), "data");
    });
});
