import * as pulumi from "@pulumi/pulumi";
import { AuthorityRotation, EncryptionRotation, ServiceAccountRotation } from "../../provider/adapters/dynamic";
import { defaultGraceHours, type RotateArgs } from "../args/rotate-args";
import type { Cluster } from "./cluster-parts";

/** A rotation of one of the cluster's keys. */
interface Rotation {
    make: new (name: string, inputs: never, options: pulumi.CustomResourceOptions) => pulumi.Resource;
    /** The input of `rotate` that asks for it, and the id that it has there. */
    input: "encryptionKey" | "serviceAccountKey" | "authorities";
    requestId: string | undefined;
    /** What it brings. Without a name it is what the cluster was made with. A function, like its other inputs: most runs rotate nothing. */
    key(): pulumi.Output<object>;
    /** What happens on a node, for preview, which cuts longer texts. */
    onControlPlane: string;
    onWorker?: string;
    /** Inputs of its own. */
    inputs?(): object;
}

/** In their order: each acts on all control-plane nodes. */
function rotationsOf({ identity, nodes }: Cluster, rotate: RotateArgs): Rotation[] {
    const { keys, exchanged, unendedAuthorities: unended } = identity;
    const { serviceAccountGraceHours = defaultGraceHours, authoritiesGraceHours = defaultGraceHours } = rotate;
    const named = (name: string | undefined) => name !== undefined && { name };
    const workers = () =>
        nodes.filter(({ role }) => role === "worker").map(({ name, connection }) => ({ name, connection }));
    return [
        {
            ...{ make: EncryptionRotation, input: "encryptionKey", requestId: rotate.encryptionKey },
            key: () =>
                keys.apply(({ encryptionKey: secret, encryptionKeyName }) => ({
                    secret,
                    ...named(encryptionKeyName),
                })),
            onControlPlane:
                "its API server gets to know the new encryption key, encrypts with it, and forgets the former one when all Secrets have the new one; nothing restarts",
        },
        {
            ...{ make: ServiceAccountRotation, input: "serviceAccountKey", requestId: rotate.serviceAccountKey },
            key: () =>
                keys.apply(made => ({
                    ...{ secret: made.serviceAccountKey, public: made.serviceAccountPublicKey },
                    ...named(made.serviceAccountKeyName),
                })),
            onControlPlane:
                "its API server restarts to accept tokens of the new service-account key, and once more to sign with it; tokens of the former key stay valid meanwhile",
            inputs: () => ({ graceHours: serviceAccountGraceHours }),
        },
        {
            ...{ make: AuthorityRotation, input: "authorities", requestId: rotate.authorities },
            key: () =>
                pulumi.all([keys, exchanged]).apply(([made, bridged]) => {
                    const { caKey: secret, caCertificate, etcdCaCertificate, etcdCaKey } = made;
                    const { frontProxyCaCertificate, frontProxyCaKey } = made;
                    return {
                        secret,
                        authorities: {
                            ...{ caCertificate, etcdCaCertificate, etcdCaKey },
                            ...{ frontProxyCaCertificate, frontProxyCaKey },
                        },
                        ...(bridged !== undefined && { name: bridged.name, bridges: bridged.bridges }),
                    };
                }),
            onControlPlane:
                "new certificates, then new authorities: etcd, API server, controller manager, scheduler and kubelet restart at most twice; pods go on",
            onWorker: "new certificate of kubelet, then new authority: kubelet restarts twice; pods go on",
            inputs: () => ({
                ...{ graceHours: authoritiesGraceHours, when: when(authoritiesGraceHours), unended },
                workers: pulumi.jsonStringify(workers()),
            }),
        },
    ];
}

const when = (graceHours: number) =>
    graceHours === 0
        ? "in this run"
        : `with the first pulumi up ${graceHours} hours after users got the new authority; until then no node changes`;

export interface Rotations {
    all: pulumi.Resource[];
    authorities?: pulumi.Resource;
}

/** One after another, when all nodes are there: after `nodes`, so that one that is dead is healed before. */
export function makeRotations(
    cluster: Cluster,
    rotate: RotateArgs | undefined,
    nodes: readonly pulumi.Resource[],
): Rotations {
    const made: Rotations = { all: [] };
    for (const rotation of rotationsOf(cluster, rotate ?? {}).filter(({ requestId }) => requestId !== undefined)) {
        const options = { ...cluster.goesWithCluster, dependsOn: [...nodes, ...made.all] };
        const resource = new rotation.make(cluster.name, inputsOf(cluster, rotation) as never, options);
        made.all.push(resource);
        if (rotation.input === "authorities") made.authorities = resource;
    }
    return made;
}

function inputsOf(cluster: Cluster, { input, requestId, key, onControlPlane, onWorker, inputs }: Rotation) {
    const { clusterId, rotated } = cluster.identity;
    const lines = cluster.nodes.map(({ name, role }) => [name, role === "worker" ? onWorker : onControlPlane]);
    return {
        ...{ clusterId, word: requestId, ...inputs?.() },
        madeFor: rotated.apply(ids => ids[input] ?? ""),
        key: pulumi.secret(key()),
        peers: pulumi.jsonStringify(cluster.controlPlane),
        nodes: Object.fromEntries(lines.filter(([, what]) => what !== undefined)),
        ...cluster.unchecked,
    };
}

/** The cluster as its users reach it: who uses its authority or its administrator waits until all nodes take them. */
export function afterRotation(cluster: Cluster, rotation: pulumi.Resource | undefined): Cluster {
    const { identity } = cluster;
    const wait = (value: pulumi.Output<string>) =>
        rotation === undefined ? value : pulumi.all([value, rotation.urn]).apply(([known]) => known);
    const reached = {
        caCertificate: wait(identity.caCertificateAfterwards),
        adminCertificate: wait(identity.adminCertificate),
        adminKey: wait(identity.adminKey),
    };
    return { ...cluster, identity: { ...identity, ...reached } };
}
