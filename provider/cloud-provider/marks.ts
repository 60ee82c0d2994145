import { ownerAnnotation } from "../vim/ownership";
import { driverName } from "./cinder-csi";
import { partLabel, secretName } from "./objects";
import { storageClassLabel } from "./storage-classes";

/** Templates for `kubectl get -o go-template`. No comparison may fail: kubectl would print the whole object, which may be a Secret. */

const each = (list: string, what: string) => `{{range ${list}}}${what}{{end}}`;
const word = (value: string, wanted: string, said: string) => `{{if eq ${value} "${wanted}"}}${said} {{end}}`;

/** What tells our objects from those of others. */
const marks = [
    each(".metadata.managedFields", `{{with .manager}}${word(".", "pulumi-nfv", "applied")}{{end}}`),
    each("$key, $_ := .metadata.annotations", word("$key", ownerAnnotation, "owned")),
    each(
        "$key, $value := .metadata.labels",
        [word("$key", partLabel, "part"), word("$key", storageClassLabel, word("$value", "cinder", "class"))].join(""),
    ),
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

const named = '{{$workload.kind}} {{$workload.metadata.name}}{{"\\n"}}';
const mounted = `{{with .secret}}{{with .secretName}}{{if eq . "${secretName}"}}${named}{{end}}{{end}}{{end}}`;

/** "KIND NAME" of each workload whose pods mount our Secret. */
export const mountsTemplate = each(
    ".items",
    `{{$workload := .}}{{with .spec.template}}${each(".spec.volumes", mounted)}{{end}}`,
);
