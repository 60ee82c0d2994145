import type { EndpointSpec, HostSpec } from "../common/model";
import { programFolder } from "../shell/folders";
import { alivePort } from "./haproxy-config";
import { formerLines, formerVips } from "./side-by-side";

export const checkScriptPath = `${programFolder}/check-haproxy`;

/** Stands for the network interface; the node replaces it by the interface that has its address. */
export const interfacePlaceholder = "@INTERFACE@";

/**
 * Asks HAProxy's event loop: an open port only proves that the kernel still queues connections. All supported systems
 * have bash, so no further program is needed.
 */
export function checkScript(port: number): string {
    return `#!/bin/bash
exec 3<>/dev/tcp/127.0.0.1/${port} || exit 1
printf 'GET /alive HTTP/1.0\\r\\n\\r\\n' >&3
read -r -t 1 _ status _ <&3
[ "$status" = 200 ]
`;
}

/**
 * keepalived for failover in less than a second: VRRP version 3, unicast, five adverts a second. A control-plane node
 * that comes back does not take the address back (no preemption). A gratuitous ARP each second corrects stale entries
 * after a network partition. Each setting needs a line of its own: keepalived ignores the rest of a line.
 */
export function keepalivedConfig(spec: HostSpec): string {
    const formers = formerVips(spec).map(vip => instance(`kubernetes_api_${vip.virtualRouterId}`, vip, spec));
    return (
        `global_defs {
    vrrp_version 3
    router_id ${spec.name}
    enable_script_security
    script_user nobody
    vrrp_garp_master_refresh 1
    vrrp_garp_master_refresh_repeat 1
}

vrrp_script haproxy {
    script "${checkScriptPath}"
    interval 1
    timeout 2
    fall 2
    rise 2
}

${instance("kubernetes_api", spec.endpoint.vip!, spec)}
${formerLines(formers)}`.trimEnd() + "\n"
    );
}

/**
 * keepalived identifies an instance by its router id, not by its name: an instance that is renamed keeps its address.
 */
function instance(name: string, vip: NonNullable<EndpointSpec["vip"]>, spec: HostSpec): string {
    const peers = spec.masters.map(master => master.address).filter(address => address !== spec.address);
    const unicast =
        peers.length === 0
            ? ""
            : `    check_unicast_src
    unicast_src_ip ${spec.address}
    unicast_peer {
${[...peers]
    .sort()
    .map(peer => `        ${peer}\n`)
    .join("")}    }
`;
    return `vrrp_instance ${name} {
    state BACKUP
    nopreempt
    interface ${vip.interface || interfacePlaceholder}
    virtual_router_id ${vip.virtualRouterId}
    priority ${spec.vrrpPriority ?? 100}
    advert_int 0.2
${unicast}    virtual_ipaddress {
        ${vip.address}/${vip.prefixLength}
    }
    track_script {
        haproxy
    }
}`;
}

/** The health check script for this endpoint. */
export function checkScriptFor(spec: HostSpec): string {
    return checkScript(alivePort(spec.endpoint));
}
