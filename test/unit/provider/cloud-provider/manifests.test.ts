import assert from "node:assert/strict";
import { parseAllDocuments } from "yaml";
import { cinderCsi } from "../../../../provider/cloud-provider/cinder-csi";
import { snapshotterRights } from "../../../../provider/cloud-provider/cinder-csi-rights";
import { cloudControllerManager } from "../../../../provider/cloud-provider/cloud-controller-manager";
import { cloudVersion, images } from "../../../../provider/cloud-provider/images";
import { secretName } from "../../../../provider/cloud-provider/objects";
import { storageClasses } from "../../../../provider/cloud-provider/storage-classes";
import { namespace } from "../../../../provider/common/add-on-objects";
import { toYaml } from "../../../../provider/common/to-yaml";
import { kubernetesReleases } from "../../../../provider/kubernetes/releases";
import type { KubeObject } from "../../../../provider/vim/api";

interface Container {
    name: string;
    image: string;
    args: string[];
    volumeMounts: { name: string; mountPath: string }[];
}
interface Toleration {
    key?: string;
    operator?: string;
    value?: string;
    effect?: string;
}
interface PodSpec {
    serviceAccountName: string;
    hostNetwork?: boolean;
    nodeSelector?: Record<string, string>;
    tolerations: Toleration[];
    containers: Container[];
    volumes: { name: string; secret?: { secretName: string } }[];
}
interface KubernetesObject extends KubeObject {
    [field: string]: any;
}

const common = { clusterId: "core-1a2b3c4d", version: "v1.34.1" };
const manager = cloudControllerManager(common) as KubernetesObject[];
const cinder = cinderCsi(common) as KubernetesObject[];
const all = [...manager, ...cinder];
const workloads = all.filter(({ kind }) => ["DaemonSet", "Deployment"].includes(kind));
const podOf = (object: KubernetesObject): PodSpec => object["spec"].template.spec;
const workload = (name: string) => {
    const found = workloads.find(({ metadata }) => metadata.name === name);
    assert.ok(found, name);
    return found;
};
const clusterWide = ["ClusterRole", "ClusterRoleBinding", "CSIDriver", "StorageClass"];

function tolerates(tolerations: Toleration[], taint: { key: string; value?: string; effect: string }): boolean {
    return tolerations.some(
        ({ key, operator = "Equal", value = "", effect }) =>
            (effect === undefined || effect === taint.effect) &&
            (operator === "Exists"
                ? key === undefined || key === taint.key
                : key === taint.key && value === (taint.value ?? "")),
    );
}

describe("the manifests of the cloud provider", () => {
    it("name every object once, in the system's namespace where there is one", () => {
        const names = all.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
        assert.deepEqual(names.length, new Set(names).size);
        for (const { kind, metadata } of all) {
            assert.equal(
                metadata.namespace,
                clusterWide.includes(kind) ? undefined : namespace,
                `${kind} ${metadata.name}`,
            );
        }
    });

    it("select the pods of their own template, and no other's", () => {
        const seen = new Set<string>();
        for (const { metadata, spec } of workloads as any[]) {
            assert.deepEqual(spec.template.metadata.labels, spec.selector.matchLabels, metadata.name);
            seen.add(JSON.stringify(spec.selector.matchLabels));
        }
        assert.equal(seen.size, 3);
    });

    it("bind roles that exist to accounts that exist, and accounts are those that pods run as", () => {
        const has = (kind: string, name: string) => all.some(each => each.kind === kind && each.metadata.name === name);
        const builtIn = ["extension-apiserver-authentication-reader"];
        const bindings = all.filter(({ kind }) => kind.endsWith("RoleBinding"));
        assert.equal(bindings.length, 6);
        for (const { kind, roleRef, subjects } of bindings as any[]) {
            assert.equal(roleRef.apiGroup, "rbac.authorization.k8s.io");
            assert.ok(kind !== "ClusterRoleBinding" || roleRef.kind === "ClusterRole");
            assert.ok(builtIn.includes(roleRef.name) || has(roleRef.kind, roleRef.name), roleRef.name);
            for (const subject of subjects) {
                assert.equal(subject.namespace, namespace);
                assert.ok(has("ServiceAccount", subject.name), subject.name);
            }
        }
        for (const object of workloads) assert.ok(has("ServiceAccount", podOf(object).serviceAccountName));
    });

    it("ask for no right without bounds: no stars, no Secrets, nothing for the pods on the nodes", () => {
        const roles = all.filter(({ kind }) => kind === "ClusterRole" || kind === "Role");
        for (const { rules, metadata } of roles as any[]) {
            for (const { apiGroups, resources, verbs } of rules) {
                const words = [...apiGroups, ...resources, ...verbs];
                assert.ok(!words.includes("*") && !resources.includes("secrets"), metadata.name);
            }
        }
        const bound = all.flatMap(({ subjects = [] }) => subjects.map((subject: { name: string }) => subject.name));
        assert.ok(!bound.includes("csi-cinder-node"));
    });

    it("pin every image, from one table", () => {
        const pinned = Object.values(images).map(image => {
            const { name, version } = image as { name: string; version?: string };
            return `registry.k8s.io/${name}:${version ?? "v1.34.1"}`;
        });
        const used = workloads.flatMap(object => podOf(object).containers.map(({ image }) => image));
        assert.deepEqual([...new Set(used)].sort(), pinned.sort());
        for (const image of used) assert.match(image, /:v\d+\.\d+\.\d+$/);
    });

    it("take the mirror's name for all images, where there is one", () => {
        const mirrored = [
            ...cloudControllerManager({ ...common, imageRepository: "harbor.site/k8s" }),
            ...cinderCsi({ ...common, imageRepository: "harbor.site/k8s" }),
        ];
        const text = JSON.stringify(mirrored);
        assert.ok(!text.includes("registry.k8s.io"));
        assert.equal(text.match(/"harbor\.site\/k8s\/(provider-os|sig-storage)\//g)?.length, 7);
    });

    it("mount only volumes that are there, and read the one Secret", () => {
        for (const object of workloads) {
            const { containers, volumes } = podOf(object);
            const names = volumes.map(({ name }) => name);
            for (const { volumeMounts, args, name } of containers) {
                for (const mount of volumeMounts) assert.ok(names.includes(mount.name), `${name}: ${mount.name}`);
                const config = args.find(arg => arg.startsWith("--cloud-config="));
                if (config)
                    assert.ok(
                        volumeMounts.some(({ mountPath }) => config.includes(`=${mountPath}/`)),
                        name,
                    );
            }
            const secrets = volumes.flatMap(({ secret }) => (secret ? [secret.secretName] : []));
            assert.deepEqual(secrets, [secretName]);
        }
    });

    it("survive YAML as Kubernetes reads it", () => {
        const back = parseAllDocuments(toYaml(...all), { version: "1.1" }).map(document => document.toJS());
        assert.deepEqual(back, JSON.parse(JSON.stringify(all)));
    });
});

describe("the cloud controller manager", () => {
    const pod = podOf(workload("openstack-cloud-controller-manager"));

    it("runs on masters only, before they are initialised and without a pod network", () => {
        assert.deepEqual(pod.nodeSelector, { "node-role.kubernetes.io/control-plane": "" });
        assert.equal(pod.hostNetwork, true);
        for (const taint of [
            { key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" },
            { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" },
            { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
            { key: "dedicated", value: "infra", effect: "NoExecute" },
        ]) {
            assert.ok(tolerates(pod.tolerations, taint), taint.key);
        }
    });

    it("names load balancers by the cluster's id: its leftovers are found so, and another cluster of its name is no danger to them", () => {
        assert.ok(pod.containers[0]!.args.includes("--cluster-name=core-1a2b3c4d"));
    });
});

describe("Cinder CSI", () => {
    const controller = podOf(workload("csi-cinder-controllerplugin"));
    const node = podOf(workload("csi-cinder-nodeplugin"));
    const names = ({ containers }: PodSpec) => containers.map(({ name }) => name).sort();

    it("has its controller with all sidecars, and its part on every node", () => {
        assert.deepEqual(names(controller), ["cinder-csi-plugin", "csi-attacher", "csi-provisioner", "csi-resizer"]);
        assert.deepEqual(names(node), ["cinder-csi-plugin", "node-driver-registrar"]);
        assert.ok(tolerates(node.tolerations, { key: "any", effect: "NoExecute" }));
        assert.ok(
            tolerates(controller.tolerations, { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }),
        );
        const fresh = { key: "node.cloudprovider.kubernetes.io/uninitialized", effect: "NoSchedule" };
        assert.ok(!tolerates(controller.tolerations, fresh), "it needs nodes whose zone is known");
    });

    it("makes snapshots only where it is told to: the cluster may not have their kinds", () => {
        const spec = { ...common, imageRepository: "harbor.site/k8s", snapshots: true };
        const with_ = cinderCsi(spec) as KubernetesObject[];
        const pod = podOf(with_.find(({ kind }) => kind === "Deployment")!);
        assert.deepEqual(
            names(pod).filter(name => !names(controller).includes(name)),
            ["csi-snapshotter"],
        );
        const { image, args } = pod.containers.find(({ name }) => name === "csi-snapshotter")!;
        assert.match(image, /^harbor\.site\/k8s\/sig-storage\/csi-snapshotter:v\d+\.\d+\.\d+$/);
        assert.ok(args.includes("--leader-election=true"));
        const provisioner = (of: PodSpec) => of.containers.find(({ name }) => name === "csi-provisioner")!.args;
        assert.ok(provisioner(controller).includes("--snapshot-orphan-sweep-interval=0"));
        assert.ok(!provisioner(pod).some(arg => arg.includes("sweep")));
        const key = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.name}`;
        const before = new Set(cinder.map(key));
        assert.deepEqual(
            with_.map(key).filter(each => !before.has(each)),
            (snapshotterRights() as KubernetesObject[]).map(key),
            "what a removal must name besides",
        );
    });

    it("gives each half of the driver one service, and all containers the same socket", () => {
        const args = (pod: PodSpec) => pod.containers.find(({ name }) => name === "cinder-csi-plugin")!.args;
        assert.ok(args(controller).includes("--provide-node-service=false"));
        assert.ok(args(controller).includes("--cluster=core-1a2b3c4d"), "its leftovers are found so");
        assert.ok(args(node).includes("--provide-controller-service=false"));
        for (const { containers } of [controller, node]) {
            for (const { name, args: given, volumeMounts } of containers) {
                assert.ok(
                    given.some(arg => /=(unix:\/\/|\/)csi\/csi\.sock$/.test(arg)),
                    name,
                );
                assert.ok(
                    volumeMounts.some(({ mountPath }) => mountPath === "/csi"),
                    name,
                );
            }
        }
    });

    it("registers under the driver's own name", () => {
        const driver = cinder.find(({ kind }) => kind === "CSIDriver")!.metadata.name;
        const registrar = node.containers.find(({ name }) => name === "node-driver-registrar")!;
        assert.ok(registrar.args.some(arg => arg.endsWith(`/plugins/${driver}/csi.sock`)));
        for (const each of storageClasses() as KubernetesObject[]) assert.equal(each["provisioner"], driver);
    });
});

describe("storage classes", () => {
    it("are one of the cloud's own type, and the cluster's default, where nothing is said", () => {
        const [only, ...none] = storageClasses() as KubernetesObject[];
        assert.deepEqual(none, []);
        assert.equal(only!.metadata.annotations!["storageclass.kubernetes.io/is-default-class"], "true");
        assert.equal(only!["volumeBindingMode"], "WaitForFirstConsumer");
    });

    it("take volume type and zone, in an order that does not hang on how they are written", () => {
        const fast = { volumeType: "nvme", availabilityZone: "az1", reclaimPolicy: "Retain" };
        const classes = storageClasses({ b: {}, a: fast }) as KubernetesObject[];
        assert.deepEqual(classes, storageClasses({ a: fast, b: {} }));
        const { metadata, parameters, reclaimPolicy } = classes[0] as any;
        assert.deepEqual([metadata.name, parameters.type, parameters.availability], ["a", "nvme", "az1"]);
        assert.equal(reclaimPolicy, "Retain");
    });
});

describe("the versions of the cloud provider", () => {
    it("follow the minor version of Kubernetes, one minor behind where there is none yet", () => {
        assert.equal(cloudVersion("1.34.4"), "v1.34.1");
        assert.equal(cloudVersion("1.37.2"), cloudVersion("1.36.3"));
        for (const { minor, cloudProvider } of kubernetesReleases)
            assert.ok(cloudProvider === undefined || cloudProvider.startsWith(`v${minor}.`), minor);
    });

    it("are the user's where he names one, and asked for where none is known", () => {
        assert.equal(cloudVersion("1.99.0", "v1.98.0"), "v1.98.0");
        assert.throws(() => cloudVersion("1.99.0"), /INVALID_INPUT[\s\S]*Kubernetes 1\.99\.0/);
    });
});
