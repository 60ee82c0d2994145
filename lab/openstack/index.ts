export { Cloud, type CloudOptions, type CloudStatus } from "./cloud";
