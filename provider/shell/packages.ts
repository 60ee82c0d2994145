import { exitCodes } from "./exit-codes";
import { installedPackagesFile, proxyEnvironmentFile, stateFolder } from "./folders";
import { sh } from "./script";

/**
 * Shell: `install_packages` installs those of $APT_PACKAGES or $DNF_PACKAGES that are missing, and records every
 * package that came with them, so that the reset can remove them. The wanted ones are recorded first, so that a killed
 * run misses none. apt, dnf and the script's curl use the proxy if there is one.
 */
export const installPackages = sh`
    if [ -r ${proxyEnvironmentFile} ]; then
        set -a
        . ${proxyEnvironmentFile}
        set +a
    fi
    list_packages() {
        if command -v dpkg-query >/dev/null 2>&1; then dpkg-query -W -f '\${Package}\\n'; else rpm -qa --qf '%{NAME}\\n'; fi | sort -u
    }
    is_installed() {
        if command -v dpkg-query >/dev/null 2>&1; then
            [ "$(dpkg-query -W -f '\${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
        else
            rpm -q --quiet "$1" || rpm -q --quiet --whatprovides "$1"
        fi
    }
    install_packages() {
        if command -v apt-get >/dev/null 2>&1; then wanted=$APT_PACKAGES
        elif command -v dnf >/dev/null 2>&1; then wanted=$DNF_PACKAGES
        else
            echo "neither apt-get nor dnf on this machine" >&2
            exit ${exitCodes.UNSUPPORTED_SYSTEM}
        fi
        missing=
        for package in $wanted; do is_installed "$package" || missing="$missing $package"; done
        [ -n "$missing" ] || return 0
        mkdir -p ${stateFolder}
        printf '%s\\n' $missing >> ${installedPackagesFile}
        list_packages > ${stateFolder}/packages-before
        if command -v apt-get >/dev/null 2>&1; then
            export DEBIAN_FRONTEND=noninteractive
            apt-get -q -o DPkg::Lock::Timeout=300 update
            apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold install --no-install-recommends $missing
        else
            dnf -q -y install $missing
        fi
        list_packages | comm -13 ${stateFolder}/packages-before - >> ${installedPackagesFile}
        sort -u -o ${installedPackagesFile} ${installedPackagesFile}
        rm -f ${stateFolder}/packages-before
    }
`;
