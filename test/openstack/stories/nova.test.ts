import { clusterOnCloud } from "../cluster-on-cloud";

clusterOnCloud({ backEnd: "nova", size: "one master and one worker", siteLogin: true, login: "lab-2" });
