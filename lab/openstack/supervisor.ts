import type { Release } from "./releases";
import { allServices, commandOf, type HeartbeatApi, type Service } from "./services";
import { inside, keystoneUrl, password, ports, url } from "./settings";

/** Restarts services that die or hang: python/supervisor.py. It ends with the cloud's root. */
export const supervisor: Service = {
    name: "supervisor",
    argv: ["python3", `${inside.python}/supervisor.py`, `${inside.etc}/services.json`],
};

/** API paths that list the times of the last reports. The first list in an answer is used. */
const heartbeats: Record<HeartbeatApi, string> = {
    network: url(ports.neutron, "/v2.0/agents?fields=binary&fields=heartbeat_timestamp"),
    compute: url(ports.nova, "/v2.1/os-services"),
    volume: url(ports.cinder, "/v3/{project}/os-services"),
};

/** Input of supervisor.py; {project} stands for the id of the administrator's project. */
export const supervisorTable = (release: Release) => ({
    keystone: keystoneUrl,
    login: {
        auth: {
            identity: {
                methods: ["password"],
                password: { user: { name: "admin", domain: { id: "default" }, password } },
            },
            scope: { project: { name: "admin", domain: { id: "default" } } },
        },
    },
    heartbeats,
    services: allServices(release).map(service => ({
        name: service.name,
        command: commandOf(service),
        heartbeat: service.heartbeat,
    })),
});
