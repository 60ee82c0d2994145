import * as pulumi from "@pulumi/pulumi";
import { areInputsAsked, noteInputs } from "../../provider/adapters/noted-inputs";

/** For the hash of a plan: of a resource of another package, whose secrets nobody else sees. An input that is not known at preview is not covered. */
export function coverSecrets(resource: pulumi.CustomResource, inputs: object): void {
    if (!areInputsAsked(process.env)) return;
    for (const [name, value] of Object.entries(inputs))
        pulumi
            .all([resource.urn, pulumi.output(value)])
            .apply(([urn, known]) => noteInputs(urn, { [name]: known }, process.env));
}
