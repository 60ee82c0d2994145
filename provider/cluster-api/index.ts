export { componentsPath } from "./bundle-components";
export { readComponents } from "./components";
export { inventoryDefinition } from "./inventory";
export { providerObjects } from "./management-objects";
export { checkProviders, labelOf, providerOf, providerTypes } from "./provider-names";
export {
    checkReleases,
    clusterApiReleases,
    contractsOf,
    endingContracts,
    infrastructureReleases,
} from "./releases";
export type {
    ManagementOptions,
    ProviderName,
    ProviderSpec,
    ProviderType,
    WebhookKeys,
} from "./types";
export { newWebhookKeys, renewalDue, renewedWebhookKeys } from "./webhook-keys";
