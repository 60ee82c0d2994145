import { keystoneUrl, password, region } from "./settings";

/** Names in clouds.yaml: a user of the project `demo`, and the administrator. */
export const cloudNames = { user: "lab", admin: "lab-admin" };

/** Projects with equal quotas, each with a user of its name: name in clouds.yaml → project. Each start of the cloud is proved in `demo`. */
export const projects = { [cloudNames.user]: "demo", "lab-2": "demo-2", "lab-3": "demo-3", "lab-4": "demo-4" };

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
    const logins = Object.entries({ ...projects, [cloudNames.admin]: "admin" });
    const clouds = Object.fromEntries(logins.map(([cloud, name]) => [cloud, entry(name)]));
    return `${JSON.stringify({ clouds }, undefined, 4)}\n`;
}
