import type { VimEndpoint } from "./types";

/** What an NFV orchestrator needs to register this cluster, with ETSI's names (SOL 002/003, VimConnectionInfo). */
export interface VimConnectionInfo {
    vimId: string;
    vimType: string;
    interfaceInfo: { endpoint: string; ssl_ca_cert: string };
    accessInfo: Record<string, string>;
    extra: Record<string, string>;
}

/** Tacker reads the value None as: do not verify. */
export function vimConnectionInfo(
    vimId: string,
    place: VimEndpoint,
    accessInfo: Record<string, string>,
): VimConnectionInfo {
    return {
        vimId,
        vimType: "ETSINFV.KUBERNETES.V_1",
        interfaceInfo: { endpoint: place.endpoint, ssl_ca_cert: place.caCertificate ?? "None" },
        accessInfo,
        extra: {},
    };
}
