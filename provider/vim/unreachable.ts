import { isTlsError, whyNoAnswer } from "../common/http-answer";

interface Reason {
    /** Codes of Node.js and of the operating system. */
    codes: RegExp;
    reason: (error: NodeJS.ErrnoException & { hostname?: string }) => string;
    hint: string;
}

const certificate = "Check caCertificate and endpoint.";

/** Why a server did not answer, in plain words, and what to look at. The first row that fits counts. */
const reasons: Reason[] = [
    {
        codes: /ECONNREFUSED/,
        reason: () => "connection refused",
        hint: "Nothing listens at this address and port: check the endpoint, and that the API server and its load balancer run.",
    },
    {
        codes: /EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL/,
        reason: () => "no route to this address",
        hint: "This machine does not get there: check the address, routes, VPN and firewalls.",
    },
    {
        codes: /ENOTFOUND|EAI_/,
        reason: ({ hostname }) => `the name ${hostname ?? "of the endpoint"} is not known`,
        hint: "The resolver of this machine does not know the name: check the endpoint and the resolver.",
    },
    {
        codes: /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
        reason: ({ code }) =>
            `the server's certificate ${code === "CERT_HAS_EXPIRED" ? "has ended" : "is not valid yet"}`,
        hint: "Renew the certificate of the API server, or check the clocks of both machines.",
    },
    {
        codes: /ALTNAME/,
        reason: () => "the server's certificate is for other names and addresses",
        hint: `${certificate} The endpoint must be a name or address of the certificate.`,
    },
    {
        codes: /EPROTO|ERR_SSL|ERR_TLS/,
        reason: () => "what answers does not speak TLS as it should",
        hint: "Check the port of the endpoint, and that no proxy answers in between.",
    },
    {
        codes: /ETIMEDOUT|ABORT_ERR|AbortError|TimeoutError/,
        reason: () => "no answer in time",
        hint: "Packets get lost: check the address, and whether a firewall or security group drops them.",
    },
    {
        codes: /ECONNRESET|EPIPE/,
        reason: () => "the connection was cut",
        hint: "A proxy, a load balancer or a restart of the API server ends connections: look at what stands in between.",
    },
];

/** Why there was no answer, and what to do. `url`: of the request, which may have gone through a proxy. */
export function whyUnreachable(error: NodeJS.ErrnoException, url?: string): { reason: string; hint: string } {
    const words = `${error.code ?? ""} ${error.name}`;
    const row = reasons.find(({ codes }) => codes.test(words));
    const detail = whyNoAnswer(error, url);
    if (row !== undefined) return { reason: `${row.reason(error)} (${detail})`, hint: row.hint };
    return isTlsError(error)
        ? {
              reason: `the server's certificate is not signed by the authority given (${detail})`,
              hint: `The server's certificate does not fit the authority given. ${certificate}`,
          }
        : { reason: detail, hint: "Check that this machine reaches the endpoint." };
}
