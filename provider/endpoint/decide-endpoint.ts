import { NfvError } from "../common/errors";
import type { EndpointSpec, MasterAddress } from "../common/model";
import { virtualRouterId } from "./virtual-router-id";

/** The user's inputs for the API's address: at most one of the two. */
export interface EndpointRequest {
    vip?: { address: string; prefixLength?: number; port?: number; interface?: string; virtualRouterId?: number };
    external?: { host: string; port?: number };
}

export const apiServerPort = 6443;
export const vipPort = 16443;

interface Question {
    clusterId: string;
    wish: EndpointRequest;
    masters: readonly MasterAddress[];
}

/**
 * The first row that applies. A name that belongs to the cluster lets a single control-plane node move behind a VIP
 * later.
 */
const rows: { when: (q: Question) => boolean; answer: (q: Question) => EndpointSpec }[] = [
    {
        when: q => q.wish.vip !== undefined && q.wish.external !== undefined,
        answer: () => {
            throw new NfvError({ code: "INVALID_INPUT", cause: "endpoint: give vip or external, not both" });
        },
    },
    {
        when: q => q.wish.vip?.port === apiServerPort,
        answer: () => {
            throw new NfvError({
                code: "INVALID_INPUT",
                cause: `endpoint.vip.port: ${apiServerPort} is where the API server of each master itself listens`,
            });
        },
    },
    {
        when: q => q.wish.vip !== undefined,
        answer: ({ clusterId, wish: { vip } }) => ({
            host: vip!.address,
            port: vip!.port ?? vipPort,
            vip: {
                address: vip!.address,
                prefixLength: vip!.prefixLength ?? 24,
                interface: vip!.interface ?? "",
                virtualRouterId: virtualRouterId(clusterId, vip!),
            },
        }),
    },
    {
        when: q => q.wish.external !== undefined,
        answer: ({ wish: { external } }) => ({ host: external!.host, port: external!.port ?? apiServerPort }),
    },
    {
        when: q => q.masters.length === 1,
        answer: ({ clusterId, masters }) => {
            const name = `${dnsLabel(clusterId)}.pulumi-nfv.internal`;
            return { host: name, port: apiServerPort, hostsEntry: { name, address: masters[0].address } };
        },
    },
    {
        when: () => true,
        answer: q => {
            throw new NfvError({
                code: "INVALID_INPUT",
                cause: `${q.masters.length} masters need one address: set controlPlane.endpoint.vip or .external`,
            });
        },
    },
];

/** Where clients and nodes reach the API. Pure. */
export function decideEndpoint(
    clusterId: string,
    wish: EndpointRequest,
    masters: readonly MasterAddress[],
): EndpointSpec {
    const question = { clusterId, wish, masters };
    return rows.find(row => row.when(question))!.answer(question);
}

/** A cluster id as one label of a host name. */
function dnsLabel(text: string): string {
    return (
        text
            .toLowerCase()
            .replace(/[^a-z0-9-]+/g, "-")
            .slice(0, 63)
            .replace(/^-+|-+$/g, "") || "cluster"
    );
}
