import { apiServerPort, vipPort } from "../../provider/endpoint/decide-endpoint";
import { alivePort } from "../../provider/endpoint/haproxy-config";
import type { PlainArgs } from "../common/plain-args";
import { allMachines } from "./machine-rules";
import type { Problem } from "./rule";

const usualRange = "30000-32767";
const rangeFlag = "service-node-port-range";
const rangePlace = `controlPlane.extraArgs.apiServer.${rangeFlag}`;

/**
 * At each address of a node, the virtual one too, kube-proxy sends what comes for a NodePort to the Service's pods. If a port of the node itself is one, a tenant can take its traffic.
 */
export function nodePortProblems(args: PlainArgs): Problem[] {
    const range = args.controlPlane?.extraArgs?.["apiServer"]?.[rangeFlag] ?? usualRange;
    const [from, to] = rangeOf(range);
    return portsOf(args)
        .filter(({ port }) => port >= from && port <= to)
        .map(({ place, port, whose }) => [
            place,
            `${port} is ${whose} on the nodes, and among the ports of Services (${range}): whoever makes Services could take its traffic`,
        ]);
}

/** As the API server reads it: "30000-32767", "30000+2767", "30000". */
function rangeOf(text: string): [from: number, to: number] {
    const [, from, sign, other = from] = /^(\d+)(?:([-+])(\d+))?$/.exec(text) ?? [];
    return [Number(from), sign === "+" ? Number(from) + Number(other) : Number(other)];
}

function portsOf(args: PlainArgs): { place: string; port: number; whose: string }[] {
    const { vip } = args.controlPlane?.endpoint ?? {};
    const port = vip?.port ?? vipPort;
    const place = vip?.port === undefined ? rangePlace : "controlPlane.endpoint.vip.port";
    const { ssh } = args.infrastructure.hosts ?? {};
    const logins = [{ place: "infrastructure.hosts", ssh }, ...allMachines(args)];
    return [
        ...(vip
            ? [
                  { place, port, whose: "the API's port" },
                  { place, port: alivePort({ port }), whose: "the port of the API's health check" },
              ]
            : []),
        ...[22, 2379, 2380, apiServerPort, 10250].map(each => ({
            place: rangePlace,
            port: each,
            whose: "a port of SSH, etcd, the API server or kubelet",
        })),
        // With another host the port may be that of a router, which sends it on.
        ...logins.flatMap(login =>
            login.ssh?.port === undefined || login.ssh.host !== undefined
                ? []
                : [{ place: `${login.place}.ssh.port`, port: login.ssh.port, whose: "the port of SSH" }],
        ),
    ];
}
