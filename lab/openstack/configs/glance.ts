import { toIni } from "../ini";
import { apiAddress, inside } from "../settings";
import { callers, common, database } from "./common";

export const imageFolder = `${inside.state}/glance/images`;

export const glanceConf = () =>
    toIni(common("glance"), database("glance"), callers("glance"), {
        DEFAULT: { bind_host: apiAddress, workers: 0, enabled_backends: "file:file" },
        paste_deploy: { flavor: "keystone", config_file: "/etc/glance/glance-api-paste.ini" },
        glance_store: { default_backend: "file" },
        file: { filesystem_store_datadir: imageFolder },
    });
