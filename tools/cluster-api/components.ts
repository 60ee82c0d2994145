import type { ProviderType } from "../../provider/cluster-api";
import { managerImage } from "../../provider/cluster-api/images";
import { run } from "../run";

/** An object of Kubernetes. */
export interface Manifest {
    apiVersion: string;
    kind: string;
    metadata: { name: string; namespace?: string; labels?: object; annotations?: Record<string, string> };
    [field: string]: unknown;
}

/** The providers whose components are made from a folder `config` of Cluster API's own module: the tool's name of the folder. */
export const ownProviders = {
    core: { name: "cluster-api", folder: "core-config" },
    bootstrap: { name: "kubeadm", folder: "bootstrap-config" },
    controlPlane: { name: "kubeadm", folder: "control-plane-config" },
} as const satisfies Partial<Record<ProviderType, { name: string; folder: string }>>;

/** What the release has as "…-components.yaml", made as upstream makes it: by kustomize, with the release's image. */
export async function componentsOf(
    type: keyof typeof ownProviders,
    version: string,
    folder: string,
    kubectl: string,
): Promise<string> {
    const objects = await kustomize(kubectl, `${folder}/default`);
    return writeComponents(objects.map(object => withImage(object, managerImage(type, version))));
}

/** The objects that `kubectl kustomize` makes of a folder. */
export async function kustomize(kubectl: string, folder: string): Promise<Manifest[]> {
    const { parseAllDocuments } = require("yaml") as typeof import("yaml");
    const text = await run([kubectl, "kustomize", folder], { what: "kubectl kustomize" });
    return parseAllDocuments(text).map(document => document.toJS() as Manifest);
}

interface Container {
    name: string;
    image: string;
}

/** The sources name an image that no release has. */
function withImage(object: Manifest, image: string): Manifest {
    if (object.kind !== "Deployment") return object;
    const spec = object.spec as { template: { spec: { containers: Container[] } } };
    const containers = spec.template.spec.containers.map(container =>
        container.name === "manager" ? { ...container, image, imagePullPolicy: "IfNotPresent" } : container,
    );
    return {
        ...object,
        spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, containers } } },
    };
}

/** Definitions are megabytes, which a parser of YAML reads in seconds: as JSON, which is YAML too, it takes milliseconds. */
export function writeComponents(objects: readonly Manifest[]): string {
    const { stringify } = require("yaml") as typeof import("yaml");
    return objects
        .map(object => {
            const isLarge = object.kind === "CustomResourceDefinition";
            return isLarge ? `${JSON.stringify(object)}\n` : stringify(object, { lineWidth: 0 });
        })
        .join("---\n");
}
