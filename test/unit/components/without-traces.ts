import { Resource } from "@pulumi/pulumi";

import debuggable = require("@pulumi/pulumi/runtime/debuggable");

/**
 * Pulumi's SDK takes a stack trace for each resource and each promise that it makes, to find promises which a program has left.
 * That is a third of the time of a recording, which looks at none of them. Errors keep their traces.
 */
export function withoutTraces(): void {
    const sdk = debuggable as { debuggablePromise: <T>(promise: Promise<T>) => Promise<T> };
    sdk.debuggablePromise = promise => promise;
    (Resource as unknown as { stackTrace: () => unknown[] }).stackTrace = () => [];
}
