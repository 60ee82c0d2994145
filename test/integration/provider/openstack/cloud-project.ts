import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserProject } from "../../../support/user-project";
import type { FakeCloud } from "../../../unit/provider/openstack/fake-cloud";

export const password = "Xy-secret-99";

/** A user's project with its own clouds.yaml that names this cloud "lab"; `program`: a file beside this one. */
export async function cloudProject(name: string, program: string, cloud: FakeCloud): Promise<UserProject> {
    const before = process.env.OS_CLIENT_CONFIG_FILE;
    delete process.env.OS_CLIENT_CONFIG_FILE;
    const project = await UserProject.make(name, `test/integration/provider/openstack/${program}`);
    if (before !== undefined) process.env.OS_CLIENT_CONFIG_FILE = before;
    const auth = { auth_url: `${cloud.url}/identity`, username: "u", password, project_name: "p" };
    writeFileSync(join(project.folder, "clouds.yaml"), JSON.stringify({ clouds: { lab: { auth } } }));
    return project;
}
