import { clusterOnCloud } from "./cluster-on-cloud";
import { portSecurity } from "./port-security";

const system = "debian-13";

portSecurity(system);
clusterOnCloud({ system, backEnd: "nova", size: "one master and one worker", siteLogin: true, login: "lab-2" });
clusterOnCloud({ system, backEnd: "heat", size: "one master and one worker", login: "lab-4" });
