export { expandOwn, type OwnTemplateAnswers } from "./contract";
export { expand } from "./expand";
export { fixedParts, leadsTo } from "./fixed-parts";
export { flatOutputs, flatResources } from "./flat-resources";
export { asCall as functionCall } from "./functions";
export { keptResources } from "./kept-resources";
export { type UserDataClass, userDataClasses } from "./nfv-names";
export { parseHot } from "./parse-hot";
export { readTemplate } from "./read-template";
export { expandTemplate, type TemplateRequest } from "./tacker";
export type {
    ConnectionAnswers,
    ExpandedNode,
    ExpandedServer,
    ExpandedStack,
    GroupAnswers,
    HeatTemplateAnswers,
    Hot,
    Naming,
    ServerAnswers,
    ServerOutputs,
    TemplateAnswers,
    TemplateFiles,
    Value,
    ValueMap,
    VipAnswers,
} from "./types";
export {
    type ConnectionPointAnswers,
    type NfvAnswers,
    type UserData,
    userData,
    type VduAnswers,
} from "./user-data";
export { writeYaml } from "./write-yaml";
