/** The group of an apiVersion: "apps" of "apps/v1"; "" for the kinds of Kubernetes' core. */
export function groupOf(apiVersion: string): string {
    return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}
