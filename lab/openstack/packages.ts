import { packageLayer, plainLayers, type SystemName } from "../images";
import type { Layer, Report } from "../layers";
import { defaultSystem, type Release, releases } from "./releases";

/** The distribution's OpenStack packages. They are installed in a layer of their own; the machine stays unchanged. */
export const cloudPackages = (release: Release) => [
    ...["mariadb-server", "rabbitmq-server", "memcached", "uwsgi", "uwsgi-plugin-python3"],
    ...["keystone", "glance-api", "placement-api"],
    ...["nova-api", "nova-compute", "nova-conductor", "nova-scheduler"],
    ...["neutron-server", "neutron-dhcp-agent", "neutron-l3-agent", ...release.packages],
    ...["neutron-metadata-agent", "cinder-api", "cinder-scheduler", "cinder-volume", "heat-api", "heat-engine"],
    ...["python3-openstackclient", "python3-heatclient", "python3-neutronclient"],
    ...["python3-memcache", "python3-pymysql"],
    ...["conntrack", "dnsmasq-base", "ebtables", "haproxy", "ipset", "iptables"],
    // Servers are systemd-nspawn containers.
    "systemd-container",
];

/** Root file system of the cloud's services, top first. */
export async function cloudLayers(report: Report, system: SystemName = defaultSystem): Promise<Layer[]> {
    const plain = await plainLayers(report, system);
    const what = "packages of the cloud (about three minutes)";
    return [await packageLayer("cloud", what, cloudPackages(releases[system]), plain, report), ...plain];
}
