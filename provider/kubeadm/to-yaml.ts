import { stringify } from "yaml";

/** YAML as Kubernetes reads it: version 1.1, in which a bare `y` or `on` is a boolean and so has to be quoted. */
export function toYaml(...documents: object[]): string {
    return documents.map(document => stringify(document, { version: "1.1", lineWidth: 0 })).join("---\n");
}
