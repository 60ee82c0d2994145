import { toIni } from "../ini";
import { callers, common, databaseUrl } from "./common";

export const placementConf = () =>
    toIni(common("placement"), callers("placement"), {
        placement_database: { connection: databaseUrl("placement") },
        api: { auth_strategy: "keystone" },
    });
