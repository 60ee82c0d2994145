import { clusterOnCloud } from "./cluster-on-cloud";
import { killWhileServersAreMade } from "./kill-run";

clusterOnCloud({ backEnd: "nova", siteLogin: true, disturb: killWhileServersAreMade });
