import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { KubernetesCluster } from "../../../../components";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { placedMembers } from "../../../../components/infrastructure/hosts/members";
import { givenCloudProvider } from "../../../../components/infrastructure/openstack/plan/cloud-provider-plan";
import { planServers } from "../../../../components/infrastructure/openstack/plan/plan-servers";
import { wishesOf as wishesOfCluster } from "../../../../components/kubernetes-cluster/wishes";
import { promiseOf } from "../../../../provider/adapters/later";
import { unknownSetting } from "../../../../provider/operation/operation-start-inputs";
import { plannedCluster } from "../planned-cluster";
import { record, registered } from "../recorder";
import { clusterArgs } from "../sample-args";
import { triedChanges } from "../schema/tried-changes";

const unknown = new (pulumi.Output as any)(
    new Set(),
    Promise.resolve(pulumi.unknown),
    Promise.resolve(false),
    Promise.resolve(false),
    Promise.resolve(new Set()),
) as pulumi.Output<never>;

function wishesOf(args: KubernetesClusterArgs): Promise<Record<string, string>> {
    const { heat, nova } = args.infrastructure;
    const infrastructure =
        heat || nova
            ? {
                  nodes: planServers(args, "core", { project: "p", stack: "s" }).servers,
                  ...(args.cloudProvider && { cloudProvider: givenCloudProvider(args, args.cloudProvider) }),
              }
            : placedMembers(args);
    const files = { cniManifests: args.network?.cniManifests ?? [] };
    return promiseOf(wishesOfCluster({ args, name: "core", infrastructure, files }, pulumi.output("key")));
}

/** The fingerprints of the steps of each resource, and where it is: a worker's Node does not know the endpoint. */
function stepsOf(args: KubernetesClusterArgs): Record<string, string> {
    const { shape: planned, steps } = plannedCluster(args);
    const endpoint = `${planned.endpoint.host}:${planned.endpoint.port}`;
    const of = (name: string, type: "host" | "node") =>
        steps
            .filter(({ place, step }) => place === name && typeOf(step.id) === type)
            .map(({ step }) => step.fingerprint);
    const ofCluster = (ids: string[]) =>
        steps
            .filter(({ place, step }) => place === "cluster" && ids.includes(step.id))
            .map(({ step }) => step.fingerprint)
            .join();
    const machines = Object.fromEntries(
        Object.keys(planned.hosts).flatMap(name =>
            (["host", "node"] as const).map(type => {
                const { address, role } = planned.hosts[name]! as { address: string; role: string };
                const isWorkersNode = type === "node" && role === "worker";
                return [`${type} ${name}`, [...of(name, type), address, isWorkersNode ? "" : endpoint].join()];
            }),
        ),
    );
    return {
        ...machines,
        network: ofCluster(["cluster.coredns-apart", "cluster.network", "cluster.virtual-address", "cluster.tenants"]),
        end: ofCluster(["cluster.endpoint", "cluster.nodes-ready", "cluster.coredns"]),
        endpoint,
    };
}

const typeOf = (id: string) => (id.startsWith("host.") ? "host" : "node");

const differing = (before: Record<string, string>, after: Record<string, string>) =>
    Object.keys(before)
        .filter(
            name =>
                after[name] !== undefined &&
                after[name] !== before[name] &&
                !["storage", "cloudProvider"].includes(name),
        )
        .sort();

describe("the wish for each resource that runs steps", () => {
    // Read from the operator's machine in a program; here the bundle has no files.
    const rows = Object.entries(triedChanges).filter(([, { before }]) => !before.kubernetes.source?.bundle);
    for (const [row, { before, after }] of rows) {
        it(`changes with its steps, and only then: ${row}`, async () => {
            const [former, later] = [await wishesOf(before), await wishesOf(after)];
            assert.deepEqual(differing(former, later), differing(stepsOf(before), stepsOf(after)));
        });
    }

    it("is the same for all that stay when a node is added on a cloud", async () => {
        const args = (count: number): KubernetesClusterArgs => ({
            infrastructure: { nova: { image: "debian", flavor: "medium", externalNetwork: "public" } },
            kubernetes: { version: "1.36.3" },
            controlPlane: { count: 3 },
            pools: { a: { count } },
        });
        assert.deepEqual(differing(await wishesOf(args(1)), await wishesOf(args(3))), ["end"]);
    });

    it("has the storage server's exports, too", async () => {
        const args = (mode: string): KubernetesClusterArgs => ({
            ...clusterArgs(1),
            storage: {
                server: { address: "10.0.0.31" },
                volumes: { data: { disk: "/dev/vdb" } },
                exports: { "/data": { volume: "data", mode } },
            },
        });
        const [one, other] = [await wishesOf(args("0770")), await wishesOf(args("0700"))];
        assert.notEqual(one["storage"], other["storage"]);
    });

    it("has the backups of the storage server by themselves, and only where there are some", async () => {
        const args = (run?: string): KubernetesClusterArgs => ({
            ...clusterArgs(1),
            storage: {
                server: { address: "10.0.0.31" },
                volumes: { data: { disk: "/dev/vdb" } },
                exports: { "/data": { volume: "data" } },
                ...(run && { backups: { nightly: { repository: { folder: "/mnt" }, password: "p", run } } }),
            },
        });
        const [one, other] = [await wishesOf(args("one")), await wishesOf(args("two"))];
        assert.deepEqual(differing(one, other), ["backups"]);
        assert.ok(!("backups" in (await wishesOf(args()))));
    });

    it("has the cloud's own components, with the login that the program gives", async () => {
        const args = (cloudProvider?: KubernetesClusterArgs["cloudProvider"]): KubernetesClusterArgs => ({
            infrastructure: { nova: { image: "debian", flavor: "medium", externalNetwork: "public" } },
            kubernetes: { version: "1.36.3" },
            ...(cloudProvider && { cloudProvider }),
        });
        const wishOf = async (given?: KubernetesClusterArgs["cloudProvider"]) =>
            (await wishesOf(args(given)))["cloudProvider"];
        const cinderCsi = { storageClasses: { fast: { volumeType: "ssd" } } };
        const login = (secret: string) => ({
            credentials: { applicationCredentialId: "id", applicationCredentialSecret: pulumi.secret(secret) },
        });
        const wishes = await Promise.all(
            [
                undefined,
                { cinderCsi: {} },
                { cinderCsi },
                { cinderCsi, ...login("a") },
                { cinderCsi, ...login("b") },
            ].map(wishOf),
        );
        assert.equal(wishes[0], undefined);
        assert.equal(new Set(wishes).size, 5);
        assert.equal(await wishOf({ cinderCsi, ...login("a") }), wishes[3]);
    });

    it("is given to the cluster's record, and its number to the machine", async () => {
        const { resources } = await record("up", () => new KubernetesCluster("core", clusterArgs(1, { a: 1 })), {
            outputs: type =>
                type.endsWith("ClusterRecord")
                    ? { changeNumbers: { "node m1": 2, "host a-1": 1, network: 3, end: 4, endpoint: 5 } }
                    : {},
        });
        const wishes = registered(resources, "ClusterRecord core").inputs["wishes"] as Record<string, string>;
        assert.deepEqual(Object.keys(wishes).sort(), [
            ...["end", "endpoint", "host a-1", "host m1", "network", "node a-1", "node m1"],
        ]);
        const numberOf = (label: string) => registered(resources, label).inputs["changeNumber"];
        assert.deepEqual(["Host core-m1", "Node core-m1", "Host core-a-1", "Node core-a-1"].map(numberOf), [
            undefined,
            2,
            1,
            undefined,
        ]);
        assert.deepEqual(["ClusterNetwork core", "OperationEnd core"].map(numberOf), [3, 4]);
        assert.equal(registered(resources, "OperationEnd core").inputs["endpointNumber"], 5);
    });

    it("waits for no machine, and is unknown only where the program gives what is not known yet", async () => {
        const args = { ...clusterArgs(1), proxy: { httpProxy: unknown } };
        const program = () => new KubernetesCluster("core", args);
        const { resources } = await record("preview", program, { updated: [] });
        const noted = registered(resources, "ClusterRecord core");
        assert.deepEqual(noted.after, ["ClusterId core"]);
        const wishes = noted.inputs["wishes"] as Record<string, string>;
        assert.equal(wishes["host m1"], unknownSetting);
        assert.match(wishes["node m1"]!, /^[0-9a-f]{12}$/);
    });
});
