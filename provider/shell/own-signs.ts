import { programFolder } from "./folders";

/** HAProxy's own socket: a line that only our configuration has, in each release. */
export const haproxySocket = "stats socket /run/haproxy.sock mode 600 level admin";

/** Constants of scripts: what only our configurations of HAProxy and keepalived have, in each release. */
export const ownSigns = { HAPROXY_SIGN: haproxySocket, KEEPALIVED_SIGN: `${programFolder}/check-haproxy` };
