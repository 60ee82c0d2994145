import type { HttpAnswer } from "../common/http-answer";
import type { ServiceName } from "./auth";

/**
 * How each service itself says that a thing does not exist. For services that are not listed any 404 counts: nothing is
 * deleted because of it.
 */
const ownWords: Partial<Record<ServiceName, (body: Body) => boolean>> = {
    compute: body => "itemNotFound" in body,
    "block-storage": body => "itemNotFound" in body,
    network: ({ NeutronError }) => namesAbsence(NeutronError),
    orchestration: ({ error }) => namesAbsence(error),
    "load-balancer": body => "faultcode" in body,
};

type Body = Record<string, unknown>;

/** PortNotFound, EntityNotFound, … Not HTTPNotFound: the service answers that for an unknown path. */
function namesAbsence(error: unknown): boolean {
    const type = error !== null && typeof error === "object" ? (error as { type?: unknown }).type : undefined;
    return typeof type === "string" && type.includes("NotFound") && type !== "HTTPNotFound";
}

/**
 * Whether the service itself wrote this 404. Proxies and wrong endpoints answer 404 to everything, while the servers
 * and volumes exist.
 */
export function saysNotFound(service: ServiceName, { text }: Pick<HttpAnswer, "text">): boolean {
    const isOwn = ownWords[service];
    if (isOwn === undefined) return true;
    try {
        const body: unknown = JSON.parse(text);
        return body !== null && typeof body === "object" && isOwn(body as Body);
    } catch {
        return false;
    }
}
