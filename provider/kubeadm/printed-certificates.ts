/** A file of a node, and the certificates in it, PEM. */
export interface PrintedFile {
    file: string;
    certificates: string[];
}

/** What print-certificates.sh printed: "== FILE" and PEM. Pure. */
export function printedFiles(text: string): PrintedFile[] {
    return text
        .split(/^== /m)
        .slice(1)
        .map(section => ({
            file: section.slice(0, section.indexOf("\n")),
            certificates: section.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [],
        }));
}
