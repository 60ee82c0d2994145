import type * as kubernetes from "@pulumi/kubernetes";
import { requirePackage } from "./plugin-package";

/** @pulumi/kubernetes, loaded when somebody wants to use it: clusters and Vims do without it. */
export function requireKubernetes(): typeof kubernetes {
    return requirePackage<typeof kubernetes>("kubernetes").loaded;
}
