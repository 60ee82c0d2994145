import * as pulumi from "@pulumi/pulumi";
import { areInputsAsked, noteInputs } from "../../provider/noted-inputs";

/** For the hash of a plan: of a resource of another package, whose secrets nobody else sees. What is not known at preview is not covered. */
export function coverSecrets(resource: pulumi.CustomResource, inputs: object): void {
    if (!areInputsAsked(process.env)) return;
    pulumi.all([resource.urn, pulumi.output(inputs)]).apply(([urn, known]) => noteInputs(urn, known, process.env));
}
