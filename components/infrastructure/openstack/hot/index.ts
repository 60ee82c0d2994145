export { expandOwn, type OwnTemplateAnswers } from "./contract";
export { expand } from "./expand";
export { fixedParts, leadsTo } from "./fixed-parts";
export { flatOutputs, flatResources } from "./flat-resources";
export { asCall as functionCall } from "./functions";
export { keptResources } from "./kept-resources";
export { userDataClasses } from "./nfv-names";
export { parseHot } from "./parse-hot";
export { readTemplate } from "./read-template";
export { expandTemplate } from "./tacker";
export type {
    ExpandedNode,
    ExpandedStack,
    HeatTemplateAnswers,
    Hot,
    TemplateFiles,
    Value,
    ValueMap,
} from "./types";
export {
    type NfvAnswers,
    userData,
} from "./user-data";
export { writeYaml } from "./write-yaml";
