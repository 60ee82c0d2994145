import { storageOnCloud } from "./storage-on-cloud";

// The core of the story by nova, beside a stack: what does not depend on the back end is shown there only.
storageOnCloud({ backEnd: "heat", login: "lab-2" });
