import type { HostSpec } from "../common/model";
import { formerLines } from "../endpoint/side-by-side";
import { script } from "../shell/script-file";
import { step } from "../steps/step";

/** Lines of /etc/hosts that a node needs: its own, and the endpoint's if only the cluster's nodes know its name. */
export function hostsLines(spec: HostSpec): string[] {
    const entry = spec.endpoint.hostsEntry;
    return [`${spec.address} ${spec.name}`, ...(entry ? [`${entry.address} ${entry.name}`] : []), ...formerNames(spec)];
}

function formerNames({ formerEndpoints = [] }: HostSpec): string[] {
    const lines = formerEndpoints.flatMap(({ hostsEntry: entry }) => (entry ? [`${entry.address} ${entry.name}`] : []));
    return lines.length === 0 ? [] : [formerLines(lines).trimEnd()];
}

/** Writes a block of our own into /etc/hosts and leaves the rest of the file as it is. */
export const writeHostsFile = step<HostSpec>({ id: "host.hosts-file", title: "write names to /etc/hosts" })(spec => ({
    revision: 1,
    env: { LINES: hostsLines(spec).join("\n") },
    run: script("node/write-hosts-file.sh"),
    observe: { script: script("node/observe-hosts-file.sh") },
    timeoutSeconds: 20,
}));
