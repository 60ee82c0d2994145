import * as pulumi from "@pulumi/pulumi";
import {
    type Args,
    BundleImages,
    ClusterIdentity,
    ClusterNetwork,
    type DeepInput,
    Host,
    Membership,
    Node,
    OperationEnd,
    OperationStart,
} from "../provider/dynamic";
import { adminExpiry, type CertificateExpiry, earliest } from "../provider/expiry";
import { caCertHash, clusterKeys, renderKubeconfig } from "../provider/identity";
import { hostSteps } from "../provider/lifecycle/host-steps";
import { nodeSteps } from "../provider/lifecycle/node-steps";
import type { ClusterKeys, HostSpec, NodeSpec, PublicIdentity } from "../provider/model";
import type { BundleImagesInputs } from "../provider/resources/bundle-images";
import { type ClusterNetworkSpec, networkSteps } from "../provider/resources/cluster-network";
import { leftOutOfRun } from "../provider/resources/kept-inputs";
import { type OperationEndSpec, operationEndSteps } from "../provider/resources/operation-end";
import type { KubernetesClusterArgs } from "./args";
import { certificateText, mapClusterCertificates } from "./certificate-files";
import { keptInputs } from "./fixed-values";
import { knownOr } from "./known-or";
import type { Servers } from "./openstack/servers";
import { comparedInputs, hostNodes } from "./operation";
import { readFiles } from "./operator-files";
import { sampleIdentity, sampleKeys } from "./sample-identity";
import { type StandIns, stepsShown } from "./steps-shown";
import { members, type PlainArgs, sshTarget, type Topology, topology } from "./topology";
import { problemsWhenKnown, validate } from "./validate";
import { Vim } from "./vim";

/**
 * A highly available Kubernetes cluster on machines: control-plane nodes with stacked etcd behind one stable address, pools of workers,
 * a pod network, and access to it as a VIM. See docs/how-it-works.md for its resources and their order.
 */
export class KubernetesCluster extends pulumi.ComponentResource {
    /** URL of the API. */
    readonly endpoint: pulumi.Output<string>;
    /**
     * Administrator access. Known before the first node exists, and unchanged as long as the cluster lives.
     * @secret
     */
    readonly kubeconfig: pulumi.Output<string>;
    /** Id of the cluster; it never changes. */
    readonly clusterId: pulumi.Output<string>;
    /** PEM certificate of the cluster's authority. */
    readonly caCertificate: pulumi.Output<string>;
    /** Names of the nodes. */
    readonly nodes: pulumi.Output<string[]>;
    /**
     * What the last `up` with changes did, in the words of ETSI NFV's operations: `scale out workers +1 (w3)`. Several operations are listed in their
     * order. A run without changes keeps the value.
     */
    readonly operation: pulumi.Output<string>;
    /**
     * The cluster's certificate that expires first (`certificate`), its node (`node`) and its end (`expires`, ISO 8601), as last seen by `up` or a
     * refresh. The kubelet renews its own certificates, so they count only when that is overdue. `vim.tokenExpires` is the end of the token.
     */
    readonly earliestExpiry: pulumi.Output<CertificateExpiry>;
    /** The cluster as a VIM; ready when the control-plane nodes are. */
    readonly vim: Vim;

    constructor(name: string, args: KubernetesClusterArgs, options?: pulumi.ComponentResourceOptions) {
        super("pulumi-nfv:index:KubernetesCluster", name, {}, options);
        validate("KubernetesCluster", name, args);
        const marked = markSecrets(mapClusterCertificates(args, certificateText));
        const cloudPlan = args.infrastructure.hosts ? undefined : openstackPart().planCloud(name, args);
        const site = cloudPlan && openstackPart().cloudSite(name, cloudPlan, this);
        const child = { parent: site?.cluster ?? this };
        const clusterName = args.clusterName ?? name;
        const kept = keptInputs(args, name, cloudPlan, site?.check.names);
        const identity = new ClusterIdentity(
            name,
            {
                clusterName,
                problems: problemsWhenKnown("KubernetesCluster", name, args),
                kept,
            },
            { ...child, ...(site && { dependsOn: [site.check] }) },
        );
        const { clusterId, fingerprintKey } = identity;
        const files = readFiles(marked as PlainArgs);
        const contents = {
            "kubernetes.source": files.bundleFiles,
            "network.cniManifests": files.cniManifests,
            "infrastructure.heat.template": cloudPlan?.own?.files,
        };
        const compared = comparedInputs(marked, name, contents, fingerprintKey);
        const ground =
            site &&
            openstackPart().cloudGround({
                name,
                args: marked,
                cloudPlan,
                site,
                clusterId,
                compared,
                kept,
                parent: this,
            });
        const settled = ground?.args ?? marked;
        const shape = topology(settled as PlainArgs, name, files);
        const standIns = ground?.standIns.map(each => topology(each as PlainArgs, name, files));
        const { endpoint } = shape;
        const host = ground?.apiHost ?? endpoint.hostsEntry?.address ?? endpoint.host;
        const url = pulumi.interpolate`https://${host}:${endpoint.port}`;
        const publicIdentity: DeepInput<PublicIdentity> = {
            clusterId,
            caCertHash: identity.caCertificate.apply(caCertHash),
            fingerprint: identity.fingerprint,
        };
        const keys = clusterKeys(identity as unknown as ClusterKeys) as DeepInput<ClusterKeys>;
        const samplePublic = sampleIdentity(clusterName);
        const sampleId = { clusterId: samplePublic.clusterId };
        const machines = members(settled).map(({ name: node, role, pool, machine }) => ({
            node,
            ...(!site && { programPath: hostPath(node, pool) }),
            role,
            address: machine.address,
            connection: sshTarget(settled.infrastructure.hosts?.ssh, machine),
        }));
        const controlPlane = machines
            .filter(({ role }) => role === "controlPlane")
            .map(({ node, address, connection }) => ({ name: node, address, connection }));

        const membership = new Membership(
            name,
            {
                nodes: Object.fromEntries(machines.map(({ node, address }) => [node, site ? "" : address])),
                endpoint: pulumi.output(endpoint).apply(known => JSON.stringify([known.host, known.port])),
            },
            // If the identity's check refuses the inputs, the membership must not change.
            { ...child, dependsOn: [identity] },
        );
        const endpointNumber = membership.endpointNumber.apply(number => number ?? 0);
        const generationOf = (node: string) => membership.generations.apply(numbers => numbers?.[node] ?? 0);

        /** Another server with the same name is another machine, and the cloud reports whether a server is gone. */
        const serverOf = (node: string) => {
            const server = ground?.servers[node];
            return server && { server: ground.server, serverId: server.id };
        };

        const startSpec = { clusterId, clusterName, backEnd: "hosts" as const, nodes: hostNodes(settled), ...compared };
        const start = ground?.start ?? new OperationStart(name, { spec: startSpec, keptInputs: kept }, child);
        /** Input of each resource that acts on machines: the checks may be left out of the run. */
        const unchecked = {
            problems: pulumi.all([start.keptInputs, kept]).apply(([seen, wanted]) => leftOutOfRun(seen, wanted)),
        };

        /** A prepared machine. It needs no other machine, so all hosts are prepared in parallel. */
        const makeHost = ({ node, connection, programPath }: (typeof machines)[number]) => {
            const { caCertHash } = publicIdentity as PublicIdentity;
            const complete = ({ hosts }: Topology) =>
                ({ ...hosts[node], clusterId, caCertHash }) as DeepInput<HostSpec>;
            const spec = complete(shape);
            const sample = { ...sampleId, caCertHash: samplePublic.caCertHash };
            const steps = stepsShown(hostSteps, spec, fingerprintKey, sample, twice(standIns, complete));
            const made = ground?.servers[node];
            return new Host(
                resourceName(name, node),
                {
                    spec,
                    connection,
                    steps,
                    fingerprintKey,
                    generation: generationOf(node),
                    endpointNumber,
                    programPath,
                    ...serverOf(node),
                    ...unchecked,
                },
                { ...child, dependsOn: [start], ...(made && { deletedWith: made.deletedWith }) },
            );
        };

        /** The machine's membership. On `destroy` of the cluster its Host is reset, so leaving would only cost time. */
        const makeNode = (
            { node, role, connection, programPath }: (typeof machines)[number],
            after: pulumi.Resource[],
        ) => {
            const hostId = hosts.get(node)!.id;
            const master = role === "controlPlane";
            const complete = ({ nodes }: Topology) =>
                ({
                    ...nodes[node],
                    clusterId,
                    identity: publicIdentity,
                    ...(master && { keys }),
                }) as DeepInput<NodeSpec>;
            const spec = complete(shape);
            const sample = { ...sampleId, identity: samplePublic, ...(master && { keys: sampleKeys }) };
            const steps = stepsShown(nodeSteps("join"), spec, fingerprintKey, sample, twice(standIns, complete));
            return new Node(
                resourceName(name, node),
                {
                    spec,
                    connection,
                    controlPlane,
                    steps,
                    fingerprintKey,
                    hostId,
                    generation: generationOf(node),
                    ...(master && { endpointNumber }),
                    programPath,
                    ...serverOf(node),
                    ...unchecked,
                },
                { ...child, dependsOn: after, deletedWith: identity },
            );
        };

        // In parallel with the hosts: the first node that pulls images is the first control-plane node.
        const images =
            shape.bundleImages &&
            new BundleImages(name, shape.bundleImages as Args<BundleImagesInputs>, { parent: this });
        const hosts = new Map(machines.map(machine => [machine.node, makeHost(machine)]));
        const masters: Node[] = [];
        for (const machine of machines.filter(({ role }) => role === "controlPlane")) {
            // etcd accepts one new member at a time. The first control-plane node waits until all are prepared: it must not
            // be made if another one can be a cluster already, and one that is down stops the operation before half a cluster exists.
            const after = masters.length === 0 ? controlPlane.map(({ name: master }) => master) : [machine.node];
            const others = masters.length === 0 ? (images ? [images] : []) : masters.slice(-1);
            masters.push(makeNode(machine, [...after.map(host => hosts.get(host)!), ...others]));
        }
        const workers = machines
            .filter(({ role }) => role === "worker")
            .map(machine => makeNode(machine, [hosts.get(machine.node)!, ...masters]));

        const networkSpec = { ...shape.cni, clusterId } as DeepInput<ClusterNetworkSpec>;
        const network = new ClusterNetwork(
            name,
            {
                spec: networkSpec,
                controlPlane,
                steps: stepsShown(networkSteps, networkSpec, fingerprintKey, sampleId),
                fingerprintKey,
                ...unchecked,
            },
            { ...child, dependsOn: masters.slice(0, 1), deletedWith: identity },
        );
        const inCloud =
            ground &&
            args.cloudProvider &&
            openstackProvider().cloudProvider({
                name,
                args: marked,
                given: marked.cloudProvider!,
                clusterName,
                clusterId,
                fingerprintKey,
                controlPlane,
                check: site!.check,
                provider: ground.provider,
                // Nodes stay uninitialised without it, so it waits for the first control-plane node only.
                options: { ...child, dependsOn: masters.slice(0, 1), deletedWith: identity },
            });
        this.vim = new Vim(
            name,
            {
                endpoint: url,
                caCertificate: identity.caCertificate,
                auth: { clientCertificate: identity.adminCertificate, clientKey: identity.adminKey },
                serviceAccount: {},
                ...args.vim,
                clusterIdentifier: clusterId,
            },
            { ...child, dependsOn: [...masters, network], deletedWith: identity },
        );
        const nodesByName = Object.fromEntries([...masters, ...workers].map((made, i) => [machines[i]!.node, made]));
        const endOf = ({ end }: Topology, standIn?: string) =>
            ({
                ...end,
                clusterId,
                nodeIds: idsOf(nodesByName, standIn),
                ...(ground && { servers: idsOf(ground.servers, standIn) }),
            }) as DeepInput<OperationEndSpec>;
        const endSpec = endOf(shape);
        const [one = shape, other = shape] = standIns ?? [];
        const endStandIns: StandIns<OperationEndSpec> = [endOf(one, "1"), endOf(other, "2")];
        const end = new OperationEnd(
            name,
            {
                spec: endSpec,
                controlPlane,
                endpointNumber,
                // Sorted by name, so that moving a machine to another pool changes nothing here.
                workers: machines
                    .filter(({ role }) => role === "worker")
                    .map(({ node, connection }) => ({ name: node, connection }))
                    .sort((a, b) => (a.name < b.name ? -1 : 1)),
                steps: stepsShown(operationEndSteps, endSpec, fingerprintKey, sampleId, endStandIns),
                fingerprintKey,
                ...unchecked,
            },
            {
                ...child,
                dependsOn: [...masters, ...workers, network, this.vim, ...(inCloud ? [inCloud] : [])],
            },
        );

        this.endpoint = url;
        this.kubeconfig = pulumi.secret(
            pulumi
                .all([url, identity.caCertificate, identity.adminCertificate, identity.adminKey])
                .apply(([server, ca, clientCert, clientKey]) =>
                    renderKubeconfig({ name: clusterName, endpoint: server, ca, clientCert, clientKey }),
                ),
        );
        this.clusterId = clusterId;
        this.caCertificate = identity.caCertificate;
        this.earliestExpiry = pulumi
            .all([end.earliestExpiry, identity.adminCertificate])
            .apply(([onNodes, admin]) => earliest([onNodes, adminExpiry(admin)].filter(each => each !== undefined))!);
        this.nodes = pulumi.output(machines.map(({ node }) => node));
        this.operation = start.operation.apply(line => line ?? "");
        this.registerOutputs({
            endpoint: this.endpoint,
            kubeconfig: this.kubeconfig,
            clusterId: this.clusterId,
            caCertificate: this.caCertificate,
            nodes: this.nodes,
            operation: this.operation,
            earliestExpiry: this.earliestExpiry,
        });
    }
}

/** Loaded only when servers come from a cloud. */
function openstackPart(): typeof import("./openstack/cloud-ground") {
    return require("./openstack/cloud-ground");
}

function openstackProvider(): typeof import("./openstack/cloud-provider") {
    return require("./openstack/cloud-provider");
}

/** Name of a node's resources, with the cluster's name once. */
function resourceName(cluster: string, node: string): string {
    return node.startsWith(`${cluster}-`) ? node : `${cluster}-${node}`;
}

/** Path of a machine in the program's inputs. */
function hostPath(node: string, pool: string | undefined): string {
    return `infrastructure.hosts.${pool === undefined ? "controlPlane" : `pools.${pool}`}.${node}`;
}

/** Ids by node; `standIn` replaces an id that is not known yet. */
function idsOf(
    made: Record<string, { id: Servers["servers"][string]["id"] }>,
    standIn?: string,
): Record<string, pulumi.Input<string | undefined>> {
    return Object.fromEntries(
        Object.entries(made).map(([node, { id }]) => [node, standIn === undefined ? id : knownOr(id, standIn)]),
    );
}

function twice<T>(shapes: Topology[] | undefined, make: (shape: Topology) => T): readonly [T, T] | undefined {
    const [one, other] = shapes ?? [];
    return one && other && [make(one), make(other)];
}

/** Marks passwords as secret, and a proxy's URL if it contains a password or is not known yet. */
function markSecrets(args: KubernetesClusterArgs): KubernetesClusterArgs {
    const registries = Object.entries(args.registries ?? {}).map(([registry, mirror]) => [
        registry,
        mirror.password === undefined ? mirror : { ...mirror, password: pulumi.secret(mirror.password) },
    ]);
    const url = <T>(value: T) => (typeof value === "string" && !value.includes("@") ? value : pulumi.secret(value));
    const { httpProxy, httpsProxy, ...proxy } = args.proxy ?? {};
    return {
        ...args,
        ...(args.registries && { registries: Object.fromEntries(registries) }),
        ...(args.proxy && {
            proxy: {
                ...proxy,
                ...(httpProxy !== undefined && { httpProxy: url(httpProxy) }),
                ...(httpsProxy !== undefined && { httpsProxy: url(httpsProxy) }),
            },
        }),
    };
}
