import { toIni } from "../ini";
import { apiAddress, inside, ports, url } from "../settings";
import { callers, client, common, database } from "./common";

export const volumeType = "file";

export const cinderConf = () =>
    toIni(common("cinder"), client("nova", "nova"), database("cinder"), callers("cinder"), {
        DEFAULT: {
            my_ip: "127.0.0.1",
            osapi_volume_listen: apiAddress,
            osapi_volume_workers: 1,
            api_paste_config: "/etc/cinder/api-paste.ini",
            auth_strategy: "keystone",
            enabled_backends: volumeType,
            default_volume_type: volumeType,
            // The scheduler learns of free space only from the next report.
            backend_stats_polling_interval: 5,
            periodic_interval: 5,
            periodic_fuzzy_delay: 0,
            glance_api_servers: url(ports.glance),
            rootwrap_config: "/etc/cinder/rootwrap.conf",
        },
        [volumeType]: {
            volume_driver: "nfv_lab.volumes.FileDriver",
            volume_backend_name: volumeType,
            nfv_volume_folder: `${inside.state}/volumes`,
        },
    });
