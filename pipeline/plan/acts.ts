/** What the engine does to a resource. */
export type Act = "create" | "update" | "replace" | "delete" | "read";

/** What the engine's words for a change of a resource mean. Others change nothing. */
export const changes: Readonly<Record<string, Exclude<Act, "read">>> = {
    create: "create",
    import: "create",
    update: "update",
    delete: "delete",
    replace: "replace",
    "create-replacement": "replace",
    "delete-replaced": "replace",
    "import-replacement": "replace",
};

export type Progress = "begin" | "end" | "failed";
