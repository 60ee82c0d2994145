export { adminConfig } from "./folders";
