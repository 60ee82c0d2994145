import type { Ini } from "../ini";
import { hostName, inside, keystoneUrl, messageQueue, password, ports, region, url } from "../settings";

const quiet = ["amqp", "amqplib", "sqlalchemy", "iso8601", "requests", "urllib3", "keystonemiddleware", "stevedore"];

/** Logs go to standard error, which is redirected to the service's file below log/. */
export const common = (service: string): Ini => ({
    DEFAULT: {
        host: hostName,
        transport_url: messageQueue,
        log_dir: "",
        use_stderr: true,
        state_path: `${inside.state}/${service}`,
        default_log_levels: [...quiet.map(name => `${name}=WARN`), "oslo.messaging=INFO"].join(","),
    },
    oslo_concurrency: { lock_path: `${inside.run}/lock/${service}` },
});

export const databaseUrl = (name: string) =>
    `mysql+pymysql://openstack:${password}@localhost/${name}?charset=utf8&unix_socket=${inside.run}/mysqld.sock`;

export const database = (name: string): Ini => ({
    database: { connection: databaseUrl(name), max_pool_size: 5, max_overflow: 20 },
});

/** How a service logs in to Keystone for itself. */
export const login = (user: string) => ({
    auth_type: "password",
    auth_url: keystoneUrl,
    user_domain_name: "Default",
    project_domain_name: "Default",
    project_name: "service",
    username: user,
    password,
});

/** How a service authenticates its callers. Volumes of servers can be detached only with a service token. */
export const callers = (user: string): Ini => ({
    keystone_authtoken: {
        ...login(user),
        www_authenticate_uri: url(ports.keystone),
        memcached_servers: `127.0.0.1:${ports.memcached}`,
        service_token_roles: "service",
        service_token_roles_required: true,
    },
});

/** A section with the login for calls to another service. */
export const client = (section: string, user: string): Ini => ({
    [section]: { ...login(user), region_name: region },
});
