import type * as pulumi from "@pulumi/pulumi";
import type { OperationStart } from "../../../provider/adapters/dynamic";
import type { Asking } from "../heal-wish";
import type { Replacing } from "../infrastructure";
import type { CloudPlan } from "./plan-cloud";
import type { ResourceContext } from "./resources/resource-context";
import type { Servers, ServersRequest } from "./servers";

/** A way to make servers of a cloud. */
export interface ServerMaker {
    /** Its parts of OperationStart's inputs, and of the spec in them. */
    start(
        cloudPlan: CloudPlan,
        keys: { publicKey: pulumi.Output<string>; fingerprintKey: pulumi.Output<string> },
    ): { spec: object; inputs: object };
    /** Makes the plan, without the storage server. */
    make(request: ServersRequest, parts: MakerParts): Servers;
}

/** What a back end may use besides the request. */
export interface MakerParts {
    cloudPlan: CloudPlan;
    /** Runs before the servers are made. */
    start: OperationStart;
    args: Asking;
    clusterId: pulumi.Output<string>;
    /** What must be there before the server of a node is replaced. */
    turnOf?: Replacing["before"] | undefined;
    /** For single resources of the cloud. */
    context: () => ResourceContext;
}
