import { keystoneUrl, password, region } from "./settings";

/** Names in clouds.yaml: a user of the project `demo`, and the administrator. */
export const cloudNames = { user: "lab", admin: "lab-admin" };

/** JSON is YAML too, and every client reads it. */
export function cloudsYaml(): string {
    const entry = (name: string) => ({
        auth: {
            auth_url: keystoneUrl,
            username: name,
            password,
            project_name: name,
            user_domain_name: "Default",
            project_domain_name: "Default",
        },
        region_name: region,
        identity_api_version: 3,
    });
    const clouds = { [cloudNames.user]: entry("demo"), [cloudNames.admin]: entry("admin") };
    return `${JSON.stringify({ clouds }, undefined, 4)}\n`;
}
