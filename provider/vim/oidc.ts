import { NfvError } from "../common/errors";
import { send } from "./client";
import type { OidcAuth } from "./types";

interface TokenAnswer {
    id_token?: string;
    error?: string;
    error_description?: string;
}

/** Gets a token by the password grant: the id token, which the API server expects. Each operation gets a new one. */
export async function fetchOidcToken(auth: OidcAuth): Promise<string> {
    const url = auth.tokenUrl ?? (await tokenEndpoint(auth));
    const body = new URLSearchParams({
        grant_type: "password",
        scope: auth.scope ?? "openid",
        client_id: auth.clientId,
        ...(auth.clientSecret !== undefined && { client_secret: auth.clientSecret }),
        username: auth.username,
        password: auth.password,
    });
    const { status, text } = await send({
        method: "POST",
        url,
        ca: auth.caCertificate,
        headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
        body: body.toString(),
    });
    const answer = parse(text) as TokenAnswer;
    if (status === 200 && typeof answer.id_token === "string") {
        return answer.id_token;
    }
    const why = answer.error_description ?? answer.error ?? (status === 200 ? "no id_token in the answer" : "");
    throw new NfvError({
        code: "API_REFUSED",
        cause: `the OpenID provider ${new URL(url).origin} answered ${status}${why && `: ${why}`}`,
        hint: "Check client, user and password, that the client may use the password grant, and the scope openid.",
    });
}

async function tokenEndpoint({ issuerUrl, caCertificate }: OidcAuth): Promise<string> {
    const url = `${issuerUrl?.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const { status, text } = await send({ url, ca: caCertificate });
    const endpoint = (parse(text) as { token_endpoint?: string }).token_endpoint;
    if (status !== 200 || typeof endpoint !== "string" || !endpoint.startsWith("https://")) {
        throw new NfvError({
            code: "API_REFUSED",
            cause: `${url} answered ${status} and names no https token endpoint`,
        });
    }
    return endpoint;
}

function parse(text: string): object {
    try {
        return JSON.parse(text) ?? {};
    } catch {
        return {};
    }
}
