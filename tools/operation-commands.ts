/** Commands of `nfv` that run operations (pipeline/); the others need neither Pulumi's SDK nor a stack. */
export const operationCommands: readonly string[] = [
    ...["preview", "up", "instantiate", "scale", "heal", "repair"],
    ...["upgrade", "rotate", "backup", "restore", "terminate", "report", "completion"],
];
