import type * as pulumi from "@pulumi/pulumi";

/**
 * Ends when all of them are made. A promise carries no dependencies, as an output would. Once a resource has failed, Pulumi's engine begins no other one, so
 * what may fail without harm to the others is registered after them; it depends on none of them, because what a failed resource depends on, also by way of
 * others, is not deleted, not even with --exclude.
 */
export async function endOf(resources: readonly pulumi.Resource[]): Promise<void> {
    for (const { urn } of resources) await new Promise(resolve => urn.apply(resolve));
}
