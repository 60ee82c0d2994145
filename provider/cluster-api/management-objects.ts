import { NfvError } from "../common/errors";
import type { KubeObject } from "../vim";
import { readComponents } from "./components";
import { clusterctlLabel, inventoryEntry } from "./inventory";
import { deploymentWith } from "./manager";
import { checkProviders, inOrder, labelOf, providerLabel } from "./provider-names";
import type { ManagementOptions, ProviderSpec, WebhookKeys } from "./types";
import {
    injection,
    isOfCertManager,
    type ServingCertificate,
    servingCertificates,
    servingKey,
} from "./webhook-certificates";

/** The objects of one provider, in the order in which they must be applied. */
export interface ProviderObjects {
    /** "control-plane-kubeadm": the value of the label cluster.x-k8s.io/provider on all of them. */
    label: string;
    version: string;
    namespace: string;
    objects: KubeObject[];
}

/**
 * The objects of a management cluster by provider, in the order of installation and upgrade: the next provider follows when the Deployments of the one
 * before are Available. The kind of the inventory (`inventoryDefinition`) must exist before.
 * @throws INVALID_INPUT for lists, variables, gates and components that cannot be
 */
export function providerObjects(options: ManagementOptions): ProviderObjects[] {
    checkProviders(options.providers);
    return inOrder(options.providers).map(spec => objectsOf(spec, options));
}

function objectsOf(spec: ProviderSpec, { keys, imageRepository }: ManagementOptions): ProviderObjects {
    const label = labelOf(spec);
    const components = readComponents(spec);
    const namespace = namespaceOf(components, label);
    const certificates = servingCertificates(components, label);
    const bundle = Buffer.from(keys.authority.certificate + keys.formerAuthorities).toString("base64");
    const objects = [
        ...components.filter(object => !isOfCertManager(object)).map(object => trusting(object, certificates, bundle)),
        ...certificates.map(certificate => secretOf(certificate, keys, label)),
    ].map(object => (object.kind === "Deployment" ? deploymentWith(object, spec, imageRepository) : object));
    return {
        label,
        version: spec.version,
        namespace,
        objects: [...inOrderOfKinds(objects).map(object => labelled(object, label)), inventoryEntry(spec, namespace)],
    };
}

/** What must exist before what: pods need accounts and secrets, and webhooks refuse everything while no pod answers. */
const kinds = [
    "Namespace",
    "CustomResourceDefinition",
    "ServiceAccount",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "Secret",
    "ConfigMap",
    "Service",
];
const lastKinds = ["Deployment", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

function inOrderOfKinds(objects: KubeObject[]): KubeObject[] {
    const rank = ({ kind }: KubeObject) => {
        if (lastKinds.includes(kind)) return kinds.length + 1 + lastKinds.indexOf(kind);
        return kinds.includes(kind) ? kinds.indexOf(kind) : kinds.length;
    };
    return [...objects].sort((a, b) => rank(a) - rank(b));
}

function namespaceOf(components: readonly KubeObject[], label: string): string {
    const names = components.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name);
    if (names.length === 1) return names[0];
    throw new NfvError({
        code: "INVALID_INPUT",
        cause: `components of ${label} must have one Namespace, and have ${names.length}`,
    });
}

interface ClientConfig {
    service?: object;
    caBundle?: string;
}

interface Webhooks {
    webhooks?: { clientConfig: ClientConfig }[];
    spec?: { conversion?: { webhook?: { clientConfig?: ClientConfig } } };
}

/** Replaces the wish for a certificate of cert-manager by the certificate of our authority. */
function trusting(object: KubeObject, certificates: readonly ServingCertificate[], caBundle: string): KubeObject {
    const { [injection]: reference, ...annotations } = object.metadata.annotations ?? {};
    if (!certificates.some(certificate => certificate.reference === reference)) return object;
    const { webhooks, spec } = object as Webhooks;
    const conversion = spec?.conversion;
    const clientConfig = conversion?.webhook?.clientConfig;
    return {
        ...object,
        metadata: { ...object.metadata, annotations },
        ...(webhooks && {
            webhooks: webhooks.map(webhook => ({ ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } })),
        }),
        ...(clientConfig && {
            spec: {
                ...spec,
                conversion: {
                    ...conversion,
                    webhook: { ...conversion?.webhook, clientConfig: { ...clientConfig, caBundle } },
                },
            },
        }),
    };
}

function secretOf(certificate: ServingCertificate, keys: WebhookKeys, label: string): KubeObject {
    const pair = keys.serving[servingKey(certificate)];
    if (pair === undefined) {
        throw new NfvError({
            code: "INVALID_INPUT",
            cause: `keys: there is no certificate ${servingKey(certificate)} for the webhooks of ${label}`,
            hint: "Make keys for the same providers: renewedWebhookKeys.",
        });
    }
    const base64 = (pem: string) => Buffer.from(pem).toString("base64");
    return {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: certificate.secretName, namespace: certificate.namespace },
        type: "kubernetes.io/tls",
        data: {
            "ca.crt": base64(keys.authority.certificate),
            "tls.crt": base64(pair.certificate),
            "tls.key": base64(pair.key),
        },
    };
}

function labelled(object: KubeObject, label: string): KubeObject {
    const labels = { ...object.metadata.labels, [clusterctlLabel]: "", [providerLabel]: label };
    return { ...object, metadata: { ...object.metadata, labels } };
}
