import { KubernetesCluster } from "../../../../../components";
import type { RotateArgs } from "../../../../../components/args/rotate-args";
import type { RecordedRotation } from "../../../../../components/infrastructure/openstack/rotation-record";
import { record } from "../../recorder";
import { cloudArgs } from "./sample-cloud-args";

interface Rotated {
    rotate?: RotateArgs;
    /** What the state says of the rotation. Undefined: there was none; "unread": the state cannot be read. */
    recorded?: RecordedRotation | "unread" | undefined;
    /** Outputs of ServerKeys in the state, and in this run. */
    before?: object;
    serverKeys: object;
    mode?: "up" | "preview";
    /** Name of the cluster's resource in the state: by an alias it gets another one in this run. @default "core" */
    formerName?: string;
    /** Further inputs of the cluster. */
    more?: object;
}

const cluster = "pulumi-nfv:index:KubernetesCluster";
const urnOf = (parents: string, type: string, name: string) =>
    `urn:pulumi:test::test::${parents}$pulumi-nodejs:dynamic/nfv:${type}::${name}`;

/** What a program with words of rotations registers on servers of Nova, by a state of its stack. */
export async function rotatedCluster(given: Rotated) {
    const { rotate, recorded, before = {}, serverKeys, mode = "up", formerName = "core", more } = given;
    const urn = (parents: string, type: string) => urnOf(parents, type, formerName);
    const args = { ...cloudArgs({}, { pools: { workers: { count: 1 } }, ...more }), ...(rotate && { rotate }) };
    const outputs = {
        [urn(cluster, "ServerKeys")]: { outputs: { clusterName: "core", ...before } },
        ...(recorded && {
            [urn(`${cluster}$pulumi-nfv:index:ClusterOnNova`, "LoginRotation")]: {
                outputs: { clusterId: "core-0a1b2c3d", ...(recorded as RecordedRotation) },
            },
        }),
    };
    const { resources } = await record(mode, () => new KubernetesCluster("core", args), {
        call: token => {
            const asksState = token === "pulumi:pulumi:readStackResourceOutputs";
            if (asksState && recorded === "unread") throw new Error("no answer");
            return asksState ? { outputs } : { id: "id", name: "public", cidr: "192.168.0.0/20" };
        },
        updated: [],
        outputs: each => ({
            ...(each.endsWith(":Port") && { allFixedIps: ["10.100.0.7"] }),
            ...(each.endsWith(":FloatingIp") && { address: "203.0.113.7" }),
            ...(each.endsWith(":ServerKeys") && serverKeys),
            ...(each.endsWith(":OperationStart") && { generations: {} }),
        }),
    });
    return resources;
}
