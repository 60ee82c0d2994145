export type { ImageName, SystemName } from "./images";
export { Lab, type LabNode, type LabOptions } from "./lab";
export { parseSize } from "./names";
export type { Registry } from "./registry";
