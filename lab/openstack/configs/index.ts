import type { Release } from "../releases";
import { computeId, password, ports } from "../settings";
import { cinderConf } from "./cinder";
import { glanceConf } from "./glance";
import { heatConf } from "./heat";
import { keystoneConf } from "./keystone";
import { agentConf, ml2Conf, neutronConf, wiringConf } from "./neutron";
import { novaComputeConf, novaConf } from "./nova";
import { placementConf } from "./placement";

const rabbitmqConf = () =>
    [
        `listeners.tcp.1 = 127.0.0.1:${ports.rabbitmq}`,
        "default_user = openstack",
        `default_pass = ${password}`,
        "default_user_tags.administrator = true",
        "vm_memory_high_watermark.absolute = 1GB",
        "disk_free_limit.absolute = 100MB",
        "",
    ].join("\n");

/** Every configuration file of the cloud by its path below etc/. */
const files: Record<string, (release: Release) => string> = {
    "rabbitmq.conf": rabbitmqConf,
    // Without this, Erlang's own distribution port would listen on all addresses.
    "rabbitmq.advanced.config": () => "[{kernel,[{inet_dist_use_interface,{127,0,0,1}}]}].\n",
    "rabbitmq.plugins": () => "[].\n",
    "keystone.conf": keystoneConf,
    "glance-api.conf": glanceConf,
    "placement/placement.conf": placementConf,
    "nova.conf": novaConf,
    "nova-compute.conf": novaComputeConf,
    // Nova of 2025.1 looks for it here. In the snapshot of a fresh cloud, the host has this identity already.
    compute_id: () => computeId,
    "neutron.conf": neutronConf,
    "ml2.ini": ml2Conf,
    "wiring.ini": wiringConf,
    "dhcp.ini": agentConf("dhcp"),
    "l3.ini": agentConf("l3"),
    "metadata.ini": agentConf("metadata"),
    "cinder.conf": cinderConf,
    "heat.conf": heatConf,
};

export const configFiles = (release: Release): Record<string, string> =>
    Object.fromEntries(Object.entries(files).map(([path, render]) => [path, render(release)]));
