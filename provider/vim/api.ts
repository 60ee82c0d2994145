import { NfvError } from "../common/errors";
import type { HttpAnswer } from "../common/http-answer";
import { NotYet, send } from "./client";
import { fetchOidcToken } from "./oidc";
import { hintFor } from "./refusal";
import type { VimAuth, VimEndpoint } from "./types";

/** A Kubernetes object, with the fields that we use. */
export interface KubeObject {
    apiVersion: string;
    kind: string;
    metadata: {
        name: string;
        namespace?: string;
        labels?: Record<string, string>;
        annotations?: Record<string, string>;
        uid?: string;
        deletionTimestamp?: string;
        ownerReferences?: object[];
    };
    [field: string]: unknown;
}

const fieldManager = "pulumi-nfv";
const json = "application/json";
const applyPatch = "application/apply-patch+yaml";
const mergePatch = "application/merge-patch+json";
const partial = (kind: string) => `${json};as=${kind};g=meta.k8s.io;v=v1,${json}`;

/** The API of one cluster. */
export class KubeApi {
    private oidcToken?: Promise<string>;

    constructor(
        private readonly place: VimEndpoint,
        private readonly auth: VimAuth,
    ) {}

    async get<T = KubeObject>(path: string): Promise<T | undefined> {
        const answer = await this.send("GET", path);
        return answer.status === 404 ? undefined : this.accept<T>("GET", path, answer);
    }

    /** Plain text, such as a pod's log; undefined if it does not exist. */
    async text(path: string): Promise<string | undefined> {
        const answer = await this.send("GET", path, undefined, { accept: "text/plain, */*" });
        return answer.status === 404 ? undefined : this.accepted("GET", path, answer);
    }

    /** Metadata of an object, without its content; undefined if it does not exist. */
    async metadata(path: string): Promise<KubeObject | undefined> {
        const answer = await this.send("GET", path, undefined, { accept: partial("PartialObjectMetadata") });
        return answer.status === 404 ? undefined : this.accept<KubeObject>("GET", path, answer);
    }

    /** Metadata of all objects in a list. */
    async list(path: string): Promise<KubeObject[]> {
        const answer = await this.send("GET", path, undefined, { accept: partial("PartialObjectMetadataList") });
        return answer.status === 404 ? [] : (this.accept<{ items: KubeObject[] }>("GET", path, answer).items ?? []);
    }

    async post<T = KubeObject>(path: string, body: object): Promise<T> {
        return this.accept<T>("POST", path, await this.send("POST", path, body));
    }

    /** Server-side apply: creates or changes the object. The server refuses fields that the kind does not have. */
    async apply(path: string, object: KubeObject): Promise<KubeObject> {
        return this.applied(path, object, "");
    }

    /** The same without an effect: the server judges the object and stores nothing. */
    async tryApply(path: string, object: KubeObject): Promise<KubeObject> {
        return this.applied(path, object, "&dryRun=All");
    }

    /** Replaces the object as a whole. */
    async put<T = KubeObject>(path: string, body: object): Promise<T> {
        return this.accept<T>("PUT", path, await this.send("PUT", path, body));
    }

    /** A JSON merge patch: null removes a field. Undefined if the object does not exist. */
    async merge<T = KubeObject>(path: string, patch: object): Promise<T | undefined> {
        const full = `${path}?fieldManager=${fieldManager}`;
        const answer = await this.send("PATCH", full, patch, { type: mergePatch });
        return answer.status === 404 ? undefined : this.accept<T>("PATCH", path, answer);
    }

    /** Deletes an object; no error if it does not exist. */
    async delete(path: string, options?: { preconditions: { uid?: string } }): Promise<void> {
        const answer = await this.send("DELETE", path, options);
        if (answer.status !== 404) this.accept("DELETE", path, answer);
    }

    /** The token in use; undefined with a client certificate. */
    async token(): Promise<string | undefined> {
        const { bearerToken, oidc } = this.auth;
        if (oidc !== undefined) this.oidcToken ??= fetchOidcToken(oidc);
        return bearerToken ?? this.oidcToken;
    }

    private async applied(path: string, object: KubeObject, more: string): Promise<KubeObject> {
        const full = `${path}?fieldManager=${fieldManager}&force=true&fieldValidation=Strict${more}`;
        return this.accept("PATCH", path, await this.send("PATCH", full, object, { type: applyPatch }));
    }

    private async send(
        method: string,
        path: string,
        body?: object,
        { type = json, accept = json }: { type?: string; accept?: string } = {},
    ): Promise<HttpAnswer> {
        const { endpoint, caCertificate, sslCaCert } = this.place;
        const { clientCertificate, clientKey, oidc } = this.auth;
        const once = async () => {
            const token = await this.token();
            return send({
                method,
                url: endpoint.replace(/\/$/, "") + path,
                ca: caCertificate,
                insecure: isInsecure(sslCaCert),
                cert: clientCertificate,
                key: clientKey,
                headers: {
                    accept,
                    ...(body !== undefined && { "content-type": type }),
                    ...(token !== undefined && { authorization: `Bearer ${token}` }),
                },
                body: body && JSON.stringify(body),
            });
        };
        const answer = await once();
        if (answer.status !== 401 || oidc === undefined) return answer;
        this.oidcToken = undefined; // it may have expired under way
        return once();
    }

    private accept<T>(method: string, path: string, answer: HttpAnswer): T {
        return JSON.parse(this.accepted(method, path, answer)) as T;
    }

    private accepted(method: string, path: string, { status, text }: HttpAnswer): string {
        if (status >= 200 && status < 300) return text;
        const said = messageOf(text);
        const cause = `${method} ${path} on ${this.place.endpoint}: ${status} ${said}`;
        if (hintFor(status, said) === undefined) throw new NotYet({ code: "API_UNREACHABLE", cause });
        throw new ApiRefused(status, cause, said);
    }
}

export class ApiRefused extends NfvError {
    /** `said`: the server's own words. */
    constructor(
        readonly status: number,
        cause: string,
        readonly said = cause,
    ) {
        super({ code: "API_REFUSED", cause, hint: hintFor(status, said) });
    }
}

/** The only value that switches verification off. */
export function isInsecure(sslCaCert: string | undefined): boolean {
    return sslCaCert?.toLowerCase() === "none";
}

function messageOf(text: string): string {
    try {
        return String(JSON.parse(text).message ?? "");
    } catch {
        return text.slice(0, 200);
    }
}
