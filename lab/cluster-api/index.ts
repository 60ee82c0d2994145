export { labProvider, writeComponents } from "./definitions";
export { LabProvider, type LabProviderOptions } from "./provider";
