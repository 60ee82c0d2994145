/** What the engine does to a resource. */
export type Act = "create" | "update" | "replace" | "delete" | "read";

export type Progress = "begin" | "end" | "failed";
