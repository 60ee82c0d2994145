import { packageLayer, plainLayers } from "../images";
import type { Layer, Report } from "../layers";

/** The cloud from the distribution. It is installed in a layer of its own: the machine stays as it is. */
export const cloudPackages = [
    ...["mariadb-server", "rabbitmq-server", "memcached", "uwsgi", "uwsgi-plugin-python3"],
    ...["keystone", "glance-api", "placement-api"],
    ...["nova-api", "nova-compute", "nova-conductor", "nova-scheduler"],
    ...["neutron-server", "neutron-dhcp-agent", "neutron-l3-agent", "neutron-linuxbridge-agent"],
    ...["neutron-metadata-agent", "cinder-api", "cinder-scheduler", "cinder-volume", "heat-api", "heat-engine"],
    ...["python3-openstackclient", "python3-heatclient", "python3-neutronclient"],
    ...["python3-memcache", "python3-pymysql"],
    ...["conntrack", "dnsmasq-base", "ebtables", "haproxy", "ipset", "iptables"],
    // Servers are machines of systemd-nspawn.
    "systemd-container",
];

/** Root file system of the cloud's services, top first. */
export async function cloudLayers(report: Report): Promise<Layer[]> {
    const plain = await plainLayers(report);
    const what = "packages of the cloud (about three minutes)";
    return [await packageLayer("cloud", what, cloudPackages, plain, report), ...plain];
}
