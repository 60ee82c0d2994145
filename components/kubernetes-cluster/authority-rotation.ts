import * as pulumi from "@pulumi/pulumi";
import { type Args, AuthorityRotation } from "../../provider/adapters/dynamic";
import type { AuthorityRotationInputs } from "../../provider/procedures/authorities/authority-rotation";
import { defaultGraceHours, type RotateArgs } from "../args/rotate-args";
import type { Cluster } from "./cluster-parts";

// Previews cut longer texts.
const onMaster =
    "new certificates, then new authorities: etcd, API server, controller manager, scheduler and kubelet restart at most twice; pods go on";
const onWorker = "new certificate of kubelet, then new authority: kubelet restarts twice; pods go on";
const when = (graceHours: number) =>
    graceHours === 0
        ? "in this run"
        : `with the first pulumi up ${graceHours} hours after users got the new authority; until then no node changes`;

/** The cluster's authorities become others when all nodes are there: after `nodes`, so that one that is dead is healed before. */
export function makeAuthorityRotation(
    cluster: Cluster,
    rotate: RotateArgs | undefined,
    after: readonly pulumi.Resource[],
): AuthorityRotation | undefined {
    const word = rotate?.authorities;
    if (word === undefined) return undefined;
    const { clusterId, keys, exchanged, rotated, unendedAuthorities: unended } = cluster.identity;
    const key = pulumi.all([keys, exchanged]).apply(([made, given]) => {
        const { caKey: secret, caCertificate, etcdCaCertificate, etcdCaKey } = made;
        const { frontProxyCaCertificate, frontProxyCaKey } = made;
        return {
            secret,
            authorities: { caCertificate, etcdCaCertificate, etcdCaKey, frontProxyCaCertificate, frontProxyCaKey },
            ...(given !== undefined && { name: given.name, bridges: given.bridges }),
        };
    });
    const workers = cluster.nodes
        .filter(({ role }) => role === "worker")
        .map(({ name, connection }) => ({ name, connection }));
    const graceHours = rotate?.authoritiesGraceHours ?? defaultGraceHours;
    const inputs = {
        ...{ clusterId, word, graceHours, when: when(graceHours), unended },
        madeFor: rotated.apply(({ authorities = "" }) => authorities),
        key: pulumi.secret(key),
        peers: pulumi.jsonStringify(cluster.controlPlane),
        workers: pulumi.jsonStringify(workers),
        nodes: Object.fromEntries(
            cluster.nodes.map(({ name, role }) => [name, role === "controlPlane" ? onMaster : onWorker]),
        ),
        ...cluster.unchecked,
    };
    return new AuthorityRotation(cluster.name, inputs as unknown as Args<AuthorityRotationInputs>, {
        ...cluster.goesWithCluster,
        dependsOn: [...after],
    });
}
