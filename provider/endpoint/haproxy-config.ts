import { bracketed } from "../common/cidr";
import type { EndpointSpec, MasterAddress } from "../common/model";
import { haproxyCheck, haproxyFrontend } from "../shell/own-signs";
import { apiServerPort } from "./decide-endpoint";
import { formerLines, formerPorts } from "./side-by-side";

/** The loopback port on which HAProxy answers keepalived's health check. */
export function alivePort({ port }: Pick<EndpointSpec, "port">): number {
    return port === 65535 ? 65534 : port + 1;
}

/**
 * HAProxy in front of all API servers. It does not terminate TLS. Its health check is `/readyz` over TLS, because an
 * open port does not prove that the server is ready.
 *
 * Watches and `kubectl exec` may be silent for hours, so the client and server timeouts are long: the health check, not
 * a timeout, ends connections to a dead API server. Connecting to a machine that is gone fails within a second. A slow
 * API server has three seconds, three times in a row, because marking it down ends all requests that it is about to
 * answer.
 *
 * Former endpoints (`formers`) are served too, with their health check: keepalived asks at the former port until it
 * knows the new one.
 */
export function haproxyConfig(
    endpoint: EndpointSpec,
    masters: readonly MasterAddress[],
    formers: readonly EndpointSpec[] = [],
): string {
    const ports = formerPorts(endpoint, formers);
    const sorted = [...masters].sort((a, b) => (a.name < b.name ? -1 : 1));
    return `global
    log stdout format raw daemon notice
    stats socket /run/haproxy.sock mode 600 level admin
    user haproxy
    group haproxy
    maxconn 8000

defaults
    mode tcp
    log global
    option dontlognull
    option tcpka
    option redispatch 1
    retries 3
    timeout connect 1s
    timeout check 3s
    timeout queue 5s
    timeout client 4h
    timeout server 4h
    timeout client-fin 30s

${haproxyFrontend}
    bind *:${endpoint.port}
${formerLines(ports.map(port => `    bind *:${port}`))}    default_backend kubernetes-api

backend kubernetes-api
    balance roundrobin
    option httpchk
    ${haproxyCheck}
    http-check expect status 200
    default-server check check-ssl verify none inter 1s fastinter 500ms downinter 2s fall 3 rise 2 on-marked-down shutdown-sessions
${sorted.map(({ name, address }) => `    server ${name} ${bracketed(address)}:${apiServerPort}\n`).join("")}
frontend alive
    mode http
    option dontlog-normal
    bind 127.0.0.1:${alivePort(endpoint)}
${formerLines(ports.map(port => `    bind 127.0.0.1:${alivePort({ port })}`))}    timeout client 2s
    monitor-uri /alive
`;
}
