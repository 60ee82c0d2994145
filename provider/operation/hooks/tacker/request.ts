import type { OperationKind } from "../../operation";
import type { HookFacts } from "../contract";
import { affectedNodes } from "./affected";
import { type Packages, vnfdIdOf } from "./instance";
import { type JsonObject, merged } from "./merge";
import type { TackerSettings } from "./settings";
import { aspectIdOf, groupOf, vnfcInstanceId } from "./vnfc";

type MakeRequest = (facts: HookFacts, settings: TackerSettings, packages: Packages) => JsonObject;

const vims = ({ vimConnectionInfo }: TackerSettings): JsonObject => (vimConnectionInfo ? { vimConnectionInfo } : {});

/** What a client of Tacker would have sent for the operation, by kind. @see ETSI GS NFV-SOL 003, section 5.5.2 */
const requests: Record<OperationKind, MakeRequest> = {
    instantiate: (_, settings, { current }) => ({
        flavourId: settings.flavourId ?? current.flavourId,
        ...vims(settings),
    }),
    scale: scaleRequest,
    heal: (facts, settings) => ({
        cause: facts.operation.reasons.join(", "),
        // Of the former servers: that is what a client would have seen.
        vnfcInstanceId: affectedNodes(facts).removed.map(node => vnfcInstanceId(facts.cluster.id, node, settings)),
    }),
    change_current_package: (facts, settings, packages) => ({
        vnfdId: packages.next?.descriptor.vnfdId ?? vnfdIdOf(facts, settings, packages),
        ...vims(settings),
    }),
    change_external_connectivity: (_, settings) => ({ extVirtualLinks: [], ...vims(settings) }),
    modify_information: (_, __, { next }) => ({
        ...(next?.descriptor.vnfdId !== undefined && { vnfdId: next.descriptor.vnfdId }),
    }),
    terminate: () => ({ terminationType: "FORCEFUL" }),
};

/** The request of the operation. The hook's parameters are its additionalParams; `request` of the settings wins. */
export function requestOf(facts: HookFacts, settings: TackerSettings, packages: Packages): JsonObject {
    const request = requests[facts.operation.kind](facts, settings, packages);
    return merged({ ...request, additionalParams: facts.parameters }, settings.request);
}

/** `facts` have nodes of one group only: see `byAspect`. */
function scaleRequest(facts: HookFacts, settings: TackerSettings): JsonObject {
    const { made, removed } = affectedNodes(facts);
    const out = made.length > 0 || (removed.length === 0 && facts.operation.direction !== "in");
    const scaled = out ? made : removed;
    const [node] = scaled;
    return {
        type: out ? "SCALE_OUT" : "SCALE_IN",
        aspectId: node === undefined ? "controlPlane" : aspectIdOf(node, settings),
        numberOfSteps: scaled.filter(each => groupOf(each) === groupOf(node!)).length,
    };
}
