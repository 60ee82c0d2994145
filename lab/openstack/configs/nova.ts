import { type Ini, toIni } from "../ini";
import { apiAddress, inside, password, ports, region, url } from "../settings";
import { callers, client, common, database, databaseUrl, login } from "./common";
import { imageFolder } from "./glance";

const nova = (): Ini[] => [
    common("nova"),
    {
        DEFAULT: {
            my_ip: apiAddress,
            enabled_apis: "osapi_compute,metadata",
            osapi_compute_listen: apiAddress,
            osapi_compute_workers: 1,
            metadata_listen: apiAddress,
            metadata_workers: 1,
            compute_driver: "lab.LabDriver",
            instances_path: inside.servers,
            vif_plugging_timeout: 60,
            vif_plugging_is_fatal: true,
            // Only the quota limits a project; the host itself is never full.
            cpu_allocation_ratio: 32.0,
            ram_allocation_ratio: 8.0,
            disk_allocation_ratio: 64.0,
            block_device_allocate_retries_interval: 1,
            // Nova detects machines that were killed from outside by this sync, and shows them as SHUTOFF.
            sync_power_state_interval: 10,
            resume_guests_state_on_host_boot: true,
        },
        lab: { image_folder: imageFolder },
        api: { auth_strategy: "keystone" },
        wsgi: { api_paste_config: "/etc/nova/api-paste.ini" },
        conductor: { workers: 1 },
        scheduler: { workers: 1 },
        vnc: { enabled: false },
        spice: { enabled: false },
        filter_scheduler: {
            track_instance_changes: false,
            available_filters: "nova.scheduler.filters.all_filters",
        },
        glance: { api_servers: url(ports.glance) },
        cinder: { os_region_name: region, catalog_info: "volumev3::publicURL" },
        service_user: { send_service_user_token: true, ...login("nova") },
    },
    client("neutron", "neutron"),
    { neutron: { service_metadata_proxy: true, metadata_proxy_shared_secret: password } },
    client("placement", "placement"),
    callers("nova"),
];

/** nova-compute must not use databases, and complains when they are configured. */
export const novaComputeConf = () => toIni(...nova());

export const novaConf = () =>
    toIni(...nova(), database("nova"), {
        api_database: { connection: databaseUrl("nova_api"), max_pool_size: 5, max_overflow: 20 },
    });
