import { storageOnCloud } from "./storage-on-cloud";

storageOnCloud({ backEnd: "nova" });
