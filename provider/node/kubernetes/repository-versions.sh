#!/bin/sh
# repository-versions.sh: which versions of Kubernetes a repository has.
# apt_versions OPTION… and dnf_versions OPTION… print a line "NAME VERSION-REVISION" for each package of $NAMES.
# choose_packages SEPARATOR sets $exact to the newest package of $VERSION for each of $NAMES, of such lines in $has. If one is missing, it says which versions there are.
# A package whose version has an epoch or no revision is none of ours: neither pins nor the file names of what is staged would fit it.
# inputs: NAMES VERSION
# constants: VERSION_MISMATCH
# shellcheck disable=SC2086,SC2154 # lists of names; $has

apt_versions() { apt-cache -q "$@" madison $NAMES | awk -F ' *[|] *' '{ sub(/^ */, "", $1); print $1, $2 }'; }
dnf_versions() { dnf -q "$@" repoquery --qf '%{name} %{version}-%{release}\n' $NAMES | awk 'NF == 2'; }
choose_packages() {
    exact=
    for name in $NAMES; do
        found=$(printf '%s\n' "$has" | awk -v name="$name" -v start="$VERSION-" '$1 == name && index($2, start) == 1 { print $2 }' | sort -rV | head -n 1)
        if [ -z "$found" ]; then
            known=$(printf '%s\n' "$has" | awk -v name="$name" -v version="$VERSION" '$1 == name {
                number = $2
                sub(/^[0-9]+:/, "", number)
                sub(/-.*/, "", number)
                print number == version ? $2 " (not " version "-REVISION)" : number
            }' | sort -uV | tail -n 12 | tr '\n' ' ')
            echo "the repository has no $name $VERSION; it has ${known:-none }of it" >&2
            exit "$VERSION_MISMATCH"
        fi
        exact="$exact $name$1$found"
    done
}
