import type * as openstack from "@pulumi/openstack";
import { requirePackage } from "../../common/plugin-package";

/** @pulumi/openstack, loaded when servers come from a cloud. */
export function requireOpenstack(): typeof openstack {
    return requirePackage<typeof openstack>("openstack").loaded;
}

/** A server group's policy: the package expects a list up to version 3, and a string since. */
export function policies(policy: string, version = requirePackage("openstack").version): string[] {
    return Number.parseInt(version, 10) > 3 ? (policy as unknown as string[]) : [policy];
}
