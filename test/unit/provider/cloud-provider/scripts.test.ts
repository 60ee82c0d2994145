import assert from "node:assert/strict";
import {
    applyPartScript,
    applySecretScript,
    observeRemoved,
    observeStorageClasses,
    removeCinderCsiScript,
    removeManagerScript,
    removeSecretScript,
    storageClassesScript,
} from "../../../../provider/cloud-provider/scripts";
import { type Answers, runWithKubectl } from "../network/fake-kubectl";
import { driver, nightly, snapshotKinds } from "./kubectl-snapshots";

/** What kubectl says of these objects: "KIND NAME NAMESPACE|MARKS". */
const there = (...lines: string[]) => ({ when: / get .*-f /, stdout: `List  |\n${lines.join("\n")}\n` });
const deleted = (calls: string[]) =>
    calls.filter(call => call.includes(" delete ")).map(call => call.replace(/^.* delete /, ""));
const applied = (calls: string[]) => calls.filter(call => ` ${call}`.includes(" apply ")).length;

describe("an object of a part on a master", () => {
    const env = { MANIFEST: "kind: DaemonSet" };
    const apply = (...lines: string[]) => runWithKubectl(applyPartScript, env, [there(...lines)]);

    const ours: [string, string][] = [
        ["with our label", "DaemonSet a kube-system|applied part "],
        ["whose fields others changed, too", "Deployment a kube-system|appliedX applied part "],
    ];
    for (const [what, line] of ours) {
        it(`is ours ${what}`, () => {
            const { code, calls, stderr } = apply(line);
            assert.deepEqual([code, applied(calls), stderr], [0, 1, ""]);
        });
    }

    const foreign: [string, string][] = [
        ["by Helm", "DaemonSet a kube-system|part "],
        ["by another program of this package, which notes itself as owner", "ClusterRole a |applied owned part "],
        [
            "by cniManifests, a workload of upstream's",
            "DaemonSet openstack-cloud-controller-manager kube-system|applied ",
        ],
        ["by cniManifests, upstream's CSIDriver", "CSIDriver cinder.csi.openstack.org |applied "],
        ["by cniManifests, an account", "ServiceAccount a kube-system|applied "],
        ["by kubectl, an account without a field: Kubernetes notes nobody", "ServiceAccount a kube-system|"],
    ];
    for (const [what, line] of foreign) {
        it(`is refused by name if others made it ${what}`, () => {
            const { code, calls, stderr } = apply("ClusterRole pulumi-nfv:x |applied part ", line);
            assert.deepEqual([code, applied(calls)], [1, 0]);
            assert.ok(stderr.endsWith(`nothing was changed:\n${line.split("|")[0]}\n`), stderr);
        });
    }
});

describe("the cloud provider's credentials on a master", () => {
    const env = { SECRETS: "/run/secrets-of-step" };

    it("are applied from the secret file, and who has read the former ones starts anew", () => {
        const { code, calls } = runWithKubectl(applySecretScript, env, [
            {
                when: /get .*daemonset\/openstack-cloud-controller-manager/,
                stdout: "DaemonSet openstack-cloud-controller-manager kube-system|applied part \n",
            },
            {
                when: /get .*daemonset\/csi-cinder-nodeplugin/,
                stdout: "DaemonSet csi-cinder-nodeplugin kube-system|applied part \n",
            },
            // upstream's, by cniManifests
            {
                when: /get .*deployment\/csi-cinder-controllerplugin/,
                stdout: "Deployment csi-cinder-controllerplugin kube-system|applied \n",
            },
        ]);
        assert.equal(code, 0);
        assert.match(
            calls.find(call => call.includes(" apply "))!,
            /apply --server-side .* -f \/run\/secrets-of-step\/manifest$/,
        );
        const restarted = calls.filter(call => call.includes("rollout restart")).map(call => call.split(" ").at(-1));
        assert.deepEqual(restarted, [
            "daemonset/openstack-cloud-controller-manager",
            "daemonset/csi-cinder-nodeplugin",
        ]);
    });

    it("are not written over a Secret of others", () => {
        const { code, calls, stderr } = runWithKubectl(applySecretScript, env, [
            there("Secret pulumi-nfv-cloud-config kube-system|applied owned "),
        ]);
        assert.deepEqual([code, applied(calls)], [1, 0]);
        assert.match(stderr, /\nSecret pulumi-nfv-cloud-config kube-system\n$/);
    });

    it("restart nothing where nothing runs yet", () => {
        const { calls } = runWithKubectl(applySecretScript, env, []);
        assert.ok(!calls.some(call => call.includes("restart")));
    });

    it("fail where it cannot be found out what runs", () => {
        const { code } = runWithKubectl(applySecretScript, env, [{ when: /get .*daemonset/, code: 1, stderr: "no" }]);
        assert.notEqual(code, 0);
    });

    const removal = { MANIFEST: "kind: Secret" };
    const secret = there("Secret pulumi-nfv-cloud-config kube-system|applied ");

    it("go when no workload mounts them", () => {
        const { code, calls } = runWithKubectl(removeSecretScript, removal, [secret]);
        assert.equal(code, 0);
        assert.deepEqual(deleted(calls), [
            "Secret pulumi-nfv-cloud-config -n kube-system --ignore-not-found --wait=false",
        ]);
    });

    it("stay while one does, and where that cannot be asked", () => {
        const workloads = /get daemonsets,deployments/;
        const atOnce = `sleep() { :; }\n${removeSecretScript}`;
        const used = runWithKubectl(atOnce, removal, [
            { when: workloads, stdout: "DaemonSet csi-cinder-nodeplugin\n" },
            secret,
        ]);
        assert.deepEqual([used.code, deleted(used.calls)], [1, []]);
        assert.match(used.stderr, /mount it:\nDaemonSet csi-cinder-nodeplugin\n$/);
        const unknown = runWithKubectl(atOnce, removal, [{ when: workloads, code: 1 }, secret]);
        assert.notEqual(unknown.code, 0);
        assert.deepEqual(deleted(unknown.calls), []);
    });
});

describe("Cinder CSI on a master", () => {
    const env = { MANIFEST: "kind: DaemonSet", SECONDS_TO_WAIT: "0" };
    const ours = ["DaemonSet csi-cinder-nodeplugin kube-system|applied part ", "CSIDriver x |applied part "];
    // NAME|DRIVER|PHASE|POLICY|CLAIM|DELETED|IN-TREE VOLUME
    const volumes = (...lines: string[]) => ({ when: /get persistentvolumes/, stdout: `${lines.join("\n")}\n` });
    const attachments = (...lines: string[]) => ({ when: /get volumeattachments/, stdout: `${lines.join("\n")}\n` });
    const remove = (...answers: Answers) =>
        runWithKubectl(removeCinderCsiScript, env, [there(...ours), ...answers, nightly]);

    const users: [string, Answers[number], string][] = [
        [
            "a claim is bound to one of its volumes: its pods could neither end nor move",
            volumes(`pvc-1|${driver}|Bound|Delete|shop/data||`, "pvc-3|nfs.csi.k8s.io|Bound|Delete|a/b||"),
            "claim shop/data (PersistentVolume pvc-1)",
        ],
        [
            "a claim is bound to a volume of the former in-tree driver, which it serves",
            volumes("old||Bound|Retain|shop/data||0a1b"),
            "claim shop/data (PersistentVolume old)",
        ],
        [
            "a released volume is to be deleted in the cloud",
            volumes(`pvc-2|${driver}|Released|Delete|shop/old||`),
            "PersistentVolume pvc-2 (Released), whose volume is to be deleted in the cloud",
        ],
        [
            "a released volume could not be deleted in the cloud yet",
            volumes(`pvc-2|${driver}|Failed|Delete|shop/old||`),
            "PersistentVolume pvc-2 (Failed), whose volume is to be deleted in the cloud",
        ],
        [
            "a volume of it is being deleted: its finalizer is the driver's",
            volumes(`pvc-2|${driver}|Released|Retain|shop/old|2026-01-01T00:00:00Z|`),
            "PersistentVolume pvc-2, which is being deleted",
        ],
        [
            "a volume of it is attached",
            attachments(`csi-1|${driver}|pvc-9|w1`, "csi-2|other.csi|pvc-8|w1"),
            "VolumeAttachment csi-1 (PersistentVolume pvc-9 on node w1)",
        ],
        [
            "it has a snapshot, which nobody else could delete in the cloud",
            snapshotKinds,
            "VolumeSnapshot shop/nightly (VolumeSnapshotContent c-1)",
        ],
    ];
    for (const [what, answer, said] of users) {
        it(`stays while ${what}`, () => {
            const { code, calls, stderr } = remove(answer);
            assert.equal(code, 1);
            assert.ok(stderr.endsWith(`switched on:\n${said}\n`), stderr);
            assert.deepEqual(deleted(calls), []);
        });
    }

    it("waits for volumes that it is about to delete", () => {
        const { code, calls, stderr } = runWithKubectl(removeCinderCsiScript, { ...env, SECONDS_TO_WAIT: "30" }, [
            there(...ours),
            { ...volumes(`pvc-2|${driver}|Released|Delete|shop/old||`), until: /get volumeattachments/ },
        ]);
        assert.deepEqual([code, stderr], [0, ""]);
        assert.equal(calls.filter(call => call.includes("get persistentvolumes")).length, 2);
        assert.equal(deleted(calls).length, 2);
    });

    it("stays where nobody can say who uses it, or whose it is", () => {
        for (const when of [/get persistentvolumes/, /get volumeattachments/, /get customres/, / get .*-f /]) {
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
            there(
                ...ours,
                "Deployment csi-cinder-controllerplugin kube-system|part ",
                "ClusterRole pulumi-nfv:csi-cinder-attacher |applied owned ",
            ),
            volumes(`pvc-2|${driver}|Released|Retain|shop/old||`, "pv-4||Bound|Retain|a/local||"),
        ]);
        assert.equal(code, 0);
        assert.deepEqual(deleted(calls), [
            "DaemonSet csi-cinder-nodeplugin -n kube-system --ignore-not-found --wait=false",
            "CSIDriver x --ignore-not-found --wait=false",
        ]);
        assert.match(stdout, /stays, for others made it: Deployment csi-cinder-controllerplugin kube-system/);
        assert.match(stdout, /stays, for others made it: ClusterRole pulumi-nfv:csi-cinder-attacher/);
    });

    it("asks nobody where others made all of it", () => {
        const { code, calls } = runWithKubectl(removeCinderCsiScript, env, [
            there("CSIDriver x |part "),
            volumes(`pvc-1|${driver}|Bound|Delete|shop/data||`),
        ]);
        assert.deepEqual([code, deleted(calls)], [0, []]);
    });

    it("is seen to be there after its removal, if it is ours", () => {
        const look = (...lines: string[]) =>
            runWithKubectl(observeRemoved.script, { MANIFEST: env.MANIFEST }, [there(...lines)]).stdout;
        assert.equal(look(...ours), "kube-system/DaemonSet csi-cinder-nodeplugin is there\nCSIDriver x is there\n");
        assert.equal(look("CSIDriver x |applied owned "), "");
        const { code } = runWithKubectl(observeRemoved.script, { MANIFEST: env.MANIFEST }, [{ when: /get/, code: 1 }]);
        assert.notEqual(code, 0);
    });
});

describe("the cloud controller manager on a master", () => {
    const env = { MANIFEST: "kind: DaemonSet", SECONDS_TO_WAIT: "0" };
    const ours = "DaemonSet openstack-cloud-controller-manager kube-system|applied part ";
    const cleanup = "service.kubernetes.io/load-balancer-cleanup";
    // NAMESPACE/NAME|DELETED|FINALIZERS
    const services = (...lines: string[]) => ({ when: /get services/, stdout: `${lines.join("\n")}\n` });

    it("stays while Services have its load balancers, which nobody else cleans up", () => {
        const { code, calls, stderr } = runWithKubectl(removeManagerScript, env, [
            there(ours),
            services(`shop/web||a.b/c ${cleanup}`, "shop/internal||", `shop/old|2026-01-01T00:00:00Z|${cleanup}`),
        ]);
        assert.equal(code, 1);
        assert.ok(stderr.endsWith("\nService shop/web\nService shop/old\n"), stderr);
        assert.deepEqual(deleted(calls), []);
    });

    it("waits for load balancers that it is about to delete", () => {
        const { code, calls } = runWithKubectl(removeManagerScript, { ...env, SECONDS_TO_WAIT: "30" }, [
            there(ours),
            { ...services(`shop/old|2026-01-01T00:00:00Z|${cleanup}`), until: /get services/ },
        ]);
        assert.equal(code, 0);
        assert.equal(deleted(calls).length, 1);
    });

    it("stays where that cannot be asked", () => {
        const { code, calls } = runWithKubectl(removeManagerScript, env, [
            there(ours),
            { when: /get services/, code: 1, stderr: "no" },
        ]);
        assert.notEqual(code, 0);
        assert.deepEqual(deleted(calls), []);
    });

    it("goes where other load balancers are: they have other finalizers", () => {
        const { code, calls } = runWithKubectl(removeManagerScript, env, [
            there(ours),
            services("shop/web||metallb.io/x", `shop/near||${cleanup}-2`),
        ]);
        assert.deepEqual([code, deleted(calls).length], [0, 1]);
    });
});

describe("the storage classes on a master", () => {
    const env = { MANIFEST: "kind: StorageClass", CLASSES: "fast slow" };
    const line = (name: string, marks = "applied class cinder ") => `StorageClass ${name} |${marks}\n`;
    const listed = (...lines: string[]) => ({ when: /get .*storageclass -l/, stdout: lines.join("") });
    const names = (calls: string[]) => deleted(calls).map(call => call.split(" ")[1]);

    it("of ours that are not wanted any more go, by whole names; others stay", () => {
        const { code, calls } = runWithKubectl(storageClassesScript, env, [
            listed(line("fast"), line("slo"), line("old")),
        ]);
        assert.equal(code, 0);
        assert.ok(calls.some(call => call.includes("-l pulumi-nfv.dev/storage-class=cinder")));
        assert.deepEqual(names(calls), ["slo", "old"]);
        assert.equal(applied(calls), 1);
    });

    const others: [string, string][] = [
        ["a copy by kubectl, which keeps the label", "class cinder "],
        ["one of another stack, by its owner", "applied owned class cinder "],
        ["one of another driver", "applied class "],
    ];
    for (const [what, marks] of others) {
        it(`that others made stay: ${what}`, () => {
            const { code, calls } = runWithKubectl(storageClassesScript, env, [listed(line("copy", marks))]);
            assert.deepEqual([code, names(calls)], [0, []]);
            const { stdout } = runWithKubectl(observeStorageClasses.script, env, [listed(line("copy", marks))]);
            assert.equal(stdout, "", "and are no difference");
        });
    }

    it("of others are refused by name, and never made again as ours", () => {
        for (const marks of ["applied owned ", "applied ", "class cinder ", "applied cinder "]) {
            const { code, calls, stderr } = runWithKubectl(storageClassesScript, env, [there(line("fast", marks))]);
            assert.deepEqual([code, deleted(calls), applied(calls)], [1, [], 0], marks);
            assert.match(stderr, /StorageClass fast \n$/);
        }
    });

    it("that are there although they are not wanted are a difference", () => {
        const { stdout } = runWithKubectl(observeStorageClasses.script, env, [listed(line("fast"), line("old"))]);
        assert.equal(stdout, "the storage class old is not wanted any more\n");
    });

    const refusals = [
        'The StorageClass "fast" is invalid: parameters: Forbidden: updates to parameters are forbidden.',
        'The StorageClass "fast" is invalid: \n* parameters: Forbidden: updates to parameters are forbidden.',
        'Error from server (Invalid): StorageClass.storage.k8s.io "fast" is invalid: volumeBindingMode: Invalid value: "x": field is immutable',
    ];
    for (const stderr of refusals) {
        it(`that cannot be changed are made anew, once, and no other one: ${stderr.slice(0, 60)}`, () => {
            const { code, calls } = runWithKubectl(storageClassesScript, env, [{ when: / apply /, code: 1, stderr }]);
            assert.notEqual(code, 0, "the second refusal is the answer");
            const verbs = calls.map(call => / (get|apply|delete) /.exec(` ${call} `)?.[1]);
            assert.deepEqual(verbs, ["get", "get", "apply", "delete", "apply"]);
            assert.deepEqual(names(calls), ["fast"]);
        });
    }

    it("stay where the change fails for any other reason", () => {
        for (const stderr of [
            "Unable to connect to the server: EOF",
            'Error from server (Forbidden): storageclasses "fast" is forbidden: quota',
            'The StorageClass "fast" is invalid: reclaimPolicy: Unsupported value: "Keep"',
            'The StorageClass "theirs" is invalid: parameters: Forbidden: updates to parameters are forbidden.',
        ]) {
            const { code, calls } = runWithKubectl(storageClassesScript, env, [{ when: / apply /, code: 1, stderr }]);
            assert.deepEqual([code, names(calls), applied(calls)], [1, [], 1], stderr);
        }
    });

    it("all go when none is wanted", () => {
        const none = { MANIFEST: "", CLASSES: "" };
        const { code, calls } = runWithKubectl(storageClassesScript, none, [listed(line("fast"))]);
        assert.equal(code, 0);
        assert.deepEqual(names(calls), ["fast"]);
        assert.equal(applied(calls), 0);
    });
});
