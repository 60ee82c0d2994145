import { cloudNames, projects } from "./clients";
import { volumeType } from "./configs/cinder";
import { type Release, wiringAgent } from "./releases";
import type { ServerImage } from "./server-images";
import { apiAddress, hostName, messageQueue, password, ports, publicNetwork, region, url } from "./settings";

/** RAM in MiB, disk in GiB. */
export const flavors = [
    { name: "m1.tiny", ram: 512, vcpus: 1, disk: 3 },
    { name: "m1.small", ram: 1024, vcpus: 1, disk: 5 },
    { name: "m1.medium", ram: 2048, vcpus: 2, disk: 10 },
    { name: "m1.large", ram: 4096, vcpus: 2, disk: 20 },
    { name: "m1.xlarge", ram: 8192, vcpus: 4, disk: 40 },
];

/** Of each project. Room for 3 control-plane nodes and 10 workers with volumes and floating addresses, and a limit that checks can reach. */
export const quota = {
    compute: { instances: 20, cores: 48, ram: 98_304, key_pairs: 30, server_groups: 20, server_group_members: 20 },
    network: {
        ...{ network: 20, subnet: 20, router: 10, port: 120, floatingip: 40 },
        ...{ security_group: 40, security_group_rule: 400 },
    },
    volume: { volumes: 60, gigabytes: 1000, snapshots: 20 },
};

const services = [
    { name: "glance", type: "image", url: url(ports.glance) },
    { name: "placement", type: "placement", url: url(ports.placement) },
    { name: "nova", type: "compute", url: url(ports.nova, "/v2.1") },
    { name: "neutron", type: "network", url: url(ports.neutron) },
    { name: "cinderv3", type: "volumev3", url: url(ports.cinder, "/v3/%(project_id)s") },
    { name: "cinder", type: "block-storage", url: url(ports.cinder, "/v3/%(project_id)s") },
    { name: "heat", type: "orchestration", url: url(ports.heat, "/v1/%(project_id)s") },
    { name: "heat-cfn", type: "cloudformation", url: url(ports.heatCfn, "/v1") },
];

/** What python/bootstrap.py makes and waits for. */
export const bootstrapInput = (images: readonly ServerImage[], release: Release) => ({
    ...{ apiAddress, flavors, hostName, images, password, publicNetwork, quota, region, services, volumeType },
    demoCloud: cloudNames.user,
    projects: Object.values(projects),
    serviceUsers: ["glance", "placement", "nova", "neutron", "cinder", "heat"],
    roles: ["service", "member", "heat_stack_owner", "heat_stack_user", "creator", "load-balancer_member"],
    projectRoles: ["member", "heat_stack_owner", "creator", "load-balancer_member"],
    computeServices: ["nova-conductor", "nova-scheduler", "nova-compute"],
    wiringAgent: wiringAgent(release),
    networkAgents: [wiringAgent(release), "neutron-dhcp-agent", "neutron-l3-agent", "neutron-metadata-agent"],
    messageQueue,
    /** Which queue each service reads. */
    queues: {
        "nova-conductor": `conductor.${hostName}`,
        "nova-scheduler": `scheduler.${hostName}`,
        "nova-compute": `compute.${hostName}`,
        [wiringAgent(release)]: `${release.queue}.${hostName}`,
        "neutron-dhcp-agent": `dhcp_agent.${hostName}`,
        "neutron-l3-agent": `l3_agent.${hostName}`,
        "cinder-scheduler": `cinder-scheduler.${hostName}`,
        "cinder-volume": `cinder-volume.${hostName}@${volumeType}`,
        heat: `engine.${hostName}`,
    },
});
