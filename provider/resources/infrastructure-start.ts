import type { Infrastructure, OperationStartInputs } from "./operation-start-inputs";
import type { InfrastructureStart } from "./start-methods";
import { at, unknownValue } from "./values";

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
