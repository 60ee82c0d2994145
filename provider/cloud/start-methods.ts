import type { Checked, CheckedLive, Context, Observed } from "../contract/types";
import type { OperationStartInputs } from "../operation/operation-start-inputs";
import type { CloudStartInputs } from "./cloud-start-inputs";

/** The part of an operation's start that depends on the infrastructure. */
export interface InfrastructureStart<Inputs extends OperationStartInputs = CloudStartInputs> {
    /** Nodes leave the cluster before anything else, because their servers are deleted before their Node resources. */
    leavesFirst?: boolean;
    check(olds: Partial<Inputs>, news: Inputs): Checked<Inputs>;
    checkInCloud?(olds: Partial<Inputs>, news: Inputs, context: Context): Promise<CheckedLive<Inputs>>;
    /**
     * What is done on nodes and in the cloud before the infrastructure changes.
     * @returns what OperationStart gives out besides
     */
    prepare?(olds: Inputs, news: Inputs, context: Context): Promise<Partial<Inputs>>;
    read?(id: string, state: Inputs, context: Context): Promise<Observed<Inputs, Inputs>>;
    /** Runs after the cluster is deleted, so it contacts no machine. */
    remove?(state: Inputs, context: Context): Promise<void>;
}
