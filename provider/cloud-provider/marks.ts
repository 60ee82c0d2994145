import { ownerAnnotation } from "../vim/ownership";
import { driverName } from "./cinder-csi";
import { partLabel, secretName } from "./objects";
import { storageClassLabel } from "./storage-classes";

/** Templates for `kubectl get -o go-template`. No comparison may fail: kubectl would print the whole object, which may be a Secret. */

const each = (list: string, what: string) => `{{range ${list}}}${what}{{end}}`;
const word = (value: string, wanted: string, said: string) => `{{if eq ${value} "${wanted}"}}${said} {{end}}`;

/** Whether the pods of a workload mount our Secret. Within its `spec.template`. */
const mounted = (said: string) =>
    each(
        ".spec.volumes",
        `{{with .secret}}{{with .secretName}}{{if eq . "${secretName}"}}${said}{{end}}{{end}}{{end}}`,
    );

/** What tells our objects from those of others. */
const marks = [
    `{{range .metadata.managedFields}}{{with .manager}}${word(".", "pulumi-nfv", "applied")}{{end}}{{else}}unmanaged {{end}}`,
    each("$key, $_ := .metadata.annotations", word("$key", ownerAnnotation, "owned")),
    each(
        "$key, $value := .metadata.labels",
        [
            word("$key", partLabel, "part"),
            word("$key", storageClassLabel, word("$value", "cinder", "class")),
            word("$key", "app.kubernetes.io/managed-by", word("$value", "pulumi-nfv", "managed")),
        ].join(""),
    ),
    `{{with .spec}}${each(".volumeLifecycleModes", word(".", "Ephemeral", "ephemeral"))}`,
    `{{with .template}}${mounted("mounts ")}{{end}}{{end}}`,
    `{{with .provisioner}}${word(".", driverName, "cinder")}{{end}}`,
].join("");

/**
 * "KIND NAME NAMESPACE|MARKS", a line for each object. The marks are our own words, because others may write anything into annotations and names of
 * managers.
 */
export const objectsTemplate =
    `{{define "object"}}{{.kind}} {{.metadata.name}} {{with .metadata.namespace}}{{.}}{{end}}|${marks}{{"\\n"}}{{end}}` +
    // one object comes alone, several as a List
    `{{range .items}}{{template "object" .}}{{else}}{{template "object" .}}{{end}}`;

/** "KIND NAME" of each workload that mounts our Secret. */
export const mountsTemplate = each(
    ".items",
    `{{$workload := .}}{{with .spec.template}}${mounted('{{$workload.kind}} {{$workload.metadata.name}}{{"\\n"}}')}{{end}}`,
);
