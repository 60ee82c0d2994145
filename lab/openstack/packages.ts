import { packageLayer, plainLayers } from "../images";
import type { Layer, Report } from "../layers";

/** The distribution's OpenStack packages. They are installed in a layer of their own; the machine stays unchanged. */
export const cloudPackages = [
    ...["mariadb-server", "rabbitmq-server", "memcached", "uwsgi", "uwsgi-plugin-python3"],
    ...["keystone", "glance-api", "placement-api"],
    ...["nova-api", "nova-compute", "nova-conductor", "nova-scheduler"],
    ...["neutron-server", "neutron-dhcp-agent", "neutron-l3-agent", "neutron-linuxbridge-agent"],
    ...["neutron-metadata-agent", "cinder-api", "cinder-scheduler", "cinder-volume", "heat-api", "heat-engine"],
    ...["python3-openstackclient", "python3-heatclient", "python3-neutronclient"],
    ...["python3-memcache", "python3-pymysql"],
    ...["conntrack", "dnsmasq-base", "ebtables", "haproxy", "ipset", "iptables"],
    // Servers are systemd-nspawn containers.
    "systemd-container",
];

/** Root file system of the cloud's services, top first. */
export async function cloudLayers(report: Report): Promise<Layer[]> {
    const plain = await plainLayers(report);
    const what = "packages of the cloud (about three minutes)";
    return [await packageLayer("cloud", what, cloudPackages, plain, report), ...plain];
}
