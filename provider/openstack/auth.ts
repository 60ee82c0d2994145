import { NfvError } from "../common/errors";
import type { CloudConfig } from "./cloud-config";
import type { Credentials } from "./credentials";
import type { Http } from "./http";

interface Endpoint {
    interface: string;
    region?: string;
    region_id?: string;
    url: string;
}

/** The service catalogue of Keystone. */
export type Catalog = { type: string; name?: string; endpoints: Endpoint[] }[];

/** A token, and the rest of Keystone's answer. */
export interface Session {
    token: string;
    catalog: Catalog;
    project?: { id: string; name: string };
    userId: string;
    userName: string;
    roles: string[];
}

/** The body of POST /auth/tokens. */
export function authRequest(credentials: Credentials): object {
    switch (credentials.kind) {
        case "password":
            return {
                auth: {
                    identity: { methods: ["password"], password: { user: credentials.user } },
                    scope: { project: credentials.project },
                },
            };
        case "token":
            return {
                auth: {
                    identity: { methods: ["token"], token: { id: credentials.token } },
                    ...(credentials.project !== undefined && { scope: { project: credentials.project } }),
                },
            };
        case "applicationCredential": {
            const { kind: _, ...application_credential } = credentials;
            return { auth: { identity: { methods: ["application_credential"], application_credential } } };
        }
    }
}

/** @throws CLOUD_AUTH_FAILED, CLOUD_UNREACHABLE */
export async function logIn(http: Http, config: CloudConfig): Promise<Session> {
    const url = `${config.authUrl}/auth/tokens`;
    const { status, headers, text } = await http.send({
        method: "POST",
        url,
        body: authRequest(config.credentials),
    });
    const token = headers["x-subject-token"];
    if (status === 201 && typeof token === "string") {
        const { token: body } = JSON.parse(text);
        return {
            token,
            catalog: body.catalog ?? [],
            project: body.project,
            userId: body.user?.id ?? "",
            userName: body.user?.name ?? "",
            roles: (body.roles ?? []).map((role: { name: string }) => role.name),
        };
    }
    const place = `${config.authUrl} (${config.source})`;
    if (status === 401 || status === 403) {
        throw new NfvError({ code: "CLOUD_AUTH_FAILED", cause: `${place} refuses ${nameOf(config.credentials)}` });
    }
    const cause = `${place} answered the login with ${status}: is it a Keystone with API version 3?`;
    throw new NfvError({ code: status >= 500 ? "CLOUD_UNREACHABLE" : "CLOUD_AUTH_FAILED", cause });
}

/** Names the credentials without their secret. */
function nameOf(credentials: Credentials): string {
    const subject = ({ id, name }: { id?: string; name?: string }) => `"${name ?? id}"`;
    switch (credentials.kind) {
        case "password":
            return `the user ${subject(credentials.user)} in the project ${subject(credentials.project)}`;
        case "token":
            return "the token";
        case "applicationCredential":
            return `the application credential ${subject(credentials)}`;
    }
}

/** Service types in catalogues, by the official names of the service types authority. */
const typeNames = {
    compute: ["compute"],
    network: ["network"],
    image: ["image"],
    "block-storage": ["block-storage", "volumev3", "block-store", "volume"],
    orchestration: ["orchestration"],
    "load-balancer": ["load-balancer"],
    identity: ["identity"],
} as const;

export type ServiceName = keyof typeof typeNames;

/** For these services, some catalogues have URLs without the API version. */
const versionPaths: Partial<Record<ServiceName, string>> = { network: "/v2.0", image: "/v2", "load-balancer": "/v2" };

type Place = Pick<CloudConfig, "region" | "interface">;

/**
 * URL of a service without a slash at its end; undefined if the cloud, or this region of it, does not have the service.
 */
export function endpointOf(catalog: Catalog, service: ServiceName, place: Place): string | undefined {
    const endpoint = entryOf(catalog, service, place);
    if (endpoint === undefined) return undefined;
    const url = endpoint.url.replace(/\/+$/, "");
    const path = versionPaths[service];
    return path === undefined || /\/v\d+(\.\d+)?$/.test(url) ? url : url + path;
}

/** The region in use: the wanted one, or the one of Nova's endpoint. Undefined if the catalogue names none. */
export function regionAsked(catalog: Catalog, place: Place): string | undefined {
    const endpoint = entryOf(catalog, "compute", place);
    return place.region ?? (endpoint && regionOf(endpoint));
}

function entryOf(catalog: Catalog, service: ServiceName, { region, interface: wanted }: Place): Endpoint | undefined {
    const fits = (each: Endpoint) => each.interface === wanted && (region === undefined || regionOf(each) === region);
    for (const type of typeNames[service]) {
        const endpoints = catalog.filter(entry => entry.type === type).flatMap(entry => entry.endpoints);
        const first = endpoints.find(fits);
        if (first !== undefined) return first;
    }
    return undefined;
}

/** Fails if the region does not exist, or if the user must choose one. @throws CLOUD_CONFIG_INVALID */
export function requireRegion(catalog: Catalog, { region, source }: CloudConfig): void {
    const all = catalog.flatMap(entry => entry.endpoints.map(regionOf));
    const regions = [...new Set(all)].filter((name): name is string => name !== undefined).sort();
    if (regions.length === 0 || (region === undefined ? regions.length === 1 : regions.includes(region))) return;
    throw new NfvError({
        code: "CLOUD_CONFIG_INVALID",
        cause:
            region === undefined
                ? `the cloud has several regions and ${source} says none: ${regions.join(", ")}`
                : `the cloud has no region "${region}", only ${regions.join(", ")}`,
        hint: "Set the region: in the program, OS_REGION_NAME, or region_name in clouds.yaml.",
    });
}

function regionOf(endpoint: Endpoint): string | undefined {
    return endpoint.region_id ?? endpoint.region;
}
