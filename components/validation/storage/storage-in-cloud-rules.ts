import * as pulumi from "@pulumi/pulumi";
import type { StorageCloudArgs } from "../../args/infrastructure-args";
import type { StorageServerArgs } from "../../args/storage-args";
import { cloudProblems, longestClusterName } from "../infrastructure-rules";
import type { Problem } from "../rule";
import { snapshotProblems } from "./snapshot-rules";
import { machineProblems } from "./storage-machine-rules";

const place = "infrastructure.nova";

/** What is wrong with the machine of a StorageServer and with the cloud that makes it. */
export function storageCloudRule({
    infrastructure,
    server,
    volumes,
    snapshots,
}: pulumi.Unwrap<StorageServerArgs>): Problem[] {
    const cloud = infrastructure?.nova as StorageCloudArgs | undefined;
    // A server that is known too late is refused elsewhere.
    if (server === undefined) return [];
    return [
        ...machineProblems("server", server, { cloud, names: place }),
        ...snapshotProblems("snapshots", { server, volumes, ...(snapshots && { snapshots }) }),
        ...(cloud === undefined ? [] : cloudProblems(cloud, place)),
        ...(cloud?.access?.floatingIps === "controlPlane"
            ? [[`${place}.access.floatingIps`, '"controlPlane" is for nodes: all or none'] as Problem]
            : []),
        ...(cloud !== undefined && server.flavor === undefined && "address" in server
            ? [["server.flavor", `is required with ${place}, which makes the server`] as Problem]
            : []),
    ];
}

const isLater = (value: unknown) => pulumi.Output.isInstance(value) || value instanceof Promise;

/**
 * The same for what only the program's own values show: names in the cloud begin with the server's name, and each client becomes a rule there.
 * Values of a wrong type are left to the structure's check.
 */
export function cloudStorageProblems(
    name: string,
    { infrastructure, server, volumes, exports, serverName }: StorageServerArgs,
): string[] {
    const later = Object.entries({ infrastructure, [place]: infrastructure?.nova, server, volumes, exports }).filter(
        ([at, value]) => isLater(value) && !(at === place && isLater(infrastructure)),
    );
    if (later.length > 0) return later.map(([at]) => `${at}: must be known when the program runs`);
    if (infrastructure?.nova === undefined) return [];
    const clientsOf = Object.entries(exports ?? {}).map(([path, each]) => [path, each?.clients] as const);
    const unknown = clientsOf.filter(
        ([, clients]) => isLater(clients) || (Array.isArray(clients) && clients.some(isLater)),
    );
    const zoned = clientsOf.flatMap(([path, clients]) =>
        Array.isArray(clients)
            ? clients.filter(each => typeof each === "string" && each.includes("%")).map(each => [path, each] as const)
            : [],
    );
    const own = typeof serverName === "string" ? serverName : name;
    return [
        ...(own.length > longestClusterName
            ? [
                  `serverName: must be of at most ${longestClusterName} characters with ${place}: the cloud's tags hold no more`,
              ]
            : []),
        ...unknown.map(
            ([path]) =>
                `exports.${path}.clients: must be plain text with ${place}: each becomes a rule of the security group. Name their network`,
        ),
        ...zoned.map(
            ([path, client]) =>
                `exports.${path}.clients: "${client}" has a zone, and a rule of the security group has none: give the address, or its network`,
        ),
    ];
}
