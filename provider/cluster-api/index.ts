export { bundleComponents, componentsPath } from "./bundle-components";
export { readComponents } from "./components";
export { managerImage, managerImages } from "./images";
export { inventoryDefinition } from "./inventory";
export { managementObjects, type ProviderObjects, providerObjects } from "./management-objects";
export { checkProviders, inOrder, labelOf, providerLabel, providerOf, providerTypes } from "./provider-names";
export {
    type ClusterApiRelease,
    type Contract,
    checkReleases,
    clusterApiReleases,
    contractsOf,
    endingContracts,
    infrastructureReleases,
} from "./releases";
export type {
    ManagementOptions,
    ManagerResources,
    ProviderName,
    ProviderSpec,
    ProviderType,
    WebhookKeys,
} from "./types";
export { newWebhookKeys, renewalDue, renewedWebhookKeys, type Validity } from "./webhook-keys";
