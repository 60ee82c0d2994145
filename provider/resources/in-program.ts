/** URNs of resources that the program still contains, noted by their check. One engine runs one program with this process. */
const urns = new Set<string>();

/**
 * `pulumi up --replace` and `pulumi state taint` delete a resource that the program still contains. Then `delete` must
 * not end what the resource stands for.
 */
export function noteInProgram(urn: string | undefined): void {
    if (urn !== undefined) urns.add(urn);
}

export function isInProgram(urn: string | undefined): boolean {
    return urn !== undefined && urns.has(urn);
}
