import type { Context } from "./types";

/** URNs of resources that the program of this run contains, noted by their check. */
class InProgram extends Set<string> {}

type InRun = Pick<Context, "session"> | undefined;

/**
 * `pulumi up --replace` and `pulumi state taint` delete a resource that the program still contains. Then `delete` must
 * not end what the resource stands for.
 */
export function noteInProgram(context: InRun, urn: string | undefined): void {
    if (urn !== undefined) context?.session.part(InProgram).add(urn);
}

export function isInProgram(context: InRun, urn: string | undefined): boolean {
    return urn !== undefined && context?.session.part(InProgram).has(urn) === true;
}
