import type { Lab } from "../../lab";

/*
 * A repository of Debian packages in a folder of each node, and no other one there: what is due is what a test puts into it.
 */

const folder = "/opt/nfv-packages";

/** Tiny packages; `postinst` is what the new version does when it is configured. */
const packages = [
    { name: "nfv-harmless", postinst: "sleep 4" },
    { name: "nfv-kernel", postinst: "touch /run/reboot-required" },
];

const build = (name: string, version: string, postinst: string, into: string) => `
    rm -rf /tmp/deb && mkdir -p /tmp/deb/DEBIAN /tmp/deb/etc ${into}
    echo "setting = ${version}" >/tmp/deb/etc/${name}.conf
    echo /etc/${name}.conf >/tmp/deb/DEBIAN/conffiles
    printf 'Package: ${name}\\nVersion: ${version}\\nArchitecture: all\\nMaintainer: nobody\\nDescription: test\\n' >/tmp/deb/DEBIAN/control
    printf '#!/bin/sh\\n${postinst}\\n' >/tmp/deb/DEBIAN/postinst
    chmod 755 /tmp/deb/DEBIAN/postinst
    dpkg-deb -b --root-owner-group /tmp/deb ${into}/${name}_${version}.deb >/dev/null`;

/** The package of haproxy as it is installed, with a higher version: its own scripts run when it is upgraded. */
const rebuildHaproxy = (into: string) => `
    if [ -e /var/lib/dpkg/info/haproxy.list ]; then
        rm -rf /tmp/deb && mkdir -p /tmp/deb/DEBIAN ${into}
        dpkg -L haproxy | while read -r file; do
            if [ -e "$file" ] && [ ! -d "$file" ]; then printf '%s\\n' "$file"; fi
        done >/tmp/deb.list
        tar -C / -cf - -T /tmp/deb.list --no-recursion 2>/dev/null | tar -C /tmp/deb -xf -
        for name in preinst postinst prerm postrm conffiles; do
            [ ! -e /var/lib/dpkg/info/haproxy.$name ] || cp -a /var/lib/dpkg/info/haproxy.$name /tmp/deb/DEBIAN/$name
        done
        dpkg-query -s haproxy | sed -e '/^Status:/d' -e '/^Conffiles:/,/^[A-Z]/{/^Conffiles:/d;/^ /d}' -e 's/^Version: .*/&+nfv1/' >/tmp/deb/DEBIAN/control
        dpkg-deb -b --root-owner-group /tmp/deb ${into}/haproxy.deb >/dev/null
    fi`;

/** Index of a folder of packages; with a label it counts as a repository of security updates. */
const index = (of: string, label: string) => `
    mkdir -p ${of} && cd ${of}
    for deb in *.deb; do
        [ -e "$deb" ] || continue
        dpkg-deb -f "$deb"
        printf 'Filename: ./%s\\nSize: %s\\nSHA256: %s\\n\\n' "$deb" "$(stat -c %s "$deb")" "$(sha256sum "$deb" | cut -d ' ' -f 1)"
    done >Packages
    printf 'Label: ${label}\\nSuite: stable\\nSHA256:\\n %s %s Packages\\n' "$(sha256sum Packages | cut -d ' ' -f 1)" "$(stat -c %s Packages)" >Release`;

/** Each node has the former versions, and its lists the new ones. Nothing is upgraded. */
export async function givePackages(lab: Lab, node: string): Promise<void> {
    const former = packages.map(({ name }) => build(name, "1.0", "true", `${folder}/former`));
    const newer = packages.map(({ name, postinst }) => build(name, "2.0", postinst, `${folder}/main`));
    await lab.mustSsh(
        node,
        `set -eu
        ${former.join("\n")}
        dpkg -i ${folder}/former/*.deb >/dev/null
        ${newer.join("\n")}
        ${rebuildHaproxy(`${folder}/security`)}
        (${index(`${folder}/main`, "Test")})
        (${index(`${folder}/security`, "Debian-Security")})
        rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /tmp/deb /tmp/deb.list
        for part in main security; do echo "deb [trusted=yes] file:${folder}/$part ./"; done >/etc/apt/sources.list
        apt-get -q update`,
    );
}

/** Each boot from now on writes its time. */
export async function countBoots(lab: Lab, node: string): Promise<void> {
    const unit =
        '[Service]\\nType=oneshot\\nExecStart=/bin/sh -c "date +%%%%s >>/var/lib/boots"\\n[Install]\\nWantedBy=multi-user.target\\n';
    await lab.mustSsh(
        node,
        `printf '${unit}' >/etc/systemd/system/count-boots.service && : >/var/lib/boots && systemctl -q enable count-boots`,
    );
}

export const bootsOf = async (lab: Lab, node: string) =>
    (await lab.mustSsh(node, "cat /var/lib/boots")).split("\n").filter(Boolean).map(Number);

export const versionOf = async (lab: Lab, node: string, name: string) =>
    (await lab.ssh(node, `dpkg-query -W -f '\${Version}' ${name}`)).stdout.trim();
