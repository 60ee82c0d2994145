import type { KubernetesClusterArgs, PoolArgs } from "../../../components/args/args";

/** A private key with a word that tests search for, for no machine; and a certificate that nobody trusts. */
export const sampleKey = `${[
    "-----BEGIN EC PRIVATE KEY-----",
    "Comment: canary-private-key",
    "MHcCAQEEIEnSrH1wKigZ3LC4CIRhf1OYdW64T6+bbnXp5EYEoURcoAoGCCqGSM49",
    "AwEHoUQDQgAEN6RyuZL/azT9ciDoWiWfsZKDxAxc9JI0NqrVxx8cjxU992xTJ5Nv",
    "HMaQByxX8vJasHiWGMuTaxeQO4YwD0+f1g==",
    "-----END EC PRIVATE KEY-----",
].join("\n")}\n`;
export const sampleCertificate = `${[
    "-----BEGIN CERTIFICATE-----",
    "MIIBejCCAR+gAwIBAgIUXXoyHN/N15SE/jelzu2d9frIRDEwCgYIKoZIzj0EAwIw",
    "ETEPMA0GA1UEAwwGc2FtcGxlMCAXDTI2MTEyOTEyNDMwMVoYDzIxMjYxMTA1MTI0",
    "MzAxWjARMQ8wDQYDVQQDDAZzYW1wbGUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC",
    "AAQ3pHK5kv9rNP1yIOhaJZ+xkoPEDFz0kjQ2qtXHHxyPFT33bFMnk28cxpAHLFfy",
    "8lqweJYYy5NrF5A7hjAPT5/Wo1MwUTAdBgNVHQ4EFgQUTRiEExaIxgLXU6de3+oc",
    "4HyzX40wHwYDVR0jBBgwFoAUTRiEExaIxgLXU6de3+oc4HyzX40wDwYDVR0TAQH/",
    "BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAyzhsTFw9rO4amq3svioc6d81q4Al",
    "RpSJ/b7G0GPyXWICIQDNG5vNbyWqvvSrpVZYbOLUa2EnIeCnJcWYM9aaOLa3pA==",
    "-----END CERTIFICATE-----",
].join("\n")}\n`;

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
        kubernetes: { version: "1.36.3" },
        pools: Object.fromEntries(Object.keys(pools).map((pool): [string, PoolArgs] => [pool, {}])),
        ...(masters > 1 && { controlPlane: { endpoint: { vip: { address: "10.99.0.100" } } } }),
        ...more,
    };
}
