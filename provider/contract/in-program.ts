import type { Context, InSession } from "./types";

/** Resources that the program of this run contains, noted by their check. */
class InProgram extends Set<string> {}

type InRun = Pick<Context, "session"> | undefined;

/**
 * `pulumi up --replace` and `pulumi state taint` delete a resource that the program still contains. Then `delete` must
 * not end what the resource stands for.
 */
export function noteInProgram(context: InRun, urn: string | undefined): void {
    if (urn !== undefined) context?.session.part(InProgram).add(withoutStack(urn));
}

export function isInProgram(context: InRun, urn: string | undefined): boolean {
    return urn !== undefined && context?.session.part(InProgram).has(withoutStack(urn)) === true;
}

/** Whether this run has a program: `destroy` has none, also with --run-program, and calls no check. */
class HasProgram {
    any = false;
}

export function noteProgram({ session }: InSession): void {
    session.part(HasProgram).any = true;
}

export function hasProgram({ session }: InSession): boolean {
    return session.part(HasProgram).any;
}

export function sameUrn(one: string, other: string): boolean {
    return withoutStack(one) === withoutStack(other);
}

/** `pulumi stack rename` changes the URNs of the state, but not those that we have noted in it: "urn:pulumi:STACK::PROJECT::TYPE::NAME". */
function withoutStack(urn: string): string {
    return urn.split("::").slice(-2).join("::");
}
