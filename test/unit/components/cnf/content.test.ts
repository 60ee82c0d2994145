import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { apiTypes, typeName } from "../../../../components/cnf/api-types";
import { builtInKinds, groupWith, versionsOf } from "../../../../components/cnf/kinds";
import { chartRemarks, cnfProblems } from "../../../../components/cnf/plan";
import { projectRoot } from "../../../../dev/levels";
import { objectsInYaml } from "../../../../provider/vim/manifests";

const deployment = (changes: object = {}, container: object = {}, labels: object = { app: "upf" }) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "upf" },
    spec: {
        selector: { matchLabels: { app: "upf" } },
        template: {
            metadata: { labels },
            spec: { containers: [{ name: "upf", image: "registry.example.com:5000/upf:1.2", ...container }] },
        },
        ...changes,
    },
});
const problems = (object: object, place = "a.yaml[0]") => cnfProblems([{ place, object }], {});
const named = (apiVersion: string, kind: string, name: string, namespace?: string) =>
    problems({ apiVersion, kind, metadata: { name, ...(namespace && { namespace }) } }).filter(each =>
        /name/.test(each),
    );

describe("the fields of objects of Kubernetes' own kinds", () => {
    it("are known for every kind", () => {
        const lacks = builtInKinds().filter(kind => {
            const group = groupWith(kind)!;
            const all = versionsOf(group)!.map(version => (group === "" ? version : `${group}/${version}`));
            return !all.some(version => apiTypes().has(typeName(version, kind)));
        });
        assert.deepEqual(lacks, []);
    });

    it("are refused where the API would drop them in silence, with the near one", () => {
        assert.deepEqual(problems(deployment({ replcias: 1 })), [
            'a.yaml[0]: spec.replcias: @pulumi/kubernetes as installed knows no such field; did you mean "replicas"?',
        ]);
        assert.match(
            problems(deployment({}, { imagePullPolcy: "Always" }))[0]!,
            /containers\.0\.imagePullPolcy: .*"imagePullPolicy"/,
        );
        assert.match(
            problems({ ...deployment(), sepc: {} })[0]!,
            /sepc: @pulumi.kubernetes as installed knows no such field; did you mean "spec"/,
        );
    });

    const types: [object, RegExp][] = [
        [deployment({ replicas: 1e12 }), /spec\.replicas: 1000000000000 is out of range: at most 2147483647/],
        [deployment({ replicas: 1e9 }), /spec\.replicas: 1000000000 are more pods than a cluster/],
        [deployment({ replicas: 1.5 }), /spec\.replicas: 1\.5 is no whole number/],
        [deployment({ replicas: "3" }), /spec\.replicas: is "3", must be a number; write it without quotes: 3/],
        [deployment({ paused: "yes" }), /spec\.paused: is "yes", must be true or false/],
        [
            deployment({}, { env: [{ name: "A", value: 8080 }] }),
            /env\.0\.value: is 8080, must be text; write it in quotes: "8080"/,
        ],
        [deployment({}, { command: "sh" }), /command: is "sh", must be a list/],
        [deployment({}, { resources: [] }), /resources: is a list, must be a map/],
        [
            { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { on: true } },
            /data\.on: is true, must be text/,
        ],
    ];
    for (const [object, expected] of types)
        it(`have their types: ${expected.source}`, () => {
            const found = problems(object);
            assert.equal(found.length, 1, found.join("\n"));
            assert.match(found[0]!, expected);
        });

    it("are not shown of a Secret", () => {
        const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, stringData: { pin: 48151623 } };
        assert.deepEqual(problems(secret), [
            "a.yaml[0]: stringData.pin: is a number, must be text; write it in quotes",
        ]);
        assert.doesNotMatch(problems({ ...secret, stringData: undefined, data: "cGFzc3dvcmQ=" }).join(), /cGFz/);
    });

    const pod = (spec: object) => ({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "a" },
        spec: { containers: [{ name: "a", image: "a" }], ...spec },
    });
    const labelled = (metadata: object) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a", ...metadata },
    });
    const volume = (source: object) => pod({ volumes: [{ name: "v", ...source }] });
    const limits = (amounts: object) => deployment({}, { resources: { limits: amounts } });
    const service = (spec: object) => ({ apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec });
    const values: [object, RegExp][] = [
        [
            labelled({ labels: { "app name": "a" } }),
            /metadata\.labels\.app name: the key "app name" is not allowed: must be a key/,
        ],
        [
            labelled({ labels: { app: "UPF Nord!" } }),
            /metadata\.labels\.app: "UPF Nord!" is not allowed: must be a value of a label/,
        ],
        [
            labelled({ annotations: { "bad key!": "a" } }),
            /metadata\.annotations\.bad key!: the key "bad key!" is not allowed/,
        ],
        [pod({ nodeSelector: { tier: "user plane" } }), /spec\.nodeSelector\.tier: "user plane" is not allowed/],
        [service({ selector: { app: "a b" } }), /spec\.selector\.app: "a b" is not allowed/],
        [
            limits({ memory: "512 MB" }),
            /limits\.memory: "512 MB" is not allowed: must be a quantity of Kubernetes: .*"512Mi"/,
        ],
        [limits({ memory: "10GB" }), /limits\.memory: "10GB" is not allowed/],
        [
            limits({ memory: "{{ .Values.memory }}" }),
            /limits\.memory: "\{\{ .*" is a template that nothing has rendered/,
        ],
        [limits({ memory: "${MEMORY}" }), /limits\.memory: "\$\{MEMORY\}" is a template that nothing has rendered/],
        [limits({ cpu: -1 }), /limits\.cpu: -1 is not allowed: at least 0/],
        [deployment({ replicas: -1 }), /spec\.replicas: -1 is not allowed: at least 0/],
        [
            deployment({ replicas: "{{ .Values.replicas }}" }),
            /spec\.replicas: "\{\{ .*" is a template that nothing has rendered/,
        ],
        [
            deployment({}, { ports: [{ containerPort: 70000 }] }),
            /ports\.0\.containerPort: 70000 is not allowed: 1 to 65535/,
        ],
        [
            volume({ secret: { secretName: "a", defaultMode: 644 } }),
            /defaultMode: 644 is not allowed: 0 to 511; a mode is octal: write 0644/,
        ],
        [
            deployment({}, { imagePullPolicy: "always" }),
            /imagePullPolicy: "always" is not allowed: Always, IfNotPresent or Never; did you mean "Always"/,
        ],
        [
            pod({ tolerations: [{ key: "a", effect: "NoScheduel" }] }),
            /tolerations\.0\.effect: "NoScheduel" is not allowed: .*did you mean "NoSchedule"/,
        ],
        [
            service({ ports: [{ port: 80, protocol: "tcp" }] }),
            /ports\.0\.protocol: "tcp" is not allowed: TCP, UDP or SCTP/,
        ],
        [
            {
                apiVersion: "v1",
                kind: "PersistentVolumeClaim",
                metadata: { name: "a" },
                spec: { accessModes: ["RWX"] },
            },
            /spec\.accessModes\.0: "RWX" is not allowed/,
        ],
        [
            { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, data: { password: "hunter2!" } },
            /^a\.yaml\[0\]: data\.password: is no base64/,
        ],
        [deployment({ selector: undefined }), /spec\.selector: is missing/],
        [
            deployment({ selector: { matchExpressions: [{ key: "app", operator: "In", values: ["smf"] }] } }),
            /matchExpressions\.0: asks for app In smf, and the pods of the template have app=upf/,
        ],
    ];
    for (const [object, expected] of values)
        it(`have values that the API takes: ${expected.source}`, () => {
            const found = problems(object);
            assert.equal(found.length, 1, found.join("\n"));
            assert.match(found[0]!, expected);
        });

    it("may be all that the API takes", () => {
        const right = [
            labelled({
                labels: { "app.kubernetes.io/name": "a_B.c", empty: "" },
                annotations: { "Example.com/a": "any text" },
            }),
            limits({ cpu: 0.5, memory: "1.5Gi", "hugepages-2Mi": "1e3", "ephemeral-storage": "1E" }),
            volume({ configMap: { name: "a", defaultMode: 0o400, items: [{ key: "a", path: "b", mode: 0 }] } }),
            pod({ tolerations: [{ operator: "Exists", effect: "", tolerationSeconds: -1 }], priority: -5 }),
            service({ type: "NodePort", ports: [{ port: 80, targetPort: "http", protocol: "SCTP", nodePort: 0 }] }),
            deployment({ selector: { matchExpressions: [{ key: "app", operator: "In", values: ["upf"] }] } }),
            deployment({}, { env: [{ name: "A", value: "{{ any }}" }], args: ["${B}"] }),
            { apiVersion: "v1", kind: "Secret", metadata: { name: "a" }, data: { a: "aHVudGVyMg==\n", b: "" } },
        ];
        assert.deepEqual(
            right.flatMap(object => problems(object)),
            [],
        );
    });

    it("may be quantities, ports by name or number, long numbers, and what the API adds", () => {
        const limits = { cpu: 2, memory: "1Gi", "hugepages-1Gi": "2Gi" };
        const probe = { httpGet: { port: "http" }, initialDelaySeconds: 1 };
        const pods = deployment(
            {},
            { resources: { limits, requests: limits }, readinessProbe: probe, env: [{ name: "A" }] },
        );
        const { template } = pods.spec;
        const spec = {
            ...template.spec,
            securityContext: { fsGroup: 4294967294 },
            terminationGracePeriodSeconds: 1e10,
        };
        assert.deepEqual(problems({ ...deployment({ template: { ...template, spec } }), status: { replicas: 1 } }), []);
        const service = { apiVersion: "v1", kind: "Service", metadata: { name: "a", creationTimestamp: null } };
        assert.deepEqual(
            problems({
                ...service,
                spec: {
                    ports: [
                        { port: 80, targetPort: "http" },
                        { port: 81, targetPort: 8 },
                    ],
                },
            }),
            [],
        );
    });

    it("are none of ours in custom resources, and remarks in charts", () => {
        assert.deepEqual(problems({ apiVersion: "e.com/v1", kind: "Upf", metadata: { name: "a" }, sepc: 1 }), []);
        const found = [{ place: "chart: Deployment/upf", object: deployment({ replcias: 1 }) }];
        assert.deepEqual(cnfProblems(found, {}), []);
        assert.match(chartRemarks(found)[0]!, /^chart: Deployment\/upf: spec\.replcias/);
    });

    it("of our own examples are right", () => {
        const text = readFileSync(join(projectRoot, "examples/ha-cluster/manifests/web.yaml"), "utf8");
        assert.deepEqual(cnfProblems(objectsInYaml("web.yaml", text), {}), []);
    });
});

describe("names, images and selectors of objects", () => {
    it("are names that the API takes", () => {
        assert.match(
            named("v1", "ConfigMap", "a", "UPF Nord")[0]!,
            /metadata\.namespace: "UPF Nord" is not allowed: small letters/,
        );
        assert.match(named("v1", "ConfigMap", "A_b")[0]!, /metadata\.name: "A_b" is not allowed/);
        assert.match(
            named("v1", "ConfigMap", "{{ name }}")[0]!,
            /"\{\{ name \}\}" is a template that nothing has rendered/,
        );
        for (const name of ["a.b-c.example.com", "1"]) assert.deepEqual(named("v1", "ConfigMap", name), []);
        assert.equal(named("v1", "Service", "1").length, 1);
        assert.deepEqual(named("rbac.authorization.k8s.io/v1", "ClusterRole", "system:UPF:read"), []);
    });

    const images: [string, boolean][] = [
        ...(["nginx", "localhost/a", "REG.example.com:5000/a/b__c:V1.2", "a/b:1.2"] as const).map(
            each => [each, true] as [string, boolean],
        ),
        [`a/b@sha256:${"0".repeat(64)}`, true],
        [`[fd00::1]:5000/a@sha256:${"0".repeat(64)}`, true],
        ...(["Nginx", "registry.example.com/UPF:1", "a b", "a:", "{{ .Values.image }}", "https://a/b"] as const).map(
            each => [each, false] as [string, boolean],
        ),
    ];
    for (const [image, isRight] of images)
        it(`${isRight ? "take" : "refuse"} the image ${image}`, () => {
            const found = problems(deployment({}, { image }));
            assert.equal(found.length, isRight ? 0 : 1, found.join("\n"));
        });

    it("select the pods of their own template", () => {
        const labels = (has: object) => problems(deployment({}, {}, has)).join();
        assert.match(labels({ app: "smf" }), /matchLabels\.app: is upf, and the pods of the template have app=smf/);
        assert.match(labels({}), /matchLabels\.app: is upf, and the pods of the template have no such label/);
        assert.equal(labels({ app: "upf", tier: "a" }), "");
    });
});
