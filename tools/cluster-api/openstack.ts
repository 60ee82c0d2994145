import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { managerImage } from "../../provider/cluster-api/images";
import { kustomize, type Manifest, writeComponents } from "./components";
import { leaderRules, managerRules } from "./openstack-rights";

const namespace = "capo-system";
const prefix = "capo-";
const labels = { "cluster.x-k8s.io/provider": "infrastructure-openstack" };
const rbac = "rbac.authorization.k8s.io";
const account = `${prefix}manager`;
const certificate = `${prefix}serving-cert`;
const issuer = `${prefix}selfsigned-issuer`;
const webhookService = `${prefix}webhook-service`;
const certificateSecret = `${prefix}webhook-service-cert`;

/** Folders of the mirror's archive: definitions and webhooks of the provider, and the one definition of ORC that it watches. */
export interface OpenStackFolders {
    config: string;
    resourceConfig: string;
}

/**
 * Components of the OpenStack provider in the shape of upstream's. Its archive has definitions and webhooks; account, rights and
 * Deployment are ours. Includes ORC's kind Image: the manager does not start without it.
 */
export async function openstackComponents(
    version: string,
    { config, resourceConfig }: OpenStackFolders,
    kubectl: string,
): Promise<string> {
    const work = await mkdtemp(join(tmpdir(), "nfv-openstack-components-"));
    try {
        await cp(config, join(work, "config"), { recursive: true });
        await cp(resourceConfig, join(work, "orc"), { recursive: true });
        await writeFile(join(work, "kustomization.yaml"), JSON.stringify(overlay));
        const orc = join(work, "orc", "crd", "bases");
        await writeFile(join(orc, "kustomization.yaml"), JSON.stringify({ resources: [orcImage] }));
        const objects = [...(await kustomize(kubectl, work)), ...(await kustomize(kubectl, orc))];
        return writeComponents([...ownObjects(version), ...objects.map(injected)]);
    } finally {
        await rm(work, { recursive: true, force: true });
    }
}

const orcImage = "openstack.k-orc.cloud_images.yaml";

const overlay = {
    namespace,
    namePrefix: prefix,
    labels: [{ includeSelectors: true, pairs: labels }],
    resources: ["config/crd", "config/webhook"],
};

/** Webhooks, and definitions that convert, get the authority of the certificate. */
function injected(object: Manifest): Manifest {
    const usesWebhook =
        "webhooks" in object || (object.spec as { conversion?: object } | undefined)?.conversion !== undefined;
    if (!usesWebhook) return object;
    const annotations = {
        ...object.metadata.annotations,
        "cert-manager.io/inject-ca-from": `${namespace}/${certificate}`,
    };
    return { ...object, metadata: { ...object.metadata, annotations } };
}

function ownObjects(version: string): Manifest[] {
    const subjects = [{ kind: "ServiceAccount", name: account, namespace }];
    const own = (name: string) => ({ name: `${prefix}${name}`, namespace, labels });
    const wide = (name: string) => ({ name: `${prefix}${name}`, labels });
    const roleRef = (kind: string, name: string) => ({ apiGroup: rbac, kind, name: `${prefix}${name}` });
    return [
        {
            apiVersion: "v1",
            kind: "Namespace",
            metadata: { name: namespace, labels: { ...labels, "control-plane": "capo-controller-manager" } },
        },
        { apiVersion: "v1", kind: "ServiceAccount", metadata: own("manager") },
        { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: wide("manager-role"), rules: managerRules },
        {
            apiVersion: `${rbac}/v1`,
            kind: "ClusterRoleBinding",
            metadata: wide("manager-rolebinding"),
            roleRef: roleRef("ClusterRole", "manager-role"),
            subjects,
        },
        { apiVersion: `${rbac}/v1`, kind: "Role", metadata: own("leader-election-role"), rules: leaderRules },
        {
            apiVersion: `${rbac}/v1`,
            kind: "RoleBinding",
            metadata: own("leader-election-rolebinding"),
            roleRef: roleRef("Role", "leader-election-role"),
            subjects,
        },
        {
            apiVersion: "cert-manager.io/v1",
            kind: "Issuer",
            metadata: own("selfsigned-issuer"),
            spec: { selfSigned: {} },
        },
        {
            apiVersion: "cert-manager.io/v1",
            kind: "Certificate",
            metadata: own("serving-cert"),
            spec: {
                dnsNames: ["svc", "svc.cluster.local"].map(domain => `${webhookService}.${namespace}.${domain}`),
                issuerRef: { kind: "Issuer", name: issuer },
                secretName: certificateSecret,
            },
        },
        deployment(version),
    ];
}

function deployment(version: string): Manifest {
    const selector = { ...labels, "control-plane": "capo-controller-manager" };
    return {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: `${prefix}controller-manager`, namespace, labels: selector },
        spec: {
            replicas: 1,
            selector: { matchLabels: selector },
            template: {
                metadata: { labels: selector },
                spec: {
                    serviceAccountName: account,
                    securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
                    terminationGracePeriodSeconds: 10,
                    tolerations: ["master", "control-plane"].map(role => ({
                        key: `node-role.kubernetes.io/${role}`,
                        effect: "NoSchedule",
                    })),
                    containers: [manager(version)],
                    volumes: [{ name: "cert", secret: { secretName: certificateSecret } }],
                },
            },
        },
    };
}

/** Users set it as they set those of upstream's components. */
const variable = (before: string, name: string, usual: string) => `${before}\${${name}:=${usual}}`;

const gates = [
    variable("PriorityQueue=", "EXP_CAPO_PRIORITY_QUEUE", "false"),
    variable("AutoScaleFromZero=", "EXP_CAPO_AUTOSCALE_FROM_ZERO", "false"),
];

/** Ports and paths are the manager's defaults. */
function manager(version: string): object {
    const probe = (path: string) => ({ httpGet: { path, port: "healthz" } });
    return {
        name: "manager",
        image: managerImage("openstack", version),
        imagePullPolicy: "IfNotPresent",
        command: ["/manager"],
        args: [
            "--leader-elect",
            "--v=2",
            variable("--diagnostics-address=", "CAPO_DIAGNOSTICS_ADDRESS", ":8443"),
            variable("--insecure-diagnostics=", "CAPO_INSECURE_DIAGNOSTICS", "false"),
            `--feature-gates=${gates.join(",")}`,
        ],
        ports: [
            { name: "webhook-server", containerPort: 9443, protocol: "TCP" },
            { name: "healthz", containerPort: 9440, protocol: "TCP" },
            { name: "metrics", containerPort: 8443, protocol: "TCP" },
        ],
        readinessProbe: probe("/readyz"),
        livenessProbe: probe("/healthz"),
        securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ["ALL"] },
            privileged: false,
            runAsGroup: 65_532,
            runAsUser: 65_532,
        },
        terminationMessagePolicy: "FallbackToLogsOnError",
        volumeMounts: [{ name: "cert", mountPath: "/tmp/k8s-webhook-server/serving-certs", readOnly: true }],
    };
}
