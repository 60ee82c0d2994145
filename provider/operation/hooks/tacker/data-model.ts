import type { HookFacts } from "../contract";
import type { EtsiEvent } from "../events";
import { byAspect } from "./affected";
import { grantOf } from "./grant";
import { type Packages, vnfInstance } from "./instance";
import type { JsonObject } from "./merge";
import { requestOf } from "./request";
import type { TackerSettings } from "./settings";

/** What a script of Tacker reads, with the names that it expects. `shim.py` adds the folders of the package. */
export interface ScriptInput {
    operation: EtsiEvent;
    request: JsonObject;
    vnf_instance: JsonObject;
    /** null when information is modified. */
    grant_request: JsonObject | null;
    grant_response: JsonObject | null;
    user_script_err_handling_data: JsonObject;
}

/**
 * Tacker's data model of an event. One entry for each run of the script: several only if several groups scale at once.
 * The same facts always give the same ids.
 * @see ETSI GS NFV-SOL 003; the keys are those of Tacker's `vnflcm_driver_v2.py`
 */
export function scriptInputs(facts: HookFacts, settings: TackerSettings, packages: Packages): ScriptInput[] {
    return byAspect(facts).map(each => {
        const { request, response } = grantOf(each, settings, packages);
        return {
            operation: each.etsiEvent,
            request: requestOf(each, settings, packages),
            vnf_instance: vnfInstance(each, settings, packages),
            grant_request: request,
            grant_response: response,
            user_script_err_handling_data: each.errorHandlingData,
        };
    });
}
