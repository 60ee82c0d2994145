import { script } from "../shell/script-file";
import { dnsQuestion } from "./dns-question";

/** Applies the YAML text in MANIFEST. This script and the following ones run on a ready control-plane node. */
export const applyManifestScript = script("network/apply-manifest.sh");

/** Waits, at most SECONDS_TO_WAIT, until all nodes in NODES are Ready; prints why the others are not. */
export const waitForNodesScript = script("network/wait-for-nodes.sh");

/** How long CoreDNS must have run, in seconds: one whose resolver is itself ends within two. */
const steadySeconds = 5;

/** Spreads CoreDNS over several nodes once there are some, and waits until it is available and answers. */
export const spreadCoreDnsScript = script("network/spread-coredns.sh", {
    STEADY_SECONDS: steadySeconds,
    DNS_QUESTION: dnsQuestion,
});

/** Prints which of ADD_ONS do not work, and whether the cluster's DNS answers. */
export const addOnsScript = script("network/print-add-ons.sh", { DNS_QUESTION: dnsQuestion });

const apart = JSON.stringify({
    spec: {
        template: {
            spec: {
                affinity: {
                    podAntiAffinity: {
                        requiredDuringSchedulingIgnoredDuringExecution: [
                            {
                                topologyKey: "kubernetes.io/hostname",
                                labelSelector: { matchLabels: { "k8s-app": "kube-dns" } },
                            },
                        ],
                    },
                },
            },
        },
    },
});

/** Never puts two replicas of CoreDNS on one node: the second waits for a second node. */
export const keepCoreDnsApartScript = script("network/keep-coredns-apart.sh", { PATCH: apart });

/** Prints which objects of the YAML text in MANIFEST do not exist, one per line. */
export const missingObjectsScript = script("network/missing-objects.sh");

/** Looks which objects of the YAML text in MANIFEST are not as they were applied. */
export const observeManifest = { script: script("network/observe-manifest.sh") };

/** Looks whether CoreDNS still keeps its replicas apart. */
export const observeCoreDnsApart = { script: script("network/observe-coredns-apart.sh", { PATCH: apart }) };

/** Looks which of the nodes in NODES are not Ready. */
export const observeNodes = { script: script("network/observe-nodes.sh") };

/** Looks whether CoreDNS answers. */
export const observeCoreDns = { script: script("network/observe-coredns.sh") };
