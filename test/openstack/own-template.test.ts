import { clusterOnTemplate } from "./own-template";

clusterOnTemplate("tacker");
