import { strict as assert } from "node:assert";
import { needsTool } from "../support/needs-tool";
import { asStory } from "../support/story";
import { canaries, clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { apply } from "./cluster-observed";

const deployments = [
    "capi-system/capi-controller-manager",
    "capi-kubeadm-bootstrap-system/capi-kubeadm-bootstrap-controller-manager",
    "capi-kubeadm-control-plane-system/capi-kubeadm-control-plane-controller-manager",
    "capo-system/capo-controller-manager",
];

/** No cloud has this address: Cluster API accepts all objects, and can make nothing. */
const nowhere = `clouds:
  openstack:
    auth: { auth_url: "http://10.99.0.253:5000/v3", username: nobody, password: ${canaries.registryPassword}, project_name: none, user_domain_name: Default, project_domain_name: Default }
    region_name: RegionOne
    identity_api_version: 3
`;

/** The real controllers on a small cluster of one node, without a cloud: what their webhooks accept, and what the error says when no machine can be made. */
describe("a management cluster", function () {
    this.timeout("20m");
    asStory(this);
    let fixture: Fixture;

    const workload = (changes: object = {}) => ({
        version: "1.36.3",
        openstack: { identity: { cloudsYaml: nowhere }, externalNetwork: "public" },
        controlPlane: { flavor: "m1.medium", image: "k8s" },
        pools: {
            md: {
                flavor: "m1.small",
                image: "k8s",
                replicas: 1,
                labels: { site: "north" },
                taints: [{ key: "a", value: "b", effect: "NoSchedule" }],
            },
        },
        healthCheck: {},
        timeoutSeconds: 20,
        ...changes,
    });
    const give = async ({ management = {} as object | null, workloads = {} as Record<string, object> } = {}) => {
        const args = { ...clusterArguments(fixture.lab, { masters: ["m1"], workers: [] }), registries: {} };
        const all = {
            cluster: JSON.stringify(args),
            management: JSON.stringify(management && { bundle: fixture.bundle, ...management }),
            workloads: JSON.stringify(workloads),
        };
        await fixture.project.setConfig(all, {
            secrets: JSON.stringify({ privateKey: fixture.lab.node("m1").privateKey }),
        });
    };
    const fails = async () => {
        const { code, output } = await fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"])
            .done;
        assert.notEqual(code, 0, output);
        return output;
    };
    const names = async (...args: string[]) =>
        (await fixture.kubectl("get", ...args, "-o", "name")).split("\n").filter(name => name !== "");

    before(async function () {
        await needsTool(this, "cluster-api-openstack");
        const addOns = ["cluster-api", "cluster-api-openstack"] as const;
        fixture = await openFixture({ name: "capi", nodes: ["m1"], addOns });
    });
    after(() => fixture?.close());

    it("is one `up`: its four controllers are available, clusterctl knows them, and a second `up` changes nothing", async () => {
        await give();
        await fixture.project.up();
        for (const each of deployments) {
            const [namespace, name] = each.split("/") as [string, string];
            assert.equal(
                await fixture.kubectl(
                    "-n",
                    namespace,
                    "get",
                    "deployment",
                    name,
                    "-o",
                    "jsonpath={.status.availableReplicas}",
                ),
                "1",
            );
        }
        const inventory = await fixture.kubectl(
            "get",
            "providers",
            "-A",
            "-o",
            'jsonpath={range .items[*]}{.metadata.name} {.version}{"\\n"}{end}',
        );
        assert.deepEqual(inventory.trim().split("\n").sort(), [
            "bootstrap-kubeadm v1.13.6",
            "cluster-api v1.13.6",
            "control-plane-kubeadm v1.13.6",
            "infrastructure-openstack v0.14.7",
        ]);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("has real webhooks, which refuse a Cluster that cannot be, with certificates of ours", async () => {
        const bad = {
            apiVersion: "cluster.x-k8s.io/v1beta2",
            kind: "Cluster",
            metadata: { name: "bad", namespace: "default" },
            spec: { clusterNetwork: {} },
        };
        await assert.rejects(apply(fixture, bad), /admission webhook|Invalid|invalid/);
    });

    it("accepts a workload cluster as we write it; that no cloud answers ends with what Cluster API says of it", async () => {
        await give({ workloads: { w1: workload() } });
        const output = await fails();
        console.log(
            output
                .split("\n")
                .filter(line => /WORKLOAD_NOT_READY|not Available|InfrastructureReady/.test(line))
                .slice(0, 6)
                .join("\n"),
        );
        assert.match(output, /workload cluster "w1": wait for its machines: WORKLOAD_NOT_READY/);
        assert.match(output, /InfrastructureReady is False/);
        assert.equal(output.includes(canaries.registryPassword), false);
        assert.deepEqual(await names("clusters.cluster.x-k8s.io", "-A"), ["cluster.cluster.x-k8s.io/w1"]);
        assert.equal((await names("machinedeployments", "-A")).length, 1);
        assert.equal((await names("machinehealthchecks", "-A")).length, 2);
        assert.equal((await names("clusterresourcesets", "-A")).length, 1);
    });

    it("gets another login to the cloud, as an identity for several clusters, without another machine", async () => {
        const identity = (host: string) => ({
            cloudsYaml: nowhere.replace("10.99.0.253", host),
            clusterIdentity: "cloud",
        });
        const moved = (host: string) => ({
            w1: workload({ openstack: { identity: identity(host), externalNetwork: "public" } }),
        });
        const told = () => fixture.kubectl("-n", "capo-system", "logs", "deployment/capo-controller-manager");
        const templates = await names("openstackmachinetemplates", "-A");
        for (const host of ["10.99.0.252", "10.99.0.251"]) {
            await give({ workloads: moved(host) });
            assert.doesNotMatch(await fixture.project.preview(), /will be replaced/);
            await fails();
            await eventually(120, async () =>
                assert.match(await told(), new RegExp(`authentication err.*//${host}:5000`)),
            );
        }
        assert.deepEqual(await names("openstackmachinetemplates", "-A"), templates);
    });

    it("keeps the identity, and the cluster that it goes with, while others use it", async () => {
        const theirs = {
            apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
            kind: "OpenStackCluster",
            metadata: { name: "theirs", namespace: "default" },
            spec: { identityRef: { type: "ClusterIdentity", name: "cloud", cloudName: "openstack" } },
        };
        await apply(fixture, theirs);
        await give({});
        assert.match(await fails(), /CLUSTER_IN_USE[\s\S]*OpenStackClusterIdentity "cloud"[\s\S]*default\/theirs/);
        assert.deepEqual(await names("clusters.cluster.x-k8s.io", "-A"), ["cluster.cluster.x-k8s.io/w1"]);
        await fixture.kubectl("delete", "openstackcluster", "theirs");
    });

    it("says in preview what will roll", async () => {
        await give({ workloads: { w1: workload({ version: "1.36.4" }) } });
        const preview = await fixture.project.preview();
        assert.match(
            preview,
            /w1: control plane: 1 machine will be replaced, one after the other: Kubernetes v1\.36\.3 → v1\.36\.4/,
        );
        assert.match(preview, /w1: pool md: 1 machine will be replaced/);
    });

    it("is not removed while a workload cluster of somebody else exists", async () => {
        const theirs = {
            apiVersion: "cluster.x-k8s.io/v1beta2",
            kind: "Cluster",
            metadata: { name: "theirs", namespace: "default" },
            spec: {
                paused: true,
                infrastructureRef: {
                    apiGroup: "infrastructure.cluster.x-k8s.io",
                    kind: "OpenStackCluster",
                    name: "theirs",
                },
            },
        };
        await apply(fixture, theirs);
        await give({ management: null });
        const output = await fails();
        assert.match(output, /CLUSTER_IN_USE/);
        assert.match(output, /default\/theirs/);
        // Our own workload cluster went before.
        assert.deepEqual(await names("clusters.cluster.x-k8s.io", "-A"), ["cluster.cluster.x-k8s.io/theirs"]);
        // It is paused, so its controller never removes its own finalizer.
        await fixture.kubectl("delete", "cluster", "theirs", "--wait=false");
        await fixture.kubectl("patch", "cluster", "theirs", "--type=merge", "-p", '{"metadata":{"finalizers":null}}');
    });

    it("is removed with all that is ours, definitions included where nobody has objects of theirs", async () => {
        await fixture.project.up();
        await eventually(60, async () => {
            const now = [
                ...(await names("crd")),
                ...(await names("namespaces")),
                ...(await names("validatingwebhookconfigurations")),
            ];
            assert.deepEqual(
                now.filter(name => /cluster\.x-k8s\.io|cap[io]-/.test(name)),
                [],
            );
        });
        await fixture.project.up({ expectNoChanges: true });
    });
});
