import type { ProgramPath, ServerInputs, StepInputs } from "../machine/machine";
import type { ChangeNumberInput } from "../operation/wishes";
import type { SshTarget } from "../ssh";
import type { PoolInput } from "./rolling";

/** What Host and Node get of their machine, besides the spec. */
export interface MachineInputs extends StepInputs, ServerInputs, ChangeNumberInput, ProgramPath, PoolInput {
    connection: SshTarget;
    /** Of a control-plane node: word of a restore of etcd onto new machines. */
    ontoNew?: string;
}
