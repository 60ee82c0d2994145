import { originalsFolder } from "./folders";

/** Records that `keepOriginals` wrote besides the copies, for the reset. */
export const originalsNotes = {
    folders: `${originalsFolder}/.folders`,
    services: `${originalsFolder}/.services`,
    /** Services that ran. */
    active: `${originalsFolder}/.active`,
    plugins: `${originalsFolder}/.plugins`,
    cni: `${originalsFolder}/.cni`,
};
