import type { ProviderSpec } from "../../../../provider/cluster-api";

/** Components in the shape of upstream's, with as little as that takes. The Deployment comes first on purpose. */
export function sampleComponents(prefix: string, namespace: string): string {
    const certificate = `${namespace}/${prefix}-serving-cert`;
    const service = `{ name: ${prefix}-webhook-service, namespace: ${namespace}, path: /convert }`;
    const definition = {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: {
            name: `things.${prefix}.test`,
            annotations: { "cert-manager.io/inject-ca-from": certificate, a: "b" },
        },
        spec: {
            group: `${prefix}.test`,
            names: { plural: "things" },
            versions: [{ name: "v1alpha1", served: true }],
            conversion: { strategy: "Webhook", webhook: { clientConfig: { service: {} } } },
        },
    };
    return `# upstream's own words
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${prefix}-controller-manager, namespace: ${namespace} }
spec:
  replicas: \${REPLICAS:=1}
  template:
    spec:
      initContainers: [{ name: init, image: "registry.k8s.io/init:v1" }]
      containers:
        - name: manager
          image: registry.k8s.io/${prefix}/manager:v1.0.0
          args:
            - --leader-elect
            - --feature-gates=One=\${ONE:=true},Two=\${TWO:=false}
            - --sync-period=\${SYNC:=10m}
        - { name: other, image: "quay.test/other:v1" }
---
apiVersion: v1
kind: Namespace
metadata: { name: ${namespace} }
---
${JSON.stringify(definition)}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: ${prefix}-validating, annotations: { cert-manager.io/inject-ca-from: ${certificate} } }
webhooks: [{ name: one.test, clientConfig: { service: ${service} } }, { name: two.test, clientConfig: { service: ${service} } }]
---
apiVersion: cert-manager.io/v1
kind: Issuer
metadata: { name: ${prefix}-issuer, namespace: ${namespace} }
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: { name: ${prefix}-serving-cert, namespace: ${namespace} }
spec: { secretName: ${prefix}-cert, dnsNames: [${prefix}-webhook-service.${namespace}.svc] }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: ${prefix}-manager, namespace: ${namespace} }
---
`;
}

const core: ProviderSpec = {
    ...({ type: "core", name: "cluster-api", version: "v1.13.6" } as const),
    components: sampleComponents("capi", "capi-system"),
};
const openstack: ProviderSpec = {
    ...({ type: "infrastructure", name: "openstack", version: "v0.14.7" } as const),
    components: sampleComponents("capo", "capo-system"),
};
const bootstrap: ProviderSpec = {
    ...({ type: "bootstrap", name: "kubeadm", version: "v1.13.6" } as const),
    components: sampleComponents("boot", "boot-system"),
};

export const samples = { core, openstack, bootstrap };
