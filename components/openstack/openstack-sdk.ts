import type * as openstack from "@pulumi/openstack";
import { NfvError } from "../../provider/errors";

/** @pulumi/openstack, loaded when somebody wants servers of a cloud: clusters on machines that exist do without it. */
export function requireOpenstack(): typeof openstack {
    try {
        return require("@pulumi/openstack");
    } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
        const cause = "npm package @pulumi/openstack is not installed";
        const missing = new NfvError({ code: "TOOL_MISSING", cause, hint: "npm install @pulumi/openstack" });
        // Shown without a stack trace.
        throw Object.assign(missing, { __pulumiRunError: true });
    }
}
