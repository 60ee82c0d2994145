import type { EndpointSpec, HostSpec } from "../model";
import { stateFolder } from "../shell/folders";
import { sh } from "../shell/script";
import { placeOf } from "./endpoint-change";

/**
 * While nodes move from one endpoint to another, both are served. What belongs to a former one stands in the files of the nodes
 * between these two lines, so that taking it away is to delete these lines: what is left is what a fresh node has.
 */
export const formerMarks = ["# pulumi-nfv former begin", "# pulumi-nfv former end"] as const;
const [begin, end] = formerMarks;

/** Lines of a former endpoint; nothing where there are none. */
export function formerLines(lines: readonly string[]): string {
    return lines.length === 0 ? "" : [begin, ...lines, end].map(line => `${line}\n`).join("");
}

/**
 * Shell: `without_former` FILE takes what belongs to former endpoints out of a file, if there is any. Do not call it with `||` or in an
 * `if`: the shell would go on where the disk is full, and leave an empty file.
 */
export const withoutFormer = sh`
    without_former() {
        grep -qx '${begin}' "$1" 2>/dev/null || return 0
        rest=$(sed '/^${begin}$/,/^${end}$/d' "$1")
        cp -p "$1" "$1.nfv-new"
        printf '%s\\n' "$rest" > "$1.nfv-new"
        sync -- "$1.nfv-new"
        case $1 in
            # may be a mount, which cannot be renamed over
            */etc/hosts) cat "$1.nfv-new" > "$1"; rm -f "$1.nfv-new" ;;
            *) mv -fT "$1.nfv-new" "$1" ;;
        esac
    }
`;

/** On a node that moves: the former endpoints, one JSON a line. It is there from before the first change until the last one is taken away. */
export const formersFile = `${stateFolder}/former-endpoints`;

/** Shell: notes FORMERS. Complete or not at all. */
export const noteFormersScript = sh`
    umask 077
    mkdir -p ${stateFolder}
    printf '%s\\n' "$FORMERS" > ${formersFile}.new
    sync -- ${formersFile}.new
    mv ${formersFile}.new ${formersFile}
`;

export const formersText = (formers: readonly EndpointSpec[]) => formers.map(each => JSON.stringify(each)).join("\n");

/** A line that cannot be read is none of ours. */
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

/** Virtual addresses of former endpoints that the new one does not have. */
export function formerVips({ endpoint, formerEndpoints = [] }: HostSpec): Vip[] {
    const vips = formerEndpoints.flatMap(({ vip }) => (vip && vip.address !== endpoint.vip?.address ? [vip] : []));
    return [...new Map(vips.map(vip => [vip.address, vip])).values()];
}

/** Ports of former virtual addresses on which HAProxy does not listen for the new one. */
export function formerPorts(endpoint: EndpointSpec, formers: readonly EndpointSpec[]): number[] {
    const ports = formers.flatMap(({ vip, port }) => (vip && port !== endpoint.port ? [port] : []));
    return [...new Set(ports)].sort((a, b) => a - b);
}

/** All addresses and names of endpoints, as a proxy or a certificate has to know them. */
export function namesOf({ host, vip, hostsEntry }: EndpointSpec): string[] {
    const names = [host, vip?.address, hostsEntry?.address].filter(each => each !== undefined);
    return [...new Set(names)];
}

/** "https://10.0.0.100:16443" */
export const urlOf = (endpoint: EndpointSpec) => `https://${placeOf(endpoint)}`;
