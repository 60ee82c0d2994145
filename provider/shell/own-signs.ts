import { programFolder } from "./folders";

/** Two lines of our HAProxy configuration. Together nobody else has them; each alone somebody may. */
export const haproxyFrontend = "frontend kubernetes-api";
export const haproxyCheck = "http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host kubernetes";

/** Constants of scripts: what only our configurations of HAProxy and keepalived have. */
export const ownSigns = {
    HAPROXY_FRONTEND: haproxyFrontend,
    HAPROXY_SIGN: haproxyCheck,
    KEEPALIVED_SIGN: `${programFolder}/check-haproxy`,
};
