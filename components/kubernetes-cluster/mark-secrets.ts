import * as pulumi from "@pulumi/pulumi";
import type { KubernetesClusterArgs } from "../args/args";

/** Marks passwords as secret, and a proxy's URL if it contains a password or is not known yet. */
export function markSecrets(args: KubernetesClusterArgs): KubernetesClusterArgs {
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
