import { deepStrictEqual, ok, strictEqual, throws } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as fc from "fast-check";
import { type KubernetesObject, readManifests, readObjects } from "../../../../components/cnf/manifests";
import { cnfProblems, planCnf } from "../../../../components/cnf/plan";

const object = (kind: string, name: string, apiVersion = "v1", more: object = {}) =>
    ({ apiVersion, kind, metadata: { name }, ...more }) as KubernetesObject;
const deployment = (name: string, replicas?: number) =>
    object("Deployment", name, "apps/v1", { spec: { ...(replicas !== undefined && { replicas }) } });
const definition = object("CustomResourceDefinition", "foos.example.com", "apiextensions.k8s.io/v1", {
    spec: { group: "example.com", scope: "Namespaced", names: { kind: "Foo" } },
});
const custom = object("Foo", "f", "example.com/v1");
const problems = (objects: unknown[], wish = {}) => cnfProblems(readObjects(objects), wish);
const kinds = (objects: KubernetesObject[], wish = {}) => planCnf(objects, wish).rows.map(row => row.map(o => o.kind));

describe("the order of a network function's objects", () => {
    it("is what needs nothing first; a Service goes with the workloads whose pods make it ready", () => {
        const objects = [
            custom,
            object("Service", "s"),
            deployment("d"),
            object("ConfigMap", "c"),
            object("ServiceAccount", "a"),
            definition,
        ];
        deepStrictEqual(kinds(objects, { namespace: "demo" }), [
            ["Namespace"],
            ["CustomResourceDefinition"],
            ["ServiceAccount"],
            ["ConfigMap"],
            ["Service", "Deployment"],
            ["Foo"],
        ]);
    });

    it("has custom resources of other network functions before the workloads, and those of late kinds last", () => {
        const objects = [deployment("d"), custom, object("Bar", "b", "example.com/v1"), object("ConfigMap", "c")];
        deepStrictEqual(kinds(objects), [["ConfigMap"], ["Foo", "Bar"], ["Deployment"]]);
        deepStrictEqual(kinds(objects, { customKinds: ["Foo.example.com"] }), [
            ["ConfigMap"],
            ["Bar"],
            ["Deployment"],
            ["Foo"],
        ]);
        const planned = planCnf([...objects, definition], { customKinds: ["Baz.example.com"] });
        deepStrictEqual(
            [planned.defined, planned.late, planned.floating],
            [["Baz.example.com", "Foo.example.com"], ["Baz.example.com"], ["Bar.example.com"]],
        );
    });

    it("has pools of machines after the control plane of their cluster", () => {
        const core = "cluster.x-k8s.io/v1beta2";
        const controlPlane = object("KubeadmControlPlane", "c", "controlplane.cluster.x-k8s.io/v1beta2");
        const objects = [object("MachineDeployment", "m", core), object("Cluster", "c", core), controlPlane];
        const customKinds = ["MachineDeployment", "Cluster"].map(kind => `${kind}.cluster.x-k8s.io`);
        const late = { customKinds: [...customKinds, "KubeadmControlPlane.controlplane.cluster.x-k8s.io"] };
        for (const wish of [{}, late]) {
            deepStrictEqual(kinds(objects, wish), [["Cluster", "KubeadmControlPlane"], ["MachineDeployment"]]);
        }
    });

    it("keeps every object exactly once, whatever the order they are written in", () => {
        const all = [custom, definition, deployment("a"), deployment("b"), object("Secret", "s"), object("Pod", "p")];
        fc.assert(
            fc.property(fc.shuffledSubarray(all), objects => {
                const planned = planCnf(objects, {}).rows.flat();
                deepStrictEqual(planned.map(o => o.metadata.name).sort(), objects.map(o => o.metadata.name).sort());
            }),
        );
    });
});

describe("the apiVersion of a network function's objects", () => {
    it("is refused where no Kubernetes ever had it, with what would be right", () => {
        deepStrictEqual(problems([object("Deployment", "d", "apps/v2")]), [
            "objects.0: apiVersion: no Kubernetes has apps/v2; known are apps/v1, apps/v1beta2, apps/v1beta1",
        ]);
        deepStrictEqual(problems([object("Pod", "p", "v2")]), [
            "objects.0: apiVersion: no Kubernetes has v2; known are v1",
        ]);
        deepStrictEqual(problems([object("ConfigMap", "c"), deployment("d"), definition, custom]), []);
    });
});

describe("the namespace of a network function", () => {
    it("is given to objects that name none and can have one", () => {
        const role = object("ClusterRole", "r", "rbac.authorization.k8s.io/v1");
        const other = { ...object("ConfigMap", "c"), metadata: { name: "c", namespace: "other" } };
        const planned = planCnf([role, other, definition, custom, deployment("d")], { namespace: "demo" }).rows.flat();
        const namespaces = Object.fromEntries(planned.map(o => [o.kind, o.metadata.namespace]));
        deepStrictEqual(namespaces, {
            Namespace: undefined,
            ClusterRole: undefined,
            ConfigMap: "other",
            CustomResourceDefinition: undefined,
            Foo: "demo",
            Deployment: "demo",
        });
    });

    const made = (wish: object, objects: KubernetesObject[] = []) =>
        planCnf([deployment("d"), ...objects], wish)
            .rows.flat()
            .filter(({ kind }) => kind === "Namespace").length;
    it("is made if it is given, not if it is default, there already, or unwanted", () => {
        strictEqual(made({ namespace: "demo" }), 1);
        strictEqual(made({}), 0);
        strictEqual(made({ namespace: "default" }), 0);
        strictEqual(made({ namespace: "demo", createNamespace: false }), 0);
        strictEqual(made({ namespace: "demo" }, [object("Namespace", "demo")]), 1);
    });
});

describe("the replicas of a network function", () => {
    it("are set by name, and all scalable workloads are listed", () => {
        const { rows, scalable } = planCnf([deployment("upf"), deployment("smf", 3)], { replicas: { upf: 5 } });
        deepStrictEqual(scalable, { upf: 5, smf: 3 });
        deepStrictEqual(
            rows.flat().map(o => o.spec!["replicas"]),
            [5, 3],
        );
    });

    it("are set in custom resources that have them, or whose kind is known to", () => {
        const pool = object("MachineDeployment", "md", "cluster.x-k8s.io/v1beta2");
        const ring = object("Ring", "ring", "example.com/v1", { spec: { replicas: 3 } });
        const { rows, scalable } = planCnf([pool, ring, custom], { replicas: { md: 2, ring: 5 } });
        deepStrictEqual(scalable, { md: 2, ring: 5 });
        deepStrictEqual(
            rows.flat().map(o => o.spec?.["replicas"]),
            [5, undefined, 2],
        );
    });

    it("are set by kind and name where two workloads share a name", () => {
        const objects = [deployment("upf"), object("StatefulSet", "upf", "apps/v1")];
        const { scalable } = planCnf(objects, { replicas: { "StatefulSet/upf": 2 } });
        deepStrictEqual(scalable, { "Deployment/upf": 1, "StatefulSet/upf": 2 });
    });
});

describe("what is refused before anything is applied", () => {
    const cases: [string, unknown[], object, string][] = [
        [
            "a kind that is mistyped",
            [object("Deploymet", "d", "apps/v1")],
            {},
            'objects.0: kind Deploymet of apps/v1 is not known; did you mean "Deployment"?',
        ],
        [
            "a kind in the wrong group",
            [object("Deployment", "d", "v1")],
            {},
            "objects.0: kind Deployment of v1 is not known: Deployment is in apps",
        ],
        [
            "a kind of Kubernetes in a mistyped group",
            [object("ClusterRole", "r", "rbac.authorisation.k8s.io/v1")],
            {},
            "objects.0: kind ClusterRole of rbac.authorisation.k8s.io/v1 is not known: ClusterRole is in rbac.authorization.k8s.io",
        ],
        [
            "a custom resource in a version that its definition does not have",
            [
                {
                    ...definition,
                    spec: { ...definition.spec, versions: [{ name: "v1" }, { name: "v1beta1", served: false }] },
                },
                object("Foo", "f", "example.com/v1beta1"),
            ],
            {},
            "objects.1: apiVersion: Foo of example.com has the versions v1 in its definition, not v1beta1",
        ],
        [
            "a readiness rule for a kind that is not there",
            [custom],
            { readiness: { "example.com/*/Fooo": { exists: true } } },
            'readiness.example.com/*/Fooo: there is no object of such a kind; did you mean "example.com/v1/Foo"?',
        ],
        ["an object without a name", [{ apiVersion: "v1", kind: "Pod" }], {}, "objects.0: metadata.name: is required"],
        [
            "an object twice",
            [object("Pod", "p"), object("Pod", "p")],
            {},
            "objects.1: Pod/default/p is defined in objects.0 too",
        ],
        [
            "replicas of a workload that is not there",
            [deployment("upf")],
            { replicas: { upff: 2 } },
            'replicas.upff: there is no such workload; did you mean "upf"? (scalable: upf)',
        ],
        [
            "half a replica",
            [deployment("upf")],
            { replicas: { upf: 0.5 } },
            "replicas.upf: 0.5 is not a number of replicas",
        ],
        [
            "more replicas than a cluster can have pods",
            [deployment("upf")],
            { replicas: { upf: 1e9 } },
            "replicas.upf: 1000000000 are more pods than a cluster of Kubernetes can have (150000)",
        ],
    ];
    for (const [promise, objects, wish, said] of cases) {
        it(promise, () => deepStrictEqual(problems(objects, wish), [said]));
    }

    it("and nothing else: whether the cluster has the kind of a custom resource, only the cluster can say", () => {
        deepStrictEqual(problems([custom, definition]), []);
        deepStrictEqual(problems([custom], { readiness: { "example.com/*/Foo": { condition: "Up" } } }), []);
        const groups = [
            "cluster.x-k8s.io/v1beta2",
            "gateway.networking.k8s.io/v1",
            "policy.networking.k8s.io/v1alpha1",
        ];
        deepStrictEqual(problems(groups.map(group => object("Cluster", "c", group))), []);
    });
});

describe("manifests", () => {
    const names = (...manifests: string[]) =>
        readManifests(manifests).map(({ object: o }) => (o as KubernetesObject).metadata.name);

    it("are YAML text, a file, or a folder of files by name; a List is taken apart", () => {
        const folder = mkdtempSync(path.join(os.tmpdir(), "cnf-"));
        try {
            const text = (name: string) => `kind: Pod\napiVersion: v1\nmetadata: {name: ${name}}\n`;
            writeFileSync(path.join(folder, "2.yaml"), `${text("b")}---\n${text("c")}---\n`);
            writeFileSync(path.join(folder, "1.yml"), `kind: List\nitems:\n- metadata: {name: a}\n`);
            writeFileSync(path.join(folder, "README.md"), "not a manifest");
            deepStrictEqual(names(folder), ["a", "b", "c"]);
            deepStrictEqual(names(path.join(folder, "2.yaml")), ["b", "c"]);
            deepStrictEqual(names(text("d")), ["d"]);
            deepStrictEqual(names(text("d"), path.join(folder, "2.yaml"), folder), ["d", "b", "c", "a", "b", "c"]);
        } finally {
            rmSync(folder, { recursive: true });
        }
    });

    it("are no charts, templates of charts, folders of kustomize and URLs: each says what is right", () => {
        const folder = mkdtempSync(path.join(os.tmpdir(), "cnf-"));
        try {
            const inFolder = (file: string) => {
                mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
                writeFileSync(path.join(folder, file), "a: b\n");
                return path.join(folder, path.dirname(file));
            };
            const rows: [string, RegExp][] = [
                [inFolder("upf/Chart.yaml"), /is a Helm chart.*chart: \{ source/],
                [inFolder("upf/templates/a.yaml"), /templates of a Helm chart/],
                [inFolder("base/kustomization.yaml"), /kubectl kustomize/],
                ["https://site/upf.yaml", /is a URL: download it/],
            ];
            for (const [given, said] of rows) throws(() => names(given), said);
        } finally {
            rmSync(folder, { recursive: true });
        }
    });

    it("say what is wrong with them and where", () => {
        throws(
            () => names("a: b\n", "nonexistent"),
            /manifests\.1: there is no file or folder nonexistent; relative paths start from \//,
        );
        throws(() => names("a: [\n"), /manifests\.0: /);
        ok(problems(["text"])[0]!.includes("is no Kubernetes object"));
    });
});
