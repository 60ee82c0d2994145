import type { CloudStartInputs } from "./cloud-start-inputs";
import type { OperationStartInputs } from "./operation-start-inputs";
import type { Checked, CheckedLive, Context, Observed } from "./types";

/** What belongs to one infrastructure in the start of an operation. */
export interface InfrastructureStart<Inputs extends OperationStartInputs = CloudStartInputs> {
    /** Nodes leave before anything else is done, as their servers go before their Nodes do. */
    leavesFirst?: boolean;
    check(olds: Partial<Inputs>, news: Inputs): Checked<Inputs>;
    checkLive?(olds: Partial<Inputs>, news: Inputs): Promise<CheckedLive<Inputs>>;
    /** What is done on nodes and in the cloud before the infrastructure changes. */
    prepare?(olds: Inputs, news: Inputs, context: Context): Promise<void>;
    read?(id: string, state: Inputs, context: Context): Promise<Observed<Inputs, Inputs>>;
    /** The cluster is gone. No machine is asked: there is none any more. */
    remove?(state: Inputs, context: Context): Promise<void>;
}
