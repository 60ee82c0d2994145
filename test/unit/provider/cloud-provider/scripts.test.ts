import assert from "node:assert/strict";
import {
    applySecretScript,
    removeCinderCsiScript,
    storageClassesScript,
} from "../../../../provider/cloud-provider/scripts";
import { runWithKubectl } from "../network/fake-kubectl";

describe("the cloud provider's credentials on a master", function () {
    this.timeout(30_000);
    const env = { SECRETS: "/run/secrets-of-step" };

    it("are applied from the secret file, and who has read the former ones starts anew", () => {
        const { code, calls } = runWithKubectl(applySecretScript, env, [
            { when: /get daemonset\/openstack-cloud-controller-manager/, stdout: "pulumi-nfv kube-controller-manager" },
            { when: /get daemonset\/csi-cinder-nodeplugin/, stdout: "kubectl pulumi-nfv" },
            // somebody else's
            { when: /get deployment\/csi-cinder-controllerplugin/, stdout: "helm" },
        ]);
        assert.equal(code, 0);
        assert.match(calls[0]!, /apply --server-side .* -f \/run\/secrets-of-step\/manifest$/);
        const restarted = calls.filter(call => call.includes("rollout restart")).map(call => call.split(" ").at(-1));
        assert.deepEqual(restarted, [
            "daemonset/openstack-cloud-controller-manager",
            "daemonset/csi-cinder-nodeplugin",
        ]);
    });

    it("restart nothing where nothing runs yet", () => {
        const { calls } = runWithKubectl(applySecretScript, env, []);
        assert.ok(!calls.some(call => call.includes("restart")));
    });

    it("fail where it cannot be found out what runs", () => {
        const { code } = runWithKubectl(applySecretScript, env, [{ when: /get daemonset/, code: 1, stderr: "no" }]);
        assert.notEqual(code, 0);
    });
});

describe("Cinder CSI on a master", function () {
    this.timeout(30_000);
    const env = { MANIFEST: "kind: DaemonSet" };
    const driver = "cinder.csi.openstack.org";
    const there = (...lines: string[]) => ({ when: / get .*-f /, stdout: `List  |\n${lines.join("\n")}\n` });
    const ours = [
        "DaemonSet csi-cinder-nodeplugin kube-system|pulumi-nfv kube-controller-manager ",
        "CSIDriver x |pulumi-nfv ",
    ];
    const volumes = (...lines: string[]) => ({ when: /get persistentvolumes/, stdout: `${lines.join("\n")}\n` });
    const deleted = (calls: string[]) => calls.filter(call => call.includes(" delete "));

    it("stays while a claim is bound to one of its volumes: its pods could neither end nor move", () => {
        const { code, calls, stderr } = runWithKubectl(removeCinderCsiScript, env, [
            there(...ours),
            volumes(
                `${driver} Bound shop/data pvc-1`,
                `${driver} Released shop/old pvc-2`,
                "nfs.csi.k8s.io Bound a/b pvc-3",
            ),
        ]);
        assert.equal(code, 1);
        assert.match(stderr, /claim shop\/data \(PersistentVolume pvc-1\)\n$/);
        assert.deepEqual(deleted(calls), []);
    });

    it("stays where nobody can say who uses it, or whose it is", () => {
        for (const when of [/get persistentvolumes/, / get .*-f /]) {
            const { code, calls } = runWithKubectl(removeCinderCsiScript, env, [
                { when, code: 1, stderr: "no" },
                there(...ours),
            ]);
            assert.notEqual(code, 0);
            assert.deepEqual(deleted(calls), []);
        }
    });

    it("goes where none is, but for what others made", () => {
        const { code, calls, stdout } = runWithKubectl(removeCinderCsiScript, env, [
            there(...ours, "Deployment csi-cinder-controllerplugin kube-system|helm "),
            volumes(`${driver} Released shop/old pvc-2`, " Bound a/local pv-4"),
        ]);
        assert.equal(code, 0);
        assert.deepEqual(
            deleted(calls).map(call => call.replace(/^.* delete /, "")),
            [
                "DaemonSet csi-cinder-nodeplugin -n kube-system --ignore-not-found --wait=false",
                "CSIDriver x --ignore-not-found --wait=false",
            ],
        );
        assert.match(stdout, /stays, for others made it: Deployment csi-cinder-controllerplugin kube-system/);
    });
});

describe("the storage classes on a master", function () {
    this.timeout(30_000);
    const env = { MANIFEST: "kind: StorageClass", CLASSES: "fast slow" };
    const listed = (names: string[]) => ({ when: /get storageclass/, stdout: names.map(name => `${name}\n`).join("") });

    it("of ours that are not wanted any more go, by whole names; others stay", () => {
        const { code, calls } = runWithKubectl(storageClassesScript, env, [listed(["fast", "slo", "old"])]);
        assert.equal(code, 0);
        assert.match(calls[1]!, /-l pulumi-nfv\.dev\/storage-class=cinder/);
        const deleted = calls.filter(call => call.includes("delete")).map(call => call.split(" ")[3]);
        assert.deepEqual(deleted, ["slo", "old"]);
        assert.ok(calls.some(call => call.includes("apply --server-side")));
    });

    it("that cannot be changed are made anew, once", () => {
        const { code, calls } = runWithKubectl(storageClassesScript, env, [
            { when: / apply /, code: 1, stderr: "Forbidden: updates to parameters are forbidden" },
        ]);
        assert.notEqual(code, 0, "the second refusal is the answer");
        const verbs = calls.map(call => / (get|apply|delete) /.exec(` ${call} `)?.[1]);
        assert.deepEqual(verbs, ["get", "get", "apply", "delete", "apply"]);
    });

    it("all go when none is wanted", () => {
        const none = { MANIFEST: "", CLASSES: "" };
        const { code, calls } = runWithKubectl(storageClassesScript, none, [listed(["fast"])]);
        assert.equal(code, 0);
        assert.deepEqual(calls.filter(call => !call.includes("get")).length, 1);
        assert.match(calls[1]!, /delete storageclass fast/);
    });
});
