import { NfvError, type NfvErrorDetails } from "../../provider/common/errors";

/** Components, as errors name them. */
export type ResourceName =
    | "KubernetesCluster"
    | "Vim"
    | "Cnf"
    | "PersistentVolumes"
    | "StorageClasses"
    | "StorageServer"
    | "ManagementCluster"
    | "WorkloadCluster"
    | "MovedClusters";

/** An error of the program's author. */
export function invalidInput(resource: ResourceName, name: string, found: string[]): NfvError {
    return ofProgram({ code: "INVALID_INPUT", node: `${resource} "${name}"`, cause: found.join("\n") });
}

/** What `read` returns. Its errors name the resource, like those of `validate`: they say what is wrong with files that the arguments name. */
export function reading<T>(resource: ResourceName, name: string, read: () => T): T {
    try {
        return read();
    } catch (error) {
        if (!(error instanceof NfvError)) throw error;
        const { code, node = `${resource} "${name}"`, step, reason: cause, hint, output } = error;
        throw ofProgram({ code, node, step, cause, hint, output });
    }
}

/** The same for functions that throw a plain Error about an input: it becomes INVALID_INPUT. */
export function readingInputs<T>(resource: ResourceName, name: string, read: () => T): T {
    return reading(resource, name, () => {
        try {
            return read();
        } catch (error) {
            throw error instanceof NfvError ? error : invalidInput(resource, name, [(error as Error).message]);
        }
    });
}

/** With this mark Pulumi prints the message without a stack trace. */
function ofProgram(details: NfvErrorDetails): NfvError {
    return Object.assign(new NfvError(details), { __pulumiRunError: true });
}
