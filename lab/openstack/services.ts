import { type Release, wiringAgent } from "./releases";
import { apiAddress, inside, ports } from "./settings";

/** A program that runs as long as the cloud. */
export interface Service {
    name: string;
    argv: string[];
    env?: Record<string, string>;
    /** Addresses on which it listens when it is ready. */
    listens?: { address: string; port: number }[];
    /** How it reports that it lives: the API, and the service that passes its reports on. */
    heartbeat?: { api: HeartbeatApi; through?: string };
}

export type HeartbeatApi = "network" | "compute" | "volume";

const etc = (...files: string[]) => files.flatMap(file => ["--config-file", `${inside.etc}/${file}`]);
const local = (port: number) => [{ address: "127.0.0.1", port }];
const api = (...list: number[]) => list.map(port => ({ address: apiAddress, port }));

const mariadb: Service = {
    name: "mariadb",
    listens: local(ports.mariadb),
    argv: [
        ...["mariadbd", "--no-defaults", "--user=mysql", `--datadir=${inside.state}/mysql`],
        ...["--bind-address=127.0.0.1", `--port=${ports.mariadb}`, `--socket=${inside.run}/mysqld.sock`],
        ...[`--pid-file=${inside.run}/mariadbd.pid`, "--skip-name-resolve", "--max-connections=400"],
        // The data may be lost, so speed matters more than safety.
        ...["--innodb-flush-log-at-trx-commit=0", "--sync-binlog=0", "--innodb-doublewrite=0"],
        // With this, a service's read in one transaction and write after it fail as soon as another one has written: "Record has changed".
        // Since MariaDB 11.6 it is on by default; OpenStack does not expect it.
        "--loose-innodb-snapshot-isolation=OFF",
        ...["--innodb-buffer-pool-size=128M", "--innodb-log-file-size=48M", "--performance-schema=OFF"],
        ...["--key-buffer-size=1M", "--character-set-server=utf8mb3", "--collation-server=utf8mb3_general_ci"],
    ],
};

const rabbitmq: Service = {
    name: "rabbitmq",
    listens: local(ports.rabbitmq),
    argv: ["runuser", "-u", "rabbitmq", "--", "/usr/lib/rabbitmq/bin/rabbitmq-server"],
    env: {
        HOME: `${inside.run}/rabbitmq`,
        RABBITMQ_NODENAME: "rabbit@localhost",
        RABBITMQ_CONF_ENV_FILE: "/dev/null",
        RABBITMQ_CONFIG_FILE: `${inside.etc}/rabbitmq.conf`,
        RABBITMQ_ADVANCED_CONFIG_FILE: `${inside.etc}/rabbitmq.advanced.config`,
        RABBITMQ_ENABLED_PLUGINS_FILE: `${inside.etc}/rabbitmq.plugins`,
        RABBITMQ_MNESIA_BASE: `${inside.run}/rabbitmq/mnesia`,
        RABBITMQ_LOG_BASE: `${inside.run}/rabbitmq/log`,
        RABBITMQ_PID_FILE: `${inside.run}/rabbitmq/pid`,
        ERL_EPMD_ADDRESS: "127.0.0.1",
        RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none",
    },
};

const memcached: Service = {
    name: "memcached",
    listens: local(ports.memcached),
    argv: ["memcached", "-u", "nobody", "-m", "32", "-l", "127.0.0.1", "-p", String(ports.memcached), "-t", "1"],
};

/** `file`: the script that makes its application. */
function wsgi(name: string, port: number, file: string, env: Record<string, string>): Service {
    return {
        name,
        env: { ...env, WSGI_SCRIPT: file },
        listens: api(port),
        argv: [
            ...[
                "uwsgi_python3",
                "--http-socket",
                `${apiAddress}:${port}`,
                "--wsgi-file",
                `${inside.python}/uwsgi_app.py`,
                "--master",
            ],
            ...["--processes", "1", "--threads", "6", "--enable-threads", "--lazy-apps", "--die-on-term"],
            ...["--buffer-size", "65535", "--disable-logging", "--thunder-lock", "--add-header", "Connection: close"],
        ],
    };
}

/** A service without a port is ready when the cloud reports it (see bootstrap.py). */
const plain = (name: string, files: string[], program = name): Service => ({ name, argv: [program, ...etc(...files)] });
const withApi = (service: Service, ...list: number[]): Service => ({ ...service, listens: api(...list) });

/** Programs that the driver needs besides its agent. Open vSwitch does the switching itself: this kernel has no module for it. */
const switches: Record<Release["driver"], Service[]> = {
    linuxbridge: [],
    openvswitch: [
        { name: "ovsdb-server", argv: [`${inside.scripts}/ovsdb.sh`] },
        {
            name: "ovs-vswitchd",
            argv: ["ovs-vswitchd", "unix:/run/openvswitch/db.sock", "--disable-system", "-vsyslog:off"],
        },
    ],
};

export const infrastructure = ({ driver }: Release) => [mariadb, memcached, rabbitmq, ...switches[driver]];

export const keystone = wsgi("keystone", ports.keystone, "/usr/bin/keystone-wsgi-public", {
    OS_KEYSTONE_CONFIG_FILES: `${inside.etc}/keystone.conf`,
});

/** These may start before their users exist in Keystone. */
export const controllers: Service[] = [
    wsgi("placement", ports.placement, "/usr/bin/placement-api", {
        OS_PLACEMENT_CONFIG_DIR: `${inside.etc}/placement`,
    }),
    withApi(plain("neutron-server", ["neutron.conf", "ml2.ini"]), ports.neutron),
    withApi(plain("glance-api", ["glance-api.conf"]), ports.glance),
    withApi(plain("nova-api", ["nova.conf"]), ports.nova, ports.metadata),
    withApi(plain("cinder-api", ["cinder.conf"]), ports.cinder),
    { ...plain("cinder-scheduler", ["cinder.conf"]), heartbeat: { api: "volume" } },
    { ...plain("cinder-volume", ["cinder.conf"]), env: { PYTHONPATH: inside.python }, heartbeat: { api: "volume" } },
    withApi(plain("heat", ["heat.conf"], "heat-all"), ports.heat, ports.heatCfn),
];

/** These exit at their start unless Placement knows their user. */
export const lateControllers: Service[] = [
    { ...plain("nova-conductor", ["nova.conf"]), heartbeat: { api: "compute" } },
    { ...plain("nova-scheduler", ["nova.conf"]), heartbeat: { api: "compute" } },
];

const networkAgent = (name: string, files: string[], program = name): Service => ({
    ...plain(name, ["neutron.conf", ...files], program),
    heartbeat: { api: "network", through: "neutron-server" },
});

/** Makes the bridges that the agent expects, then becomes the agent. */
const wiringScript = { linuxbridge: undefined, openvswitch: `${inside.scripts}/openvswitch-agent.sh` };

export const agents = (release: Release): Service[] => [
    networkAgent(wiringAgent(release), ["ml2.ini", "wiring.ini"], wiringScript[release.driver]),
    networkAgent("neutron-dhcp-agent", ["dhcp.ini"]),
    networkAgent("neutron-l3-agent", ["l3.ini"]),
    networkAgent("neutron-metadata-agent", ["metadata.ini"]),
    {
        name: "nova-compute",
        argv: ["python3", `${inside.python}/nova_compute.py`, ...etc("nova-compute.conf")],
        env: { PYTHONPATH: inside.python },
        heartbeat: { api: "compute", through: "nova-conductor" },
    },
];

export const allServices = (release: Release) => [
    ...[...infrastructure(release), keystone, ...controllers, ...lateControllers, ...agents(release)],
];

/** Its command line. */
export function commandOf({ argv, env }: Service): string[] {
    return ["env", ...Object.entries(env ?? {}).map(([key, value]) => `${key}=${value}`), ...argv];
}
