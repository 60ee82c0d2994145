#!/bin/sh
# check-repository.sh: succeeds if a repository has the packages of a version. It is looked at beside the machine's own lists, so nothing changes.
# inputs: NAMES VERSION URL (of the repository)
# inputs: KEY (that signs it; empty: from KEY_URL) KEY_URL
# constants: UNSUPPORTED_SYSTEM
# shellcheck disable=SC2034 # for choose_packages

. shell/lib/usual-path.sh

. shell/lib/use-proxy.sh

. shell/lib/work-folder.sh

. node/kubernetes/repository-versions.sh

if command -v apt-get >/dev/null 2>&1; then
    if [ -n "$KEY" ]; then printf '%s\n' "$KEY" > "$work/key.asc"
    elif command -v curl >/dev/null 2>&1; then curl -fsSL --proto =https --retry 3 -o "$work/key.asc" "$KEY_URL"
    # up installs curl
    else /usr/lib/apt/apt-helper -q -o APT::Sandbox::User=root download-file "$KEY_URL" "$work/key.asc" >/dev/null
    fi
    echo "deb [signed-by=$work/key.asc] $URL /" > "$work/list"
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
    set -- -o Dir::Etc::SourceList="$work/list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root
    apt-get -qq "$@" -o APT::Update::Error-Mode=any update > "$work/said" 2>&1 || {
        cat "$work/said" >&2
        exit 1
    }
    has=$(apt_versions "$@")
    choose_packages "="
elif command -v dnf >/dev/null 2>&1; then
    # dnf5 keeps what it knows of a repository elsewhere, for two days
    has=$(dnf_versions --refresh --repofrompath="pulumi-nfv-look,$URL" --repo=pulumi-nfv-look --setopt=cachedir="$work/cache")
    choose_packages -
else
    echo "neither apt-get nor dnf on this machine" >&2
    exit "$UNSUPPORTED_SYSTEM"
fi
