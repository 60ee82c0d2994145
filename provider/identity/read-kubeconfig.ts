import type { Document } from "yaml";

/** The access that a kubeconfig gives, with its texts decoded. */
export interface KubeconfigAccess {
    endpoint: string;
    caCertificate: string;
    auth: { bearerToken: string } | { clientCertificate: string; clientKey: string };
}

/** A person reads its message. It holds names of the kubeconfig, never its values. */
export class WrongKubeconfig extends Error {}

type Fields = Record<string, unknown>;

interface Named {
    name?: unknown;
    [part: string]: unknown;
}

const useText =
    "give the text of a token or a client certificate in its place, such as that of a service account (kubectl create token NAME)";
const embed = "kubectl config view --raw --flatten writes the file's content into it";

/** Fields with which kubectl does something that we do not do: why, and what would be right. */
const refusedOfUser: Record<string, string> = {
    exec: `logs in by a program of the machine that runs kubectl: ${useText}`,
    "auth-provider": `logs in by an auth provider, which Kubernetes has removed: ${useText}, or auth.oidc of the Vim`,
    tokenFile: "has its token in a file of another machine: put the token itself in `token`",
    username: `logs in by name and password, which Kubernetes has removed: ${useText}`,
    password: `logs in by name and password, which Kubernetes has removed: ${useText}`,
    as: "acts as another user (impersonation): give the login of that user itself",
    "as-uid": "acts as another user (impersonation): give the login of that user itself",
    "as-groups": "acts as another group (impersonation): give a login of that group itself",
};
const refusedOfCluster: Record<string, string> = {
    "proxy-url": "is reached by a proxy: give an endpoint that is reached directly",
    "tls-server-name":
        "shows a certificate for another name than its address: give an endpoint that the certificate names",
};

/**
 * Reads what kubectl would use of a kubeconfig's text: the context, or `current-context`.
 * @throws WrongKubeconfig
 */
export function readKubeconfig(text: string, context?: string): KubeconfigAccess {
    const config = parsed(text);
    const chosen = contextOf(config, context);
    const where = `context "${chosen.name}"`;
    const { cluster, user } = fieldsOf(chosen["context"]);
    return {
        ...placeOf(entry(config, "clusters", "cluster", cluster, where)),
        auth: loginOf(entry(config, "users", "user", user, where)),
    };
}

function parsed(text: string): Fields {
    const { parseDocument, visit } = require("yaml") as typeof import("yaml");
    // All values are texts, as in the file: a token of digits stays what it is.
    const document = parseDocument(text, { schema: "failsafe", prettyErrors: false });
    // The parser's own words quote the text, which is secret.
    if (document.errors.length > 0) {
        const line = text.slice(0, document.errors[0]!.pos[0]).split("\n").length;
        throw new WrongKubeconfig(`cannot be read as YAML, at line ${line}`);
    }
    visit(document, {
        Scalar: (_key, node) => {
            if (node.type === "PLAIN" && /^(~|null|Null|NULL)?$/.test(String(node.value))) node.value = null;
        },
    });
    const config = dataOf(document);
    if (typeof config === "string" && !config.includes("\n")) {
        throw new WrongKubeconfig('is no kubeconfig: give its text (readFileSync(path, "utf8")), not a path');
    }
    const { clusters, users, contexts } = fieldsOf(config);
    if (![clusters, users, contexts].every(Array.isArray)) {
        throw new WrongKubeconfig("is no kubeconfig: it has no lists clusters, users and contexts");
    }
    return fieldsOf(config);
}

/** An alias without an anchor is an error that quotes it. */
function dataOf(document: Document): unknown {
    try {
        return document.toJS();
    } catch {
        throw new WrongKubeconfig("cannot be read as YAML: an alias (*NAME) leads nowhere, or too many of them");
    }
}

function contextOf(config: Fields, wanted?: string): Named {
    const contexts = config["contexts"] as Named[];
    const names = contexts.map(({ name }) => String(name)).join(", ") || "none";
    const current = config["current-context"];
    const only = contexts.length === 1 ? contexts[0]?.name : undefined;
    const name = wanted ?? (current ? current : only);
    if (name === undefined) {
        throw new WrongKubeconfig(`has no current-context: give \`context\`, one of: ${names}`);
    }
    const found = contexts.find(each => each?.name === name);
    if (found === undefined) throw new WrongKubeconfig(`has no context "${String(name)}"; it has: ${names}`);
    return found;
}

interface Entry {
    /** 'cluster "site"'. */
    title: string;
    fields: Fields;
}

function entry(config: Fields, list: string, part: string, name: unknown, where: string): Entry {
    const found = (config[list] as Named[]).find(each => each?.name === name);
    if (!name || found === undefined) throw new WrongKubeconfig(`${where} names no ${part} that is among its ${list}`);
    return { title: `${part} "${String(name)}"`, fields: fieldsOf(found[part]) };
}

function placeOf({ title, fields }: Entry): Pick<KubeconfigAccess, "endpoint" | "caCertificate"> {
    refuse(title, fields, refusedOfCluster);
    const { server, "certificate-authority": file, "insecure-skip-tls-verify": insecure } = fields;
    if (insecure === "true") {
        throw new WrongKubeconfig(
            `${title} does not verify the server's certificate (insecure-skip-tls-verify), so anybody in between can read the login: ` +
                'take that out and give certificate-authority-data. If it must be, give endpoint, auth and sslCaCert: "none" in place of the kubeconfig',
        );
    }
    if (typeof server !== "string" || !server.startsWith("https://")) {
        throw new WrongKubeconfig(`${title} has no server with https://`);
    }
    const caCertificate = textOf(title, fields, "certificate-authority-data", "CERTIFICATE");
    if (caCertificate !== undefined) return { endpoint: server, caCertificate };
    throw new WrongKubeconfig(
        file === undefined
            ? `${title} has no certificate-authority-data: without it the server's certificate cannot be verified`
            : `${title} names a file (certificate-authority) of another machine: ${embed}`,
    );
}

function loginOf({ title, fields }: Entry): KubeconfigAccess["auth"] {
    refuse(title, fields, refusedOfUser);
    const { token, "client-certificate": certificateFile, "client-key": keyFile } = fields;
    // kubectl prefers the client certificate, too: both are sent, and the API server looks at it first.
    const clientCertificate = textOf(title, fields, "client-certificate-data", "CERTIFICATE");
    const clientKey = textOf(title, fields, "client-key-data", "PRIVATE KEY");
    if (clientCertificate !== undefined && clientKey !== undefined) return { clientCertificate, clientKey };
    if (typeof token === "string" && token !== "") return { bearerToken: token.trim() };
    if (certificateFile !== undefined || keyFile !== undefined) {
        throw new WrongKubeconfig(`${title} names files (client-certificate, client-key) of another machine: ${embed}`);
    }
    if (clientCertificate !== undefined || clientKey !== undefined) {
        throw new WrongKubeconfig(`${title} needs both client-certificate-data and client-key-data`);
    }
    throw new WrongKubeconfig(`${title} has neither a token nor a client certificate`);
}

function refuse(title: string, fields: Fields, refused: Record<string, string>): void {
    const given = Object.keys(refused).find(name => fields[name] !== undefined && fields[name] !== "");
    if (given !== undefined) throw new WrongKubeconfig(`${title} (${given}) ${refused[given]}`);
}

function textOf(title: string, fields: Fields, name: string, sign: string): string | undefined {
    const given = fields[name];
    if (given === undefined || given === "") return undefined;
    const text = Buffer.from(String(given), "base64").toString();
    if (!new RegExp(`-----BEGIN [A-Z0-9 ]*${sign}-----`).test(text)) {
        throw new WrongKubeconfig(`${title}: ${name} is no PEM text in base64`);
    }
    return text;
}

/** Without those that are null, which kubectl takes for not given. */
function fieldsOf(value: unknown): Fields {
    const all = Object.entries(value !== null && typeof value === "object" ? value : {});
    return Object.fromEntries(all.filter(([, each]) => each !== null));
}
