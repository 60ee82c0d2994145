import * as fs from "node:fs";
import * as path from "node:path";
import type { Cloud } from "../../lab/openstack";
import { apiAddress, keystoneUrl, password, ports, region } from "../../lab/openstack/settings";
import { createAuthority } from "../../provider/identity/certificates";
import { serverCertificate } from "../support/server-certificate";
import { startInCloud } from "./process-in-cloud";

/** How an operator's clients reach the cloud. */
export interface Login {
    cloudsYaml: string;
    /** Name of the cloud in that file. */
    cloud: string;
    secrets: string[];
    close(): Promise<void>;
}

/** User and password, everything over plain HTTP. */
export function labLogin({ cloudsYaml, login }: Cloud): Login {
    return { cloudsYaml, cloud: login, secrets: [password], close: async () => {} };
}

const tlsPort = 5443;

/** As on sites: an application credential, and Keystone behind TLS with the site's own authority. */
export async function openSiteLogin(cloud: Cloud, folder: string): Promise<Login> {
    const name = path.basename(folder);
    const made = ["application", "credential", "create", "--unrestricted", name, "-f", "json"];
    const { id, secret } = JSON.parse(await cloud.openstack(made));
    const authority = await createAuthority("site", 1);
    const server = await serverCertificate(authority, apiAddress);
    const file = (base: string, text: string) => {
        fs.writeFileSync(path.join(folder, base), text, { mode: 0o600 });
        return path.join(folder, base);
    };
    const words = [String(tlsPort), file("tls.crt", server.certificate), file("tls.key", server.key)];
    const front = await startInCloud(cloud, "tls-front", [apiAddress, ...words, String(ports.keystone)]);
    const auth_url = keystoneUrl.replace("http:", "https:").replace(`:${ports.keystone}`, `:${tlsPort}`);
    const site = {
        auth_type: "v3applicationcredential",
        auth: { auth_url, application_credential_id: id, application_credential_secret: secret },
        region_name: region,
        cacert: file("site-ca.pem", authority.certificate),
    };
    return {
        cloudsYaml: file("clouds.yaml", JSON.stringify({ clouds: { site } })),
        cloud: "site",
        secrets: [secret],
        close: async () => {
            await front.close();
            await cloud.openstack(["application", "credential", "delete", name]);
        },
    };
}
