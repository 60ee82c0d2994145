import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { driverName, leftBehind, makesSnapshots, nfsCsiDriver } from "../../../../provider/nfs-csi/driver";
import { nfsCsiImages } from "../../../../provider/nfs-csi/images";
import { pathOf } from "../../../../provider/objects/owned-objects";
import type { KubeObject } from "../../../../provider/vim";

const objects = (imageRepository?: string) => nfsCsiDriver(imageRepository === undefined ? {} : { imageRepository });
const one = (kind: string) => objects().find(each => each.kind === kind) as any;
const podOf = (kind: string) => one(kind).spec.template.spec;
const controllerOf = (objects: KubeObject[]) =>
    (objects.find(({ kind }) => kind === "Deployment") as any).spec.template.spec;
const images = (repository?: string) =>
    objects(repository)
        .flatMap(each => (each as any).spec?.template?.spec.containers ?? [])
        .map(({ image }: { image: string }) => image);

describe("the NFS CSI driver", () => {
    it("is attached to nothing and keeps volumes beyond a pod", () => {
        deepStrictEqual(
            [one("CSIDriver").metadata.name, one("CSIDriver").spec],
            [driverName, { attachRequired: false, volumeLifecycleModes: ["Persistent"], fsGroupPolicy: "File" }],
        );
    });

    it("has pinned images of one registry, which a site replaces", () => {
        for (const image of images()) match(image, /^registry\.k8s\.io\/sig-storage\/[a-z-]+:v\d+\.\d+\.\d+$/);
        deepStrictEqual(
            new Set(images("site:5000/mirror")),
            new Set(Object.values(nfsCsiImages).map(image => `site:5000/mirror/${image}`)),
        );
    });

    it("reads no Secrets, no nodes and no pods, and its nodes may do nothing", () => {
        const rules = objects().flatMap(each => (each as any).rules ?? []);
        const resources = new Set(rules.flatMap(rule => rule.resources));
        deepStrictEqual([...resources].sort(), [
            "events",
            "leases",
            "persistentvolumeclaims",
            "persistentvolumeclaims/status",
            "persistentvolumes",
            "storageclasses",
        ]);
        ok(!JSON.stringify(rules).includes("*"));
        const subjects = objects().flatMap(each => (each as any).subjects ?? []);
        deepStrictEqual(new Set(subjects.map(({ name }) => name)), new Set(["csi-nfs-controller"]));
        strictEqual(podOf("DaemonSet").automountServiceAccountToken, false);
    });

    it("has never two controllers at once: both would be named after their node when they elect a leader", () => {
        const { strategy, replicas } = one("Deployment").spec;
        deepStrictEqual([replicas, strategy.rollingUpdate], [1, { maxUnavailable: 1, maxSurge: 0 }]);
        const { containers } = controllerOf(nfsCsiDriver({ snapshots: true }));
        const sidecars = containers.filter(({ name }: any) => name.startsWith("csi-"));
        deepStrictEqual(
            sidecars.map(({ name }: any) => name),
            ["csi-provisioner", "csi-resizer", "csi-snapshotter"],
        );
        for (const { args, name } of sidecars) ok(args.includes("--leader-election=true"), name);
        strictEqual(leftBehind.length, sidecars.length, "each leaves a Lease");
    });

    it("makes snapshots only where it is told to: the cluster may not have their kinds", () => {
        const [without, snapshots] = [nfsCsiDriver({}), nfsCsiDriver({ snapshots: true })];
        deepStrictEqual([makesSnapshots(without), makesSnapshots(snapshots)], [false, true]);
        const argsOf = (objects: KubeObject[], container: string): string[] =>
            controllerOf(objects).containers.find(({ name }: any) => name === container).args;
        ok(argsOf(without, "csi-provisioner").includes("--snapshot-orphan-sweep-interval=0"));
        ok(!argsOf(snapshots, "csi-provisioner").some(arg => arg.includes("sweep")));
        ok(!argsOf(without, "nfs").some(arg => arg.includes("tar")));
        ok(argsOf(snapshots, "nfs").includes("--use-tar-command-in-snapshot=true"), "it keeps owners and modes");
        ok(!argsOf(snapshots, "csi-snapshotter").some(arg => arg.includes("extra-create")), "the driver refuses more");
        const groupsOf = (objects: KubeObject[]) =>
            objects.flatMap((each: any) => each.rules ?? []).flatMap(({ apiGroups }) => apiGroups);
        ok(!groupsOf(without).includes("snapshot.storage.k8s.io") && groupsOf(snapshots).length > 0);
    });

    it("runs privileged only where it mounts", () => {
        for (const kind of ["Deployment", "DaemonSet"]) {
            const privileged = podOf(kind).containers.filter((each: any) => each.securityContext.privileged);
            deepStrictEqual(
                privileged.map(({ name }: any) => name),
                ["nfs"],
            );
            for (const { name, securityContext } of podOf(kind).containers) {
                if (name !== "nfs") deepStrictEqual(securityContext.capabilities, { drop: ["ALL"] });
            }
        }
        deepStrictEqual(podOf("Deployment").volumes, [{ name: "socket-dir", emptyDir: {} }], "no folder of the node");
    });

    it("outlives pressure on a node, and runs on tainted ones", () => {
        strictEqual(podOf("Deployment").priorityClassName, "system-cluster-critical");
        strictEqual(podOf("DaemonSet").priorityClassName, "system-node-critical");
        deepStrictEqual(podOf("DaemonSet").tolerations, [{ operator: "Exists" }]);
        ok(podOf("Deployment").tolerations.some((each: any) => each.key === "node-role.kubernetes.io/control-plane"));
    });

    it("mounts from the node's address, where the kubelet shares the folders with pods", () => {
        for (const kind of ["Deployment", "DaemonSet"]) strictEqual(podOf(kind).hostNetwork, true);
        const { volumeMounts } = podOf("DaemonSet").containers.find((each: any) => each.name === "nfs");
        deepStrictEqual(volumeMounts.at(-1), {
            name: "pods-dir",
            mountPath: "/var/lib/kubelet/pods",
            mountPropagation: "Bidirectional",
        });
    });

    it("has a place in the API for each of its objects", () => {
        for (const object of [...objects(), ...leftBehind]) match(pathOf(object), /^\/apis?\//);
        strictEqual(pathOf(one("Deployment")), "/apis/apps/v1/namespaces/kube-system/deployments/csi-nfs-controller");
        strictEqual(pathOf(one("CSIDriver")), `/apis/storage.k8s.io/v1/csidrivers/${driverName}`);
    });
});
