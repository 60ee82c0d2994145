import { descriptorOf } from "./descriptors";

/** Names of the nodes that a run repairs, separated by blanks. Set by `nfv repair`; without it a run does all that is to do. */
export const repairVariable = "PULUMI_NFV_REPAIR";

/** A run that brings broken nodes back, and leaves everything else to another run. */
export class RepairRun {
    private constructor(private readonly nodes: ReadonlySet<string>) {}

    /** Undefined: this is another run. */
    static of(env: Readonly<Record<string, string | undefined>>): RepairRun | undefined {
        const names = env[repairVariable];
        return names ? new RepairRun(new Set(names.split(" "))) : undefined;
    }

    repairs(node: string): boolean {
        return this.nodes.has(node);
    }
}

/** A run that repairs nodes leaves requests to the next one, and asks no machine about them. */
export const leavesRequest = (type: string): boolean =>
    descriptorOf(type)?.request === true && RepairRun.of(process.env) !== undefined;
