import { originalsFolder } from "./folders";
import { sh } from "./script";

/** Records that `keepOriginals` wrote besides the copies, for the reset. */
export const originalsNotes = {
    folders: `${originalsFolder}/.folders`,
    services: `${originalsFolder}/.services`,
    plugins: `${originalsFolder}/.plugins`,
    cni: `${originalsFolder}/.cni`,
};

/**
 * Shell: `there PATH` tests whether a path exists, also a dangling link; `restore FILE` restores the original, or
 * deletes our file.
 */
export const restoreOriginal = sh`
    there() { [ -e "$1" ] || [ -L "$1" ]; }
    restore() {
        if there "${originalsFolder}$1"; then
            # the folder of a package that was purged is gone, and so is the file's use
            [ -d "\${1%/*}" ] || return 0
            rm -rf "$1.nfv-new"
            cp -a "${originalsFolder}$1" "$1.nfv-new"
            mv -fT "$1.nfv-new" "$1"
        elif [ -e "${originalsFolder}$1.absent" ]; then
            rm -f "$1"
        fi
    }
`;
