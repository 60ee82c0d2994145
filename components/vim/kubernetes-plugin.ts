import type * as kubernetes from "@pulumi/kubernetes";
import { requirePackage } from "../common/plugin-package";

/** @pulumi/kubernetes, loaded at its first use: clusters and Vims work without it. */
export function requireKubernetes(): typeof kubernetes {
    return requirePackage<typeof kubernetes>("kubernetes").loaded;
}
