import { databaseUrl } from "./configs/common";
import { inside, keystoneUrl, password, region } from "./settings";

const names = ["keystone", "glance", "placement", "nova", "nova_api", "nova_cell0", "neutron", "cinder", "heat"];

/** Databases and their user, as SQL. */
export const createDatabases = () =>
    [
        ...names.map(name => `CREATE DATABASE IF NOT EXISTS \`${name}\` CHARACTER SET utf8mb3;`),
        `CREATE USER IF NOT EXISTS 'openstack'@'localhost' IDENTIFIED BY '${password}';`,
        "GRANT ALL ON *.* TO 'openstack'@'localhost';",
        "",
    ].join("\n");

const etc = (file: string) => ["--config-file", `${inside.etc}/${file}`];
const keystone = (...words: string[]) => ["keystone-manage", ...etc("keystone.conf"), ...words];
const asRoot = ["--keystone-user", "root", "--keystone-group", "root"];
const nova = (...words: string[]) => ["nova-manage", ...etc("nova.conf"), ...words];

/** Commands that fill the databases: the commands of a list run in order, the lists in parallel. */
export const migrations: string[][][] = [
    [
        keystone("db_sync"),
        keystone("fernet_setup", ...asRoot),
        keystone("credential_setup", ...asRoot),
        keystone(
            ...["bootstrap", "--bootstrap-password", password, "--bootstrap-region-id", region],
            ...["admin", "internal", "public"].flatMap(kind => [`--bootstrap-${kind}-url`, keystoneUrl]),
        ),
        ["glance-manage", ...etc("glance-api.conf"), "db_sync"],
        ["placement-manage", ...etc("placement/placement.conf"), "db", "sync"],
        ["cinder-manage", ...etc("cinder.conf"), "db", "sync"],
        ["heat-manage", ...etc("heat.conf"), "db_sync"],
    ],
    [
        nova("api_db", "sync"),
        nova("cell_v2", "map_cell0", "--database_connection", databaseUrl("nova_cell0")),
        nova("cell_v2", "create_cell", "--name", "cell1"),
        nova("db", "sync"),
        ["neutron-db-manage", ...etc("neutron.conf"), ...etc("ml2.ini"), "upgrade", "heads"],
    ],
];

/** Otherwise the scheduler finds the compute host only in its next round, and the first server fails. */
export const discoverHosts = nova("cell_v2", "discover_hosts");
