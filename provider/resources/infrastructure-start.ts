import type { Infrastructure, OperationStartInputs } from "./operation-start-inputs";
import type { InfrastructureStart } from "./start-methods";
import { at, unknownValue } from "./values";

/** For existing machines. */
const nothingOwn: InfrastructureStart<OperationStartInputs> = { check: (_olds, news) => ({ inputs: news }) };

/** Loaded on demand: existing machines need no OpenStack code. */
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

/** While the infrastructure is unknown, it gets no preparation. */
export function infrastructureStart(inputs: Partial<OperationStartInputs>): InfrastructureStart<OperationStartInputs> {
    const backEnd = at(inputs, "spec.backEnd");
    const start = backEnd === undefined || backEnd === unknownValue ? nothingOwn : starts[backEnd as Infrastructure];
    return start as InfrastructureStart<OperationStartInputs>;
}

export const infrastructures = Object.keys(starts);
