import { clusterOnTemplate } from "./own-template";

clusterOnTemplate("contract");
