import type { HttpAnswer } from "../http-answer";
import type { ServiceName } from "./auth";

/** How each service itself says that a thing does not exist. Of services that are not here any 404 counts: nothing is deleted by their word. */
const ownWords: Partial<Record<ServiceName, (body: Body) => boolean>> = {
    compute: body => "itemNotFound" in body,
    "block-storage": body => "itemNotFound" in body,
    network: ({ NeutronError }) => namesAbsence(NeutronError),
    orchestration: ({ error }) => namesAbsence(error),
    "load-balancer": body => "faultcode" in body,
};

type Body = Record<string, unknown>;

/** PortNotFound, EntityNotFound, … HTTPNotFound is the answer to a path that the service does not know. */
function namesAbsence(error: unknown): boolean {
    const type = error !== null && typeof error === "object" ? (error as { type?: unknown }).type : undefined;
    return typeof type === "string" && type.includes("NotFound") && type !== "HTTPNotFound";
}

/**
 * Whether this 404 says that the thing does not exist. A proxy, and an endpoint that leads elsewhere, answer 404 to everything, while
 * servers and volumes live on.
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
