/** Bridge `br-ex` of the cloud: all APIs listen here. Servers reach it through their routers, the operator in the namespace. */
export const apiAddress = "172.24.4.1";
export const publicNetwork = { name: "public", cidr: "172.24.4.0/24", first: "172.24.4.100", last: "172.24.4.250" };

/** Grants access only inside the cloud's network namespace. The word is unique, so that tests can search for it. */
export const password = "lab-password-5c2e91";
export const region = "RegionOne";

/** Name of the compute host in Nova. Neutron's agents must have the same name, otherwise no port can be bound. */
export const hostName = "host1";

/** Identity of the compute host in Nova. With another one, Nova would not start on the databases of an earlier start. */
export const computeId = "6a5b2d8c-3f0e-4c56-9d1a-7e2b9c4f1d30";

/** Folders as the services see them: the same for every cloud, so that a saved database fits any of them. */
export const inside = {
    cloud: "/cloud",
    etc: "/cloud/etc",
    state: "/cloud/state",
    servers: "/cloud/state/servers",
    run: "/cloud/run",
    log: "/cloud/log",
    /** The cache with the layers of the images. */
    layers: "/layers",
    scripts: "/scripts",
    python: "/python",
};

export const ports = {
    mariadb: 3306,
    rabbitmq: 5672,
    memcached: 11211,
    keystone: 5000,
    glance: 9292,
    placement: 8778,
    nova: 8774,
    metadata: 8775,
    neutron: 9696,
    cinder: 8776,
    heat: 8004,
    heatCfn: 8000,
};

export const url = (port: number, path = "") => `http://${apiAddress}:${port}${path}`;
export const messageQueue = `rabbit://openstack:${password}@127.0.0.1:${ports.rabbitmq}/`;
export const keystoneUrl = url(ports.keystone, "/v3");
