import { type Answer, FakeCloud } from "../openstack/fake-cloud";
import { endRun } from "./cluster";

const variables = {
    OS_USERNAME: "u",
    OS_PASSWORD: "Xy-secret-99",
    OS_PROJECT_NAME: "p",
    OS_CLOUD: undefined,
    OS_REGION_NAME: undefined,
    OS_CACERT: undefined,
    OS_INTERFACE: undefined,
    OS_AUTH_TYPE: undefined,
};

/** A simulated cloud that the environment names, so that settings need not, and the function that undoes this. */
export async function cloudOfEnvironment(): Promise<{ cloud: FakeCloud; leave: () => Promise<void> }> {
    const cloud = await FakeCloud.start();
    const before = { ...process.env };
    for (const [name, value] of Object.entries({ ...variables, OS_AUTH_URL: `${cloud.url}/identity/v3` })) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    }
    const leave = async () => {
        process.env = before;
        await endRun();
        await cloud.stop();
    };
    return { cloud, leave };
}

/** Adds a server with this id and state to the cloud. */
export function serverIs(cloud: FakeCloud, id: string, status: string, more: object = {}, console = ""): void {
    cloud.routes[`GET /compute/servers/${id}`] = { server: { id, name: id, status, ...more } };
    cloud.routes[`POST /compute/servers/${id}/action`] = (): Answer => ({ body: { output: console } });
}

export function serverIsGone(cloud: FakeCloud, id: string): void {
    delete cloud.routes[`GET /compute/servers/${id}`];
}

/** The stack "core", with a server and an output of its address for each of these nodes. */
export function stackIs(
    cloud: FakeCloud,
    status: string,
    addresses: Record<string, string>,
    tags = ["pulumi-nfv.owner=abc"],
): void {
    cloud.routes["GET /orchestration/stacks/core"] = {
        stack: {
            id: "1",
            stack_name: "core",
            stack_status: status,
            stack_status_reason: "because",
            tags,
            outputs: Object.entries(addresses).map(([name, address]) => ({
                output_key: `${name}_address`,
                output_value: address,
            })),
        },
    };
    cloud.routes["GET /orchestration/stacks/core/1/resources"] = {
        resources: Object.keys(addresses).map(name => ({
            resource_name: `${name}_server`,
            resource_type: "OS::Nova::Server",
            resource_status: "CREATE_COMPLETE",
            resource_status_reason: "",
            physical_resource_id: `id-${name}`,
        })),
    };
}
