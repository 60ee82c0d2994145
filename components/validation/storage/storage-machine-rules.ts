import { isIP } from "node:net";
import type * as pulumi from "@pulumi/pulumi";
import type { CloudServersArgs } from "../../args/infrastructure-args";
import type { StorageMachineArgs } from "../../args/storage-args";
import type { Problem } from "../rule";

/** Values that do not belong there. */
export function given(at: string, values: Record<string, unknown>, why: string): Problem[] {
    return Object.entries(values)
        .filter(([, value]) => value !== undefined)
        .map(([key]): Problem => [`${at}.${key}`, why]);
}

/** What only a server that is made has, and what only an existing machine has. */
const ofServer = ["image", "bootVolume", "availabilityZone", "fixedAddress", "securityGroups"] as const;

/** The cloud in which a server can be made. */
export interface CloudOfServer {
    /** Settings of the cloud; undefined: there is none. */
    cloud: CloudServersArgs | undefined;
    /** Inputs that name a cloud: "infrastructure.heat or nova". */
    names: string;
    /** Whether the settings say all images, which a template of the user does by itself. @default true */
    hasImages?: boolean;
}

/** What is wrong with the machine that serves. */
export function machineProblems(
    at: string,
    server: pulumi.Unwrap<StorageMachineArgs>,
    { cloud, names, hasImages = true }: CloudOfServer,
): Problem[] {
    if (server.flavor === undefined) {
        const made = Object.fromEntries(ofServer.map(key => [key, server[key]]));
        return [
            ...("address" in server
                ? []
                : [[at, "needs address, of a machine that exists, or flavor, for a server that is made"] as Problem]),
            ...given(at, made, "is for a server that is made: give flavor instead of address"),
        ];
    }
    const inCloud = { address: server.address, ssh: server.ssh };
    const hasImage = [server.image, cloud?.server?.image, cloud?.image].some(image => image !== undefined);
    return [
        ...given(at, inCloud, "is for a machine that exists already: give no flavor"),
        ...(server.fixedAddress === undefined || isIP(server.fixedAddress) === 4
            ? []
            : [[`${at}.fixedAddress`, `"${server.fixedAddress}" is no IPv4 address`] as Problem]),
        ...(cloud
            ? []
            : [
                  [
                      `${at}.flavor`,
                      `is for a server that is made in a cloud, and ${names} is missing: give that, or address, of a machine that exists`,
                  ] as Problem,
              ]),
        ...(cloud && hasImages && !hasImage
            ? [[`${at}.image`, "is required: the settings of the cloud name no image"] as Problem]
            : []),
    ];
}
