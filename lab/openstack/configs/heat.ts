import { toIni } from "../ini";
import { apiAddress, password, ports, region, url } from "../settings";
import { callers, common, database, login } from "./common";

const listen = { bind_host: apiAddress, workers: 0 };

/** If the trustee had a project, Heat could create stacks but not update them: "cannot be scoped to multiple targets". */
const trustee = { ...login("heat"), project_name: undefined };

export const heatConf = () =>
    toIni(common("heat"), database("heat"), callers("heat"), {
        DEFAULT: {
            heat_metadata_server_url: url(ports.heatCfn),
            heat_waitcondition_server_url: url(ports.heatCfn, "/v1/waitcondition"),
            stack_domain_admin: "heat_domain_admin",
            stack_domain_admin_password: password,
            stack_user_domain_name: "heat",
            num_engine_workers: 1,
            convergence_engine: true,
            auth_encryption_key: "0123456789abcdef0123456789abcdef",
            region_name_for_services: region,
        },
        heat_api: listen,
        heat_api_cfn: listen,
        paste_deploy: { api_paste_config: "/etc/heat/api-paste.ini" },
        clients_keystone: { auth_uri: url(ports.keystone) },
        trustee,
    });
