import { type Ini, toIni } from "../ini";
import type { Release } from "../releases";
import { apiAddress, inside, password } from "../settings";
import { callers, client, common, database } from "./common";

const helpers = [
    "privsep",
    "privsep_dhcp_release",
    "privsep_namespace",
    "privsep_conntrack",
    "privsep_link",
    "privsep_ovs_vsctl",
];

export const neutronConf = ({ driver }: Release) =>
    toIni(
        common("neutron"),
        {
            DEFAULT: {
                bind_host: apiAddress,
                core_plugin: "ml2",
                service_plugins: "router",
                api_workers: 1,
                rpc_workers: 1,
                rpc_state_report_workers: 0,
                api_paste_config: "/etc/neutron/api-paste.ini",
                notify_nova_on_port_status_changes: true,
                notify_nova_on_port_data_changes: true,
                send_events_interval: 0,
                agent_down_time: 75,
                // An agent that calls before the server listens never gets an answer, and until it calls again no server gets an address.
                rpc_response_timeout: 20,
                global_physnet_mtu: 1500,
                interface_driver: driver,
            },
            // The supervisor recognises a hung agent by its missing reports.
            agent: { root_helper: "", root_helper_daemon: "", report_interval: 10 },
        },
        drivers[driver].all,
        Object.fromEntries(
            helpers.map(name => [
                name,
                {
                    helper_command: `privsep-helper --config-file ${inside.etc}/neutron.conf`,
                    // With more threads, eventlet's semaphore may switch greenlets across threads. The helper then dies, and no router is made.
                    thread_pool_size: 1,
                },
            ]),
        ),
        database("neutron"),
        callers("neutron"),
        client("nova", "nova"),
        client("placement", "placement"),
    );

export const ml2Conf = ({ driver }: Release) =>
    toIni({
        ml2: {
            type_drivers: "flat,vlan,vxlan,local",
            tenant_network_types: "vxlan",
            mechanism_drivers: driver,
            extension_drivers: "port_security",
        },
        ml2_type_flat: { flat_networks: "public" },
        ml2_type_vxlan: { vni_ranges: "1:1000" },
        securitygroup: { enable_ipset: true },
    });

/** By driver: settings for all that is of Neutron, and for the agent that wires servers. */
const drivers: Record<Release["driver"], { all: Ini; agent: Ini }> = {
    linuxbridge: {
        // Neutron of this release refuses the Linux bridge without this.
        all: { experimental: { linuxbridge: true } },
        agent: {
            linux_bridge: { bridge_mappings: "public:br-ex" },
            vxlan: { enable_vxlan: true, local_ip: apiAddress, l2_population: false },
            securitygroup: { enable_security_group: true, firewall_driver: "iptables" },
        },
    },
    openvswitch: {
        all: {
            // A veth pair stays when Open vSwitch is started again. Ports that it makes itself would be gone, and routers with them.
            DEFAULT: { ovs_use_veth: true },
            ovs: { datapath_type: "netdev", ovsdb_connection: "unix:/run/openvswitch/db.sock" },
        },
        agent: {
            ovs: { bridge_mappings: "public:br-public", local_ip: apiAddress },
            securitygroup: { enable_security_group: true, firewall_driver: "openvswitch" },
            agent: { tunnel_types: "vxlan" },
        },
    },
};

export const wiringConf = ({ driver }: Release) => toIni(drivers[driver].agent, { agent: { polling_interval: 1 } });

const agents: Record<string, Ini> = {
    dhcp: {
        DEFAULT: {
            dhcp_driver: "neutron.agent.linux.dhcp.Dnsmasq",
            enable_isolated_metadata: true,
            dnsmasq_local_resolv: false,
        },
    },
    l3: { DEFAULT: { agent_mode: "legacy" } },
    metadata: {
        DEFAULT: {
            nova_metadata_host: apiAddress,
            metadata_proxy_shared_secret: password,
            metadata_workers: 0,
        },
    },
};

export const agentConf = (name: string) => () => toIni(agents[name]!);
