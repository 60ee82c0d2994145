import type { CloudNeeds } from "../openstack/needs";
import type { CloudSettings } from "../openstack/settings";
import type { CommonInputs } from "./types";

export interface CloudCheckInputs extends CommonInputs {
    needs: CloudNeeds;
    cloud: CloudSettings;
}

export interface CloudCheckState extends CloudCheckInputs {
    /** What was found, in a sentence. */
    summary: string;
}
