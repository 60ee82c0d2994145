import type { InfrastructureStart } from "../cloud/start-methods";
import { at, unknownValue } from "../contract/values";
import type { Infrastructure, OperationStartInputs } from "../operation/operation-start-inputs";

/** For existing machines. */
const nothingOwn: InfrastructureStart<OperationStartInputs> = { check: (_olds, news) => ({ inputs: news }) };

/** Loaded on demand: existing machines need no OpenStack code. */
const starts = {
    get hosts() {
        return nothingOwn;
    },
    get nova() {
        return (require("../cloud/nova/nova-start") as typeof import("../cloud/nova/nova-start")).novaStart;
    },
    get heat() {
        return (require("../cloud/heat/heat-start") as typeof import("../cloud/heat/heat-start")).heatStart;
    },
};

/** While the infrastructure is unknown, it gets no preparation. */
export function infrastructureStart(inputs: Partial<OperationStartInputs>): InfrastructureStart<OperationStartInputs> {
    const backEnd = at(inputs, "spec.backEnd");
    const start = backEnd === undefined || backEnd === unknownValue ? nothingOwn : starts[backEnd as Infrastructure];
    return start as InfrastructureStart<OperationStartInputs>;
}

export const infrastructures = Object.keys(starts);
