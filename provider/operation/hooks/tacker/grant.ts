import type { OperationKind } from "../../operation";
import type { HookFacts, HookNode } from "../contract";
import { affectedNodes } from "./affected";
import { instanceIdOf, type Packages, vnfdIdOf } from "./instance";
import type { JsonObject } from "./merge";
import type { TackerSettings } from "./settings";
import { idOf } from "./uuid";
import { resourceOf, vduIdOf } from "./vnfc";

/** SOL 003's names of the operations that need a grant. Tacker asks for none to modify information. */
const grantedOperations: Partial<Record<OperationKind, string>> = {
    instantiate: "INSTANTIATE",
    scale: "SCALE",
    heal: "HEAL",
    change_current_package: "CHANGE_VNFPKG",
    change_external_connectivity: "CHANGE_EXT_CONN",
    terminate: "TERMINATE",
};

/** Which resources the operation makes and removes, as Tacker asks for them and as they are granted. */
export interface Grant {
    request: JsonObject | null;
    response: JsonObject | null;
}

/**
 * There is no NFV orchestrator here: what the operation needs is granted. Servers only: our facts know neither ports
 * nor volumes. @see ETSI GS NFV-SOL 003, types GrantRequest and Grant
 */
export function grantOf(facts: HookFacts, settings: TackerSettings, packages: Packages): Grant {
    const operation = grantedOperations[facts.operation.kind];
    if (operation === undefined) return { request: null, response: null };
    const { made, removed } = affectedNodes(facts);
    const addResources = made.map(node => resourceDefinition("add", node, facts, settings));
    const removeResources = removed.map(node => ({
        ...resourceDefinition("remove", node, facts, settings),
        resource: resourceOf(facts.cluster.id, node, settings),
    }));
    const common = {
        vnfInstanceId: instanceIdOf(facts, settings),
        vnfLcmOpOccId: idOf(facts.cluster.id, "operation", numberOf(facts)),
    };
    const links = {
        vnfLcmOpOcc: { href: `/vnflcm/v2/vnf_lcm_op_occs/${common.vnfLcmOpOccId}` },
        vnfInstance: { href: `/vnflcm/v2/vnf_instances/${common.vnfInstanceId}` },
    };
    const request = {
        ...common,
        vnfdId: vnfdIdOf(facts, settings, packages),
        flavourId: settings.flavourId ?? packages.current.flavourId,
        operation,
        isAutomaticInvocation: false,
        addResources,
        removeResources,
        additionalParams: facts.parameters,
        _links: links,
    };
    const id = idOf(facts.cluster.id, "grant", numberOf(facts));
    const response = {
        id,
        ...common,
        addResources: addResources.map(each => granted(each, settings)),
        removeResources: removeResources.map(each => granted(each, settings)),
        _links: { self: { href: `/grant/v1/grants/${id}` }, ...links },
    };
    return { request, response };
}

/** A rollback belongs to the operation that it takes back: its ids stay. */
function numberOf({ operation }: HookFacts): string {
    return operation.rollbackOf ?? operation.id;
}

function resourceDefinition(
    verb: "add" | "remove",
    node: HookNode,
    facts: HookFacts,
    settings: TackerSettings,
): JsonObject & { id: string } {
    return {
        id: idOf(facts.cluster.id, "operation", numberOf(facts), verb, node.name),
        type: "COMPUTE",
        resourceTemplateId: vduIdOf(node, settings),
    };
}

function granted({ id }: { id: string }, settings: TackerSettings): JsonObject {
    const [vim] = Object.keys(settings.vimConnectionInfo ?? {});
    return { resourceDefinitionId: id, ...(vim !== undefined && { vimConnectionId: vim }) };
}
