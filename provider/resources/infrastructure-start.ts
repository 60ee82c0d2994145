import type { CloudStartInputs } from "./cloud-start-inputs";
import type { Infrastructure, OperationStartInputs } from "./operation-start-inputs";
import type { Checked, CheckedLive, Context, Observed } from "./types";
import { at, unknownValue } from "./values";

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

/** Of machines that exist. */
const nothingOwn: InfrastructureStart<OperationStartInputs> = { check: (_olds, news) => ({ inputs: news }) };

/** Each is loaded where it is needed: machines that exist need nothing of OpenStack. */
const starts = {
    get hosts() {
        return nothingOwn;
    },
    get nova() {
        return (require("./nova-start") as typeof import("./nova-start")).novaStart;
    },
    get heat() {
        return (require("./heat-start") as typeof import("./heat-start")).heatStart;
    },
};

/** As long as it is not known which infrastructure it is, nothing of its own is done. */
export function infrastructureStart(inputs: Partial<OperationStartInputs>): InfrastructureStart<OperationStartInputs> {
    const backEnd = at(inputs, "spec.backEnd");
    const start = backEnd === undefined || backEnd === unknownValue ? nothingOwn : starts[backEnd as Infrastructure];
    return start as InfrastructureStart<OperationStartInputs>;
}

export const infrastructures = Object.keys(starts);
