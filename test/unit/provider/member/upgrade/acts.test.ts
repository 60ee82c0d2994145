import assert from "node:assert/strict";
import { existsSync, mkdirSync, readlinkSync, rmSync, utimesSync } from "node:fs";
import { parse } from "yaml";
import type { NodeSpec } from "../../../../../provider/common/model";
import { timeouts } from "../../../../../provider/member/join/kubeadm-config";
import { appliedMarks } from "../../../../../provider/member/join/kubeadm-files";
import {
    endSoak,
    endUpgrade,
    moveControlPlane,
    moveKubelet,
    noteUpgrade,
    saveEtcd,
} from "../../../../../provider/member/upgrade/acts";
import { exitCodes } from "../../../../../provider/shell/exit-codes";
import { from, movingNode, programs, state, to } from "./moving-node";

describe("what moves a node to another version", () => {
    const { spec: currentSpec, path, write, read, manifest, run, node } = movingNode();
    let spec: NodeSpec;
    beforeEach(() => {
        spec = currentSpec();
    });

    it("notes where it comes from once, and where it goes to", () => {
        assert.equal(read(`${state}/upgrade/move`), `${from} ${to}\n`);
        write("proc/7/exe", `#!/bin/sh\necho "Kubernetes v${to}"\n`, 0o755);
        run(noteUpgrade(spec));
        assert.equal(read(`${state}/upgrade/move`), `${from} ${to}\n`, "a later attempt knows it still");
        run(noteUpgrade({ ...spec, kubernetesVersion: from }));
        assert.equal(read(`${state}/upgrade/move`), `${to} ${from}\n`);
    });

    it("ends what was noted of the former version, also where a stopped move goes on: no refresh takes it for what is to be there", () => {
        const notes = ["node", "left", "kubeadm-flags.env"].map(name => `${state}/observations/${name}`);
        for (const each of [...notes, `${state}/observations/host`]) write(each, "former\n");
        run(noteUpgrade(spec));
        assert.deepEqual(
            notes.filter(each => existsSync(path(each))),
            [],
        );
        assert.ok(existsSync(path(`${state}/observations/host`)));
    });

    it("is forgotten at its end, and what is to be watched then is noted until it was", () => {
        run(endUpgrade(spec, true));
        assert.ok(!existsSync(path(`${state}/upgrade`)));
        assert.equal(read(`${state}/soaks`), `${to}\n`);
        run(endSoak);
        assert.ok(!existsSync(path(`${state}/soaks`)));
        write(`${state}/soaks`, `${from}\n`);
        run(endUpgrade(spec));
        assert.ok(!existsSync(path(`${state}/soaks`)), "that of a former upgrade");
    });

    describe("etcd's data", () => {
        const saved = `${state}/etcd-before-upgrade/before-${to}.db`;
        /** etcd, in its pod, saves what the database has. */
        const save = () => run({ ...saveEtcd(spec), run: `${inPod}\n${saveEtcd(spec).run}` });
        const inPod = `timeout() { shift; "$@"; }
        kubectl() {
            case "$*" in *" snapshot save "*) cp /var/lib/etcd/member/snap/db /var/lib/etcd/pulumi-nfv-before-upgrade.db ;; esac
        }`;

        it("is saved once for a move, whatever the machine's clock says", () => {
            write("var/lib/etcd/member/snap/db", "before\n");
            write(saved, "of another attempt, by a clock that was ahead\n");
            utimesSync(path(saved), new Date("2099-01-01"), new Date("2099-01-01"));
            const ran = save();
            assert.equal(ran.code, 0, ran.stderr);
            assert.equal(read(saved), "before\n");
            utimesSync(path(saved), new Date("2001-01-01"), new Date("2001-01-01"));
            write("var/lib/etcd/member/snap/db", "after\n");
            assert.equal(save().code, 0);
            assert.equal(read(saved), "before\n", "a later attempt of the same move");
            run(noteUpgrade({ ...spec, kubernetesVersion: from }));
            run(noteUpgrade(spec));
            assert.equal(save().code, 0);
            assert.equal(read(saved), "after\n", "another move");
        });
    });

    describe("kubelet", () => {
        it("is linked, restarted once, and proven by its node object", () => {
            const ran = run(moveKubelet(spec), [node(to)]);
            assert.equal(ran.code, 0, ran.stderr);
            assert.equal(readlinkSync(path("usr/local/bin/kubelet")), path(`${programs}/${to}/kubelet`));
            assert.equal(read("restarts"), "x\n");
            assert.ok(!existsSync(path(`${state}/applied/kubelet-former`)));
            assert.equal(run(moveKubelet(spec), [node(to)]).code, 0);
            assert.equal(read("restarts"), "x\n", "a second time changes nothing");
        });

        it("that does not serve has its former version and settings again", () => {
            const ran = run(moveKubelet(spec), [node(from)]);
            assert.equal(ran.code, 1);
            assert.match(
                ran.stderr,
                /does not serve with v1\.34\.4[\s\S]*it said this[\s\S]*kubelet v1\.34\.3 is back/,
            );
            assert.equal(readlinkSync(path("usr/local/bin/kubelet")), path(`${programs}/${from}/kubelet`));
            assert.match(read("proc/7/exe"), /1\.34\.3/);
        });

        it("that does not even start has its former version again, too", () => {
            write("starts-not", "");
            const ran = run(moveKubelet(spec), [node(from)]);
            assert.match(ran.stderr, /kubelet v1\.34\.3 is back/);
            assert.match(read("proc/7/exe"), /1\.34\.3/);
        });

        it("has its settings from kubeadm first on a worker; on a control-plane node it has them already", () => {
            // as the move of the control plane leaves it
            write(`${state}/applied/kubelet-former/config`, "former\n");
            write(`${state}/applied/kubelet-former/flags`, "former\n");
            run(moveKubelet(spec), [node(to)]);
            assert.equal(read("kubeadm"), "");
            assert.ok(!existsSync(path(`${state}/applied/kubelet-former`)));
            run(moveKubelet({ ...spec, role: "worker" }), [node(to)]);
            assert.match(read("kubeadm"), /^upgrade node --patches /);
        });

        it("that failed on a control-plane node has its settings from kubeadm again: the former ones are of a kubelet with other flags", () => {
            write(`${state}/applied/kubelet-former/config`, "former\n");
            write(`${state}/applied/kubelet-former/flags`, "former, with a flag that is gone\n");
            write("var/lib/kubelet/kubeadm-flags.env", "of the new version\n");
            assert.equal(run(moveKubelet(spec), [node(from)]).code, 1);
            assert.match(read("var/lib/kubelet/kubeadm-flags.env"), /a flag that is gone/);
            assert.equal(read("kubeadm"), "");
            assert.equal(run(moveKubelet(spec), [node(to)]).code, 0);
            assert.match(read("kubeadm"), /^upgrade node --skip-phases=control-plane --patches /);
        });

        it("passes kubeadm's check of cgroups where the program allows those of version 1", () => {
            const worker: NodeSpec = { ...spec, role: "worker" };
            run(moveKubelet(worker), [node(to)]);
            assert.match(read("kubeadm"), /--ignore-preflight-errors=$/m);
            const env = moveKubelet({
                ...worker,
                kubernetesVersion: "1.35.4",
                clusterKubelet: { failCgroupV1: false },
            }).env;
            run({ ...moveKubelet(worker), env: { ...moveKubelet(worker).env, IGNORED: env!["IGNORED"]! } }, [node(to)]);
            assert.match(read("kubeadm"), /--ignore-preflight-errors=SystemVerification$/m);
        });

        it("stays where the staged program is missing", () => {
            rmSync(path(`${programs}/${to}`), { recursive: true });
            const ran = run(moveKubelet(spec), [node(to)]);
            assert.equal(ran.code, exitCodes.VERSION_MISMATCH);
            assert.match(ran.stderr, /v1\.34\.4 is wanted[\s\S]*nothing was changed/);
            assert.equal(read("restarts"), "");
        });
    });

    describe("the control plane", () => {
        const cluster = (version: string) => ({
            when: /configmap kubeadm-config/,
            stdout: `kubernetesVersion: v${version}\n`,
        });
        const runs = (version: string) => ({ when: /get pod kube-/, stdout: `it:v${version} True` });
        const pods = { when: /get pods/, stdout: "pod/etcd-m1\n" };
        const move = () => moveControlPlane(spec, [from]);
        const previous = `${state}/applied/former-manifests`;

        it("applies the version where the cluster does not have it, and follows it where it has", () => {
            assert.equal(run(move(), [cluster(from), runs(to), pods]).code, 0);
            assert.match(read("kubeadm"), /^upgrade apply v1\.34\.4 --yes --config /);
            const settings = parse(read(`${state}/upgrade/kubeadm.yaml`));
            assert.deepEqual(settings.apply, {
                certificateRenewal: true,
                patches: { directory: path("etc/kubernetes/pulumi-nfv/patches") },
            });
            assert.deepEqual(settings.timeouts, timeouts(spec));
            rmSync(path(`${state}/upgrade/control-plane`));
            rmSync(path(`${state}/upgrade/applies`));
            write("kubeadm", "");
            assert.equal(run(move(), [cluster(to), runs(to), pods]).code, 0);
            assert.match(read("kubeadm"), /^upgrade node --config /);
            assert.equal(parse(read(`${state}/upgrade/kubeadm.yaml`)).node.certificateRenewal, true);
        });

        it("renews no certificate that has a bridge: where the authorities are being rotated, other members of etcd would not take it", () => {
            write("etc/kubernetes/pki/etcd/peer.crt", "-----BEGIN CERTIFICATE-----\n".repeat(2));
            for (const [at, how] of [
                [from, "apply"],
                [to, "node"],
            ] as const) {
                rmSync(path(`${state}/upgrade`), { recursive: true, force: true });
                mkdirSync(path(`${state}/upgrade`), { recursive: true });
                write("kubeadm", "");
                assert.equal(run(move(), [cluster(at), runs(to), pods]).code, 0);
                assert.equal(parse(read(`${state}/upgrade/kubeadm.yaml`))[how].certificateRenewal, false);
            }
        });

        it("counts the settings as applied if they are the same, and is not moved twice", () => {
            run(move(), [cluster(from), runs(to), pods]);
            assert.equal(read(`${state}/applied/cluster`).trim(), appliedMarks(spec).cluster);
            write("kubeadm", "");
            const again = run(move(), [cluster(to), runs(to), pods]);
            assert.equal(again.code, 0, again.stderr);
            assert.equal(read("kubeadm"), "");
        });

        it("keeps CoreDNS's replicas apart: kubeadm makes CoreDNS as for a new cluster", () => {
            const ours = '{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{}]}}';
            const before = { when: /get deployment coredns/, until: /get pod kube-/, stdout: ours };
            const after = { when: /get deployment coredns/, stdout: '{"podAntiAffinity":{}}' };
            const ran = run(move(), [before, after, cluster(from), runs(to), pods]);
            assert.equal(ran.code, 0, ran.stderr);
            const patches = ran.calls.filter(call => /patch deployment coredns/.test(call));
            assert.equal(patches.length, 1);
            assert.ok(patches[0]!.includes(`{"spec":{"template":{"spec":{"affinity":${ours}}}}}`), patches[0]);
            const again = run(move(), [after, cluster(to), runs(to), pods]);
            assert.match(
                again.calls.join("\n"),
                /patch deployment coredns/,
                "also where a run was killed between both",
            );
            const same = run(move(), [{ ...before, until: /never/ }, cluster(to), runs(to), pods]);
            assert.doesNotMatch(same.calls.join("\n"), /patch deployment coredns/);
        });

        it("leaves other settings to their step", () => {
            write(`${state}/applied/cluster`, "other\n");
            run(move(), [cluster(from), runs(to), pods]);
            assert.equal(read(`${state}/applied/cluster`), "other\n");
        });

        it("is not touched where a member of etcd is sick", () => {
            const ran = run(move(), [{ when: /endpoint health --cluster/, code: 1 }, cluster(from), pods]);
            assert.equal(ran.code, exitCodes.QUORUM_AT_RISK);
            assert.match(ran.stderr, /nothing was changed/);
            assert.equal(read("kubeadm"), "");
        });

        it("says that kubeadm failed, and keeps no former files that a later change would take for its own", () => {
            write("breaks", "");
            const ran = run(move(), [cluster(from), runs(from), pods]);
            assert.equal(ran.code, 1);
            assert.match(ran.stderr, /kubeadm ended with 1/);
            assert.ok(!existsSync(path(previous)));
            assert.ok(!existsSync(path(`${state}/applied/kubelet-former`)));
        });

        describe("whose etcd was moved by an attempt that was killed", () => {
            const etcd = "etc/kubernetes/manifests/etcd.yaml";
            const kept = `${previous}/etcd.yaml`;
            const image = (version: string) => `spec:\n    image: registry.example:5000/etcd:${version}-0\n`;
            // neither etcd nor the API server answers
            const nothing = [
                { when: /get --raw/, code: 1 },
                { when: /endpoint health/, code: 1 },
            ];
            beforeEach(() => write("api-down", ""));

            it("keeps its new manifest where that is another minor: the older one would refuse this data for ever", () => {
                write(kept, image("3.6.8"));
                write(etcd, image("3.7.0"));
                write(`${previous}/kube-apiserver.yaml`, manifest("1.34.1"));
                const ran = run(move(), nothing);
                assert.equal(ran.code, 1);
                assert.match(
                    ran.stdout + ran.stderr,
                    /manifest of 3\.6 stays in .*: 3\.7 has written the data.*: run pulumi up again/,
                );
                assert.equal(read(etcd), image("3.7.0"));
                assert.equal(read(kept), image("3.6.8"));
                assert.equal(read("etc/kubernetes/manifests/kube-apiserver.yaml"), manifest("1.34.1"));
            });

            it("keeps it also where kubeadm itself failed", () => {
                rmSync(path("api-down"));
                write(etcd, image("3.6.8"));
                const changes = `echo "${image("3.7.0")}" > ${path(etcd)}; : > ${path("api-down")}; exit 1`;
                write(`${programs}/${to}/kubeadm`, `#!/bin/sh\n${changes}\n`, 0o755);
                const healthy = { when: /endpoint health/, until: /configmap kubeadm-config/ };
                const ran = run(move(), [healthy, ...nothing, cluster(from), pods]);
                assert.match(ran.stderr, /kubeadm ended with 1/);
                assert.match(read(etcd), /3\.7\.0/);
                assert.equal(read(kept), image("3.6.8"));
                assert.ok(!existsSync(path(`${previous}/kube-apiserver.yaml`)));
            });

            it("gets the previous one back where the minor is the same", () => {
                write(kept, image("3.6.8"));
                write(etcd, image("3.6.9"));
                run(move(), nothing);
                assert.equal(read(etcd), image("3.6.8"));
            });
        });

        it("waits for the API server as long as the program allows a start", () => {
            write("api-down", "");
            const waited = (startTimeoutSeconds?: number) => {
                write("slept", "");
                const slow = { ...spec, ...(startTimeoutSeconds && { startTimeoutSeconds }) };
                assert.equal(run(moveControlPlane(slow, [from]), [{ when: /get --raw/, code: 1 }]).code, 1);
                return read("slept").length / 2;
            };
            assert.deepEqual([waited(), waited(900)], [24, 90]);
        });

        it("gets back a manifest that kubeadm had moved away when it was killed, before anything else", () => {
            write(`${previous}/kube-scheduler.yaml`, manifest(from));
            rmSync(path("etc/kubernetes/manifests/kube-scheduler.yaml"));
            const ran = run(move(), [cluster(from), runs(to), pods]);
            assert.equal(ran.code, 0, ran.stderr);
            assert.equal(read("etc/kubernetes/manifests/kube-scheduler.yaml"), manifest(to));
        });
    });
});
