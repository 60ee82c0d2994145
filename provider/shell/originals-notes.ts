import { originalsFolder } from "./folders";

/** Records that `keepOriginals` wrote besides the copies, for the reset. */
export const originalsNotes = {
    folders: `${originalsFolder}/.folders`,
    services: `${originalsFolder}/.services`,
    /** Services that ran. */
    active: `${originalsFolder}/.active`,
    /** "containerd.service" if it was there, and nobody used it: not enabled, and not running. */
    off: `${originalsFolder}/.off`,
    plugins: `${originalsFolder}/.plugins`,
    cni: `${originalsFolder}/.cni`,
};
