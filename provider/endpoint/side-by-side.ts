import type { EndpointSpec, HostSpec } from "../common/model";
import { stateFolder } from "../shell/folders";
import { script } from "../shell/script-file";
import { placeOf } from "./endpoint-change";

/**
 * While nodes move from one endpoint to another, both are served. In the nodes' files, the lines of a former endpoint
 * stand between these two marks. Deleting the marked lines leaves the file that a new node has.
 */
export const formerMarks = ["# pulumi-nfv former begin", "# pulumi-nfv former end"] as const;
const [begin, end] = formerMarks;

/** The lines of a former endpoint between the marks; "" if there are none. */
export function formerLines(lines: readonly string[]): string {
    return lines.length === 0 ? "" : [begin, ...lines, end].map(line => `${line}\n`).join("");
}

/** Constants of the scripts that handle files with former endpoints. */
export const formerConstants = { FORMER_BEGIN: begin, FORMER_END: end };

/**
 * Lists the former endpoints on a node that moves, one JSON object a line. Exists from before the first change until
 * the last one is removed.
 */
export const formersFile = `${stateFolder}/former-endpoints`;

/** Writes FORMERS to that file atomically. */
export const noteFormersScript = script("endpoint/note-formers.sh", { FORMERS_FILE: formersFile });

export const formersText = (formers: readonly EndpointSpec[]) => formers.map(each => JSON.stringify(each)).join("\n");

/** We did not write a line that cannot be parsed, so it is ignored. */
export function parseFormers(lines: readonly string[]): EndpointSpec[] {
    return lines.flatMap(line => {
        try {
            const endpoint = JSON.parse(line) as EndpointSpec;
            return typeof endpoint.host === "string" && typeof endpoint.port === "number" ? [endpoint] : [];
        } catch {
            return [];
        }
    });
}

type Vip = NonNullable<EndpointSpec["vip"]>;

/** Virtual addresses of former endpoints, except the wanted one's. */
export function formerVips({ endpoint, formerEndpoints = [] }: HostSpec): Vip[] {
    const vips = formerEndpoints.flatMap(({ vip }) => (vip && vip.address !== endpoint.vip?.address ? [vip] : []));
    return [...new Map(vips.map(vip => [vip.address, vip])).values()];
}

/** Ports of former virtual addresses on which HAProxy does not already listen for the wanted endpoint. */
export function formerPorts(endpoint: EndpointSpec, formers: readonly EndpointSpec[]): number[] {
    const ports = formers.flatMap(({ vip, port }) => (vip && port !== endpoint.port ? [port] : []));
    return [...new Set(ports)].sort((a, b) => a - b);
}

/** All addresses and names of the endpoints, for a proxy's exceptions or for a certificate. */
export function namesOf({ host, vip, hostsEntry }: EndpointSpec): string[] {
    const names = [host, vip?.address, hostsEntry?.address].filter(each => each !== undefined);
    return [...new Set(names)];
}

/** "https://10.0.0.100:16443" */
export const urlOf = (endpoint: EndpointSpec) => `https://${placeOf(endpoint)}`;
