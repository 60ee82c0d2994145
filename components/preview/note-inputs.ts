import * as pulumi from "@pulumi/pulumi";
import { noteInputs, secretsVariable } from "../../provider/secret-hashes";

/** For the hash of a plan: of a resource of another package, whose secrets nobody else sees. What is not known at preview is not covered. */
export function coverSecrets(resource: pulumi.CustomResource, inputs: object): void {
    if (!process.env[secretsVariable]) return;
    pulumi.all([resource.urn, pulumi.output(inputs)]).apply(([urn, known]) => noteInputs(urn, known, process.env));
}
