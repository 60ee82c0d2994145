import type { KubernetesClusterArgs, PoolArgs } from "../../../components/args";

/** Looks like a key, and contains a word that tests search for. */
export const sampleKey = "-----BEGIN OPENSSH PRIVATE KEY-----\ncanary-private-key\n-----END OPENSSH PRIVATE KEY-----\n";
export const sampleCertificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

/** Arguments of a cluster with this many control-plane nodes, and workers in each pool. */
export function clusterArgs(
    masters: number,
    pools: Record<string, number> = {},
    more: Partial<KubernetesClusterArgs> = {},
): KubernetesClusterArgs {
    let next = 20;
    const machines = (letter: string, count: number, address: (i: number) => number) =>
        Object.fromEntries(
            Array.from({ length: count }, (_, i) => [
                `${letter}${i + 1}`,
                { address: `10.99.${Math.floor(address(i) / 50)}.${address(i) % 50}` },
            ]),
        );
    return {
        infrastructure: {
            hosts: {
                ssh: { user: "ops", privateKey: sampleKey },
                controlPlane: machines("m", masters, i => 11 + i),
                pools: Object.fromEntries(
                    Object.entries(pools).map(([pool, count]) => [pool, machines(`${pool}-`, count, () => ++next)]),
                ),
            },
        },
        kubernetes: { version: "1.34.4" },
        pools: Object.fromEntries(Object.keys(pools).map((pool): [string, PoolArgs] => [pool, {}])),
        ...(masters > 1 && { controlPlane: { endpoint: { vip: { address: "10.99.0.100" } } } }),
        ...more,
    };
}
