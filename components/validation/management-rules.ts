import type { ClusterApiProviderArgs } from "../args/cluster-api-provider-args";
import type { Problem, Rule } from "./rule";

/** The part of `ManagementClusterArgs` that the rules read. It itself refers to the component `Vim`, which uses the rules: a cycle. */
interface Checked {
    bundle?: string;
    providers?: Record<string, ClusterApiProviderArgs>;
    imageRepository?: string;
    timeoutSeconds?: number;
}

/** As Kubernetes writes amounts. */
const quantity = /^(\d+\.?\d*|\.\d+)(m|k|[KMGTPE]i|[MGTPE]|[eE][-+]?\d+)?$/;

/** One of them works, and the others wait to take over. */
const mostReplicas = 10;

export const managementClusterRules: Rule<Checked>[] = [
    ({ timeoutSeconds = 1 }) => (timeoutSeconds > 0 ? [] : [["timeoutSeconds", "must be greater than 0"]]),
    ({ providers = {} }) =>
        Object.entries(providers).flatMap(([label, { requests, limits }]) =>
            Object.entries({ requests, limits }).flatMap(([input, given]) =>
                Object.entries(given ?? {}).flatMap(([resource, text]): Problem[] =>
                    quantity.test(text)
                        ? []
                        : [[`providers.${label}.${input}.${resource}`, `"${text}" is no quantity: "100m", "128Mi"`]],
                ),
            ),
        ),
    ({ providers = {} }) =>
        Object.entries(providers).flatMap(([label, { image, flags = {} }]): Problem[] => [
            ...(image === ""
                ? [[`providers.${label}.image`, "is empty: leave it out, or give an image"] as Problem]
                : []),
            ...Object.keys(flags)
                .filter(flag => flag.startsWith("-"))
                .map((flag): Problem => [`providers.${label}.flags.${flag}`, "is written without dashes in front"]),
        ]),
    ({ providers }) =>
        providers === undefined || "cluster-api" in providers
            ? []
            : [
                  [
                      "providers",
                      'must have "cluster-api", too: what is listed is all that is installed. To change one of the usual: { "cluster-api": {}, "bootstrap-kubeadm": {}, "control-plane-kubeadm": {}, "infrastructure-openstack": {} }',
                  ],
              ],
    ({ providers = {} }) =>
        Object.entries(providers).flatMap(([label, { version, replicas = 1 }]): Problem[] => [
            ...(/^(cluster-api|(bootstrap|control-plane|infrastructure|ipam|addon|runtime-extension)-[a-z0-9-]+)$/.test(
                label,
            )
                ? []
                : [
                      [
                          `providers.${label}`,
                          'is no name of clusterctl: "cluster-api", "bootstrap-kubeadm", "infrastructure-openstack" …',
                      ] as Problem,
                  ]),
            ...(version === undefined || /^v?\d+\.\d+\.\d+/.test(version)
                ? []
                : [[`providers.${label}.version`, `"${version}" is no version: write it like "1.13.6"`] as Problem]),
            ...(Number.isInteger(replicas) && replicas >= 1 && replicas <= mostReplicas
                ? []
                : [
                      [
                          `providers.${label}.replicas`,
                          `${replicas} is no number of pods: 1 to ${mostReplicas}`,
                      ] as Problem,
                  ]),
        ]),
];
