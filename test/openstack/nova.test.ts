import { clusterOnCloud } from "./cluster-on-cloud";

clusterOnCloud({ backEnd: "nova", siteLogin: true });
