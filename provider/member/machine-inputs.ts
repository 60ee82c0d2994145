import type { ProgramPath, ServerInputs, StepInputs } from "../machine/machine";
import type { WishNumberInput } from "../operation/wishes";
import type { SshTarget } from "../ssh";
import type { EndpointNumberInput, GenerationInput } from "./membership";
import type { PoolInput } from "./rolling";

/** What Host and Node get of their machine, besides the spec. */
export interface MachineInputs
    extends StepInputs,
        ServerInputs,
        GenerationInput,
        EndpointNumberInput,
        WishNumberInput,
        ProgramPath,
        PoolInput {
    connection: SshTarget;
    /** Of a control-plane node: word of a restore of etcd onto new machines. */
    ontoNew?: string;
}
