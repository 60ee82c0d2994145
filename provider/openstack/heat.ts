import type { CloudClient } from "./client";

export interface Stack {
    id: string;
    stack_name: string;
    /** CREATE_COMPLETE, UPDATE_IN_PROGRESS, UPDATE_FAILED, … */
    stack_status: string;
    stack_status_reason: string;
    tags: string[] | null;
    outputs?: { output_key: string; output_value: unknown; output_error?: string; description?: string }[];
    parameters?: Record<string, string>;
}

export interface StackResource {
    resource_name: string;
    resource_type: string;
    resource_status: string;
    resource_status_reason: string;
    /** "" until it is created. */
    physical_resource_id: string;
    /** Name of the resource whose nested stack contains this one. */
    parent_resource?: string;
    links?: { rel: string; href: string }[];
    updated_time?: string;
}

/** By name or id; undefined for a deleted stack. */
export async function getStack(cloud: CloudClient, nameOrId: string): Promise<Stack | undefined> {
    const stack = await cloud.one<Stack>("orchestration", `/stacks/${encodeURIComponent(nameOrId)}`, "stack");
    return stack?.stack_status === "DELETE_COMPLETE" ? undefined : stack;
}

/** The resources of the stack and of its nested stacks. */
export async function stackResources(
    cloud: CloudClient,
    stack: Pick<Stack, "id" | "stack_name">,
): Promise<StackResource[]> {
    return cloud.list("orchestration", `${stackPath(stack)}/resources`, "resources", { nested_depth: 5 });
}

export function stackPath({ id, stack_name }: Pick<Stack, "id" | "stack_name">): string {
    return `/stacks/${encodeURIComponent(stack_name)}/${id}`;
}
