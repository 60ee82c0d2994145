import { type NamedParts, refuseLeftOutParts } from "../cloud-provider/cloud-parts";
import { type FixedValues, isAnother, refusedChanges, refuseEncryption } from "../contract/fixed-inputs";
import type { CheckFailure } from "../contract/types";
import { same, unknownValue } from "../contract/values";
import { type EndpointShape, refusedEndpointChange } from "../endpoint/endpoint-change";
import { refuseOtherMasters } from "../host/masters-that-stay";

/** The inputs with which a later program is compared. */
export interface KeptInputs {
    fixed: FixedValues;
    /** Ids in the cloud for inputs given by name, as far as they are known. */
    ids?: FixedValues;
    /** Names of the control-plane nodes. */
    masters: string[];
    /** Undefined for a storage server, which has none. */
    endpoint?: EndpointShape;
    /** Parts of `cloudProvider`. Undefined for a storage server. */
    cloudParts?: NamedParts;
}

/** `text`: KeptInputs as JSON. The name is added to the fixed inputs: it is an input of its own. */
export function keptOf(text: string | undefined, clusterName?: string, nameInput = "clusterName"): KeptInputs {
    const { fixed, ...others }: KeptInputs =
        text === undefined || text === unknownValue ? { fixed: {}, masters: [] } : JSON.parse(text);
    return { fixed: { ...fixed, ...(clusterName !== undefined && { [nameInput]: clusterName }) }, ...others };
}

/** The changes that a cluster in use cannot carry out. */
export function refusedInputs(before: KeptInputs, after: KeptInputs): CheckFailure[] {
    return [
        ...refusedChanges(before.fixed, after.fixed, { olds: before.ids, news: after.ids }),
        ...refuseEncryption(before, after),
        ...refuseOtherMasters(before.masters, after.masters),
        ...refuseEndpoint(before, after),
        ...refuseLeftOutParts(before.cloudParts, after.cloudParts),
    ];
}

/** Most changes of the endpoint are possible while the cluster is in use; see provider/procedures/endpoint/endpoint-move.ts. */
function refuseEndpoint(olds: KeptInputs, news: KeptInputs): CheckFailure[] {
    const [before, after] = [olds.endpoint, news.endpoint];
    if (before === undefined || after === undefined) return [];
    const reason = refusedEndpointChange({ before, after });
    return reason === undefined ? [] : [{ property: "", reason }];
}

/**
 * Whether nothing changed that the cluster's checks look at. Ids are not compared: another name may lead to the same thing. Neither are the cloud's
 * parts: they have a resource of their own.
 */
export function sameKept(before: string | undefined, after: string | undefined): boolean {
    const compared = ({ ids: _, cloudParts: __, ...others }: KeptInputs) => others;
    return same(compared(keptOf(before)), compared(keptOf(after)));
}

/**
 * With `pulumi up --target` or `--exclude`, the engine does not call the checks of the resources that are left out. So
 * the resources that act compare what the cluster's checks have seen with the program.
 * @returns why the resource must not act; undefined if the checks have seen these inputs
 */
export function leftOutOfRun(seen: string | undefined, wanted: string | undefined): string | undefined {
    if (seen === undefined || seen === unknownValue || wanted === undefined || wanted === unknownValue)
        return undefined;
    const [before, after] = [keptOf(seen), keptOf(wanted)];
    const names = Object.keys({ ...before.fixed, ...after.fixed }).filter(name => isAnother(name, before, after));
    if (before.endpoint && after.endpoint && !same(before.endpoint, after.endpoint)) names.push("the endpoint");
    if (names.length === 0) return undefined;
    return (
        `${names.join(", ")} changed in the program, and --target or --exclude leaves out the resources that check whether the ` +
        "cluster can follow. Nothing was touched. Run pulumi up without them."
    );
}
