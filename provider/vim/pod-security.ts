/** The label by which Pod Security holds the pods of a namespace back. */
export const enforceLabel = "pod-security.kubernetes.io/enforce";

/** Its levels that keep a pod from being root on its node. In other namespaces whoever makes pods reaches all that a node reaches. */
export const guardingLevels: readonly string[] = ["baseline", "restricted"];
