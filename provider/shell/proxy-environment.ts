/** Percent-encodes characters that have a meaning within quotes of shells, systemd or apt. */
export function quotable(url: string | undefined): string | undefined {
    return url?.replace(/['"\\\s]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

/** A line for both systemd and shells: neither expands anything between single quotes. */
function environmentLine(name: string, value: string): string {
    return `${name}='${value}'\n`;
}

/** Both spellings: curl reads http_proxy in lower case only. */
export function variableLines(name: string, value: string | undefined): string[] {
    return value ? [environmentLine(name, value), environmentLine(name.toLowerCase(), value)] : [];
}

/** The lines of a proxy for all programs that read such variables. */
export function proxyLines(
    { httpProxy, httpsProxy }: { httpProxy?: string; httpsProxy?: string },
    exceptions: readonly string[],
): string {
    const variables: [string, string | undefined][] = [
        ["HTTP_PROXY", quotable(httpProxy)],
        ["HTTPS_PROXY", quotable(httpsProxy)],
        ["NO_PROXY", quotable(exceptions.join(","))],
    ];
    return variables.flatMap(([name, value]) => variableLines(name, value)).join("");
}

/** The entries of a list of exceptions. An entry may itself be a list in the syntax of NO_PROXY. */
export function exceptionsOf(noProxy: readonly string[] = []): string[] {
    return noProxy.flatMap(entry => entry.split(/[\s,]+/)).filter(entry => entry !== "");
}
