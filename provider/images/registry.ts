import { type RequestOptions, request } from "node:https";
import type { Readable } from "node:stream";
import { rootCertificates } from "node:tls";
import { NfvError } from "../common/errors";
import { answerTo, type HttpAnswer, whyNoAnswer } from "../common/http-answer";
import { httpsAgent } from "../common/proxy";

/** A registry that implements the OCI distribution API over TLS. */
export interface RegistryPlace {
    /** "registry.site:5000", followed by a path if the registry needs one: "harbor.site/kubernetes". */
    address: string;
    /** PEM of the authority that signed its certificate. @default the system's authorities */
    ca?: string;
    username?: string;
    /** Secret. */
    password?: string;
}

interface Body {
    type: string;
    size: number;
    /** Called again for each attempt. */
    stream: () => Readable | string;
}

/** Fails after a minute without a byte. There is no limit for a whole blob. */
const silenceSeconds = 60;

/** We send blobs and never read any, so answers are short. */
const largestAnswer = 1024 * 1024;

/**
 * The part of the API that pushes images need. Authenticates when the registry asks for it, with the password or with a
 * token.
 */
export class Registry {
    private authorization?: string;
    private readonly host: string;
    private readonly prefix: string;

    constructor(private readonly place: RegistryPlace) {
        const [host, ...path] = place.address.replace(/\/+$/, "").split("/");
        this.host = host!;
        this.prefix = path.map(part => `${part}/`).join("");
    }

    /** @returns whether the blob had to be sent */
    async pushBlob(repository: string, digest: string, size: number, stream: () => Readable): Promise<boolean> {
        const blobs = `/v2/${this.prefix}${repository}/blobs`;
        const known = await this.call("HEAD", `${blobs}/${digest}`);
        if (known.status === 200) return false;
        const begun = this.accept(await this.call("POST", `${blobs}/uploads/`), 202, `upload to ${repository}`);
        const location = new URL(String(begun.headers["location"]), `https://${this.host}`);
        location.searchParams.set("digest", digest);
        const body = { type: "application/octet-stream", size, stream };
        this.accept(await this.call("PUT", location.toString(), body), 201, `${repository}: ${digest}`);
        return true;
    }

    async pushManifest(repository: string, tag: string, mediaType: string, manifest: string): Promise<void> {
        const body = { type: mediaType, size: Buffer.byteLength(manifest), stream: () => manifest };
        const path = `/v2/${this.prefix}${repository}/manifests/${tag}`;
        this.accept(await this.call("PUT", path, body), 201, `${repository}:${tag}`);
    }

    private async call(method: string, path: string, body?: Body): Promise<HttpAnswer> {
        const url = new URL(path, `https://${this.host}`);
        // The registry may redirect an upload to another host, which must not see our login.
        const login = () => (url.host === this.host ? this.authorization : undefined);
        const answer = await this.send(method, url, body, login());
        if (answer.status !== 401) return answer;
        // A token is valid for one repository and some minutes. When it is refused, get a new one.
        this.authorization = await this.logIn(String(answer.headers["www-authenticate"] ?? ""));
        const again = await this.send(method, url, body, login());
        if (again.status !== 401) return again;
        throw this.refused(`${method} ${url.pathname}: 401 ${summary(again.text)}`);
    }

    private async logIn(challenge: string): Promise<string> {
        const { username, password } = this.place;
        const basic =
            username === undefined
                ? undefined
                : `Basic ${Buffer.from(`${username}:${password ?? ""}`).toString("base64")}`;
        if (!/^bearer /i.test(challenge)) {
            if (basic === undefined) throw this.refused("it wants a login");
            return basic;
        }
        const values = Object.fromEntries(
            [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
        );
        const url = new URL(values["realm"] ?? "");
        if (url.protocol !== "https:")
            throw this.refused(`it sends us to ${url.origin} for a token, which is no https`);
        for (const key of ["service", "scope"]) {
            if (values[key] !== undefined) url.searchParams.set(key, values[key]);
        }
        const answer = await this.send("GET", url, undefined, basic);
        if (answer.status !== 200)
            throw this.refused(`no token from ${url.origin}: ${answer.status} ${summary(answer.text)}`);
        const { token, access_token: other } = JSON.parse(answer.text) as Record<string, string>;
        return `Bearer ${token ?? other}`;
    }

    private accept(answer: HttpAnswer, wanted: number, what: string): HttpAnswer {
        if (answer.status === wanted) return answer;
        throw this.refused(`${what}: ${answer.status} ${summary(answer.text)}`);
    }

    private refused(what: string): NfvError {
        return new NfvError({
            code: "API_REFUSED",
            cause: `registry ${this.place.address}: ${what}`,
            hint: "Check username and password of this registry in `registries`, and that the user may push there.",
        });
    }

    private async send(method: string, url: URL, body: Body | undefined, authorization?: string): Promise<HttpAnswer> {
        const options: RequestOptions = {
            method,
            ca: this.place.ca === undefined ? [...rootCertificates] : this.place.ca,
            agent: httpsAgent(url),
            timeout: silenceSeconds * 1000,
            headers: {
                ...(authorization !== undefined && { authorization }),
                ...(body ? { "content-type": body.type, "content-length": body.size } : { "content-length": 0 }),
            },
        };
        try {
            const sent = request(url, options);
            const answer = answerTo(sent, largestAnswer);
            sent.on("timeout", () => sent.destroy(new Error(`no answer in ${silenceSeconds} s`)));
            const content = body?.stream();
            if (content === undefined || typeof content === "string") sent.end(content);
            else content.on("error", error => sent.destroy(error)).pipe(sent);
            return await answer;
        } catch (error) {
            throw this.unreachable(url, error as Error);
        }
    }

    private unreachable(url: URL, error: Error): NfvError {
        return new NfvError({
            code: "API_UNREACHABLE",
            cause: `registry ${this.place.address}: ${url.origin}: ${whyNoAnswer(error, url.href)}`,
            hint: "Check that this machine reaches the registry, and give the certificate of its authority as `ca` in `registries`.",
        });
    }
}

function summary(text: string): string {
    try {
        const { errors } = JSON.parse(text) as { errors?: { code: string; message?: string }[] };
        return (errors ?? []).map(({ code, message }) => `${code} ${message ?? ""}`.trim()).join("; ");
    } catch {
        return text.slice(0, 200);
    }
}
