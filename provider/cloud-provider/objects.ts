import { namespace } from "../common/add-on-objects";
import { toYaml } from "../common/to-yaml";
import { type CloudConfSpec, cloudConf, configFolder } from "./cloud-conf";

/** Parts that both manifests share. */

/** Marks the objects of our parts. Upstream's manifests of the same names, applied as cniManifests, do not have it. */
export const partLabel = "pulumi-nfv.dev/cloud-provider";

/** The objects with the label of their part. Pods do not get it: a rollout of existing workloads would follow. */
export function withPartLabel(part: string, objects: readonly object[]): object[] {
    return (objects as { metadata: { labels?: object } }[]).map(object => ({
        ...object,
        metadata: { ...object.metadata, labels: { ...object.metadata.labels, [partLabel]: part } },
    }));
}

export const secretName = "pulumi-nfv-cloud-config";

/** Mounts cloud.conf in a pod. */
export const configVolume = { name: "cloud-config", secret: { secretName } };
export const configMount = { name: "cloud-config", mountPath: configFolder, readOnly: true };
export const cloudConfigFlag = `--cloud-config=${configFolder}/cloud.conf`;

/** The Secret with cloud.conf, as YAML. Secret. */
export function secretManifest(spec: CloudConfSpec): string {
    return toYaml({ ...emptySecret, stringData: secretData(spec) });
}

/** Its content by key. Secret. */
export function secretData(spec: CloudConfSpec): Record<string, string> {
    const { caCertificate } = spec.access;
    return { "cloud.conf": cloudConf(spec), ...(caCertificate !== undefined && { "ca.crt": caCertificate }) };
}

/** The Secret's name without its content, to delete it. */
export const emptySecret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secretName, namespace },
    type: "Opaque",
};
