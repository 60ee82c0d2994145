// biome-ignore lint/suspicious/noExplicitAny: any JSON value; `unknown` is not allowed in a Pulumi schema
export type Json = any;

/** As Kubernetes' IntOrString. */
export type NumberOrText = number | string;
