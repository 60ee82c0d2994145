import { type Ini, toIni } from "../ini";
import { apiAddress, inside, password } from "../settings";
import { callers, client, common, database } from "./common";

const helpers = ["privsep", "privsep_dhcp_release", "privsep_namespace", "privsep_conntrack", "privsep_link"];

export const neutronConf = () =>
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
            },
            // The supervisor recognises a hung agent by its missing reports.
            agent: { root_helper: "", root_helper_daemon: "", report_interval: 10 },
            // Neutron of this release refuses the Linux bridge without this.
            experimental: { linuxbridge: true },
        },
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

export const ml2Conf = () =>
    toIni({
        ml2: {
            type_drivers: "flat,vlan,vxlan,local",
            tenant_network_types: "vxlan",
            mechanism_drivers: "linuxbridge",
            extension_drivers: "port_security",
        },
        ml2_type_flat: { flat_networks: "public" },
        ml2_type_vxlan: { vni_ranges: "1:1000" },
        securitygroup: { enable_ipset: true },
    });

const agents: Record<string, Ini> = {
    linuxbridge: {
        linux_bridge: { bridge_mappings: "public:br-ex" },
        vxlan: { enable_vxlan: true, local_ip: apiAddress, l2_population: false },
        securitygroup: { enable_security_group: true, firewall_driver: "iptables" },
        agent: { polling_interval: 1 },
    },
    dhcp: {
        DEFAULT: {
            interface_driver: "linuxbridge",
            dhcp_driver: "neutron.agent.linux.dhcp.Dnsmasq",
            enable_isolated_metadata: true,
            dnsmasq_local_resolv: false,
        },
    },
    l3: { DEFAULT: { interface_driver: "linuxbridge", agent_mode: "legacy" } },
    metadata: {
        DEFAULT: {
            nova_metadata_host: apiAddress,
            metadata_proxy_shared_secret: password,
            metadata_workers: 0,
        },
    },
};

export const agentConf = (name: string) => () => toIni(agents[name]!);
