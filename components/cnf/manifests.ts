import { type Found, objectsInYaml, unfold } from "../../provider/vim/manifests";
import { yamlTexts } from "../common/yaml-files";

/** A Kubernetes object as data. */
export interface KubernetesObject {
    apiVersion: string;
    kind: string;
    metadata: { name: string; namespace?: string; [key: string]: unknown };
    spec?: Record<string, unknown>;
    [key: string]: unknown;
}

export type { Found };

/** Reads files, folders of files (by name), and YAML texts, in the given order. `input`: where they stand in the program. @throws Error that says what is wrong */
export function readManifests(manifests: readonly string[], input = "manifests"): Found[] {
    return manifests
        .flatMap((pathOrText, i) => yamlTexts(`${input}.${i}`, pathOrText))
        .flatMap(({ place, text }) => objectsInYaml(place, text));
}

/** Objects given as data, with their places; a List is split into its items. */
export function readObjects(objects: readonly unknown[]): Found[] {
    return objects.flatMap((object, i) => unfold({ place: `objects.${i}`, object }));
}
