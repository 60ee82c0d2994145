/** "core-workers-2": the name of server, host and node. `key`: of the group. */
export function serverName(clusterName: string, key: string, number: number): string {
    return `${clusterName}-${key}-${number}`;
}

/** The number in such a name. Undefined: no server of this group has the name. */
export function serverNumber(name: string, clusterName: string, key: string): number | undefined {
    const prefix = `${clusterName}-${key}-`;
    const digits = name.startsWith(prefix) ? name.slice(prefix.length) : "";
    return /^[1-9][0-9]{0,5}$/.test(digits) ? Number(digits) : undefined;
}

/** Numbers of the servers that these names mean; others are left out. */
export function serverNumbers(names: readonly string[], clusterName: string, key: string): number[] {
    return names.map(name => serverNumber(name, clusterName, key)).filter(number => number !== undefined);
}
