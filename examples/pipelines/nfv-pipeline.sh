#!/bin/sh
# nfv-pipeline.sh: what all pipelines of this folder do. Copy it beside Pulumi.yaml; needs nfv in node_modules (or on the PATH), git, curl and coreutils, and for `deployed` pulumi.
#
#   nfv-pipeline.sh plan [OPERATION]        previews; writes plan.md, plan.xml, plan.jsonl, and plan.env with NFV_PLAN=HASH and NFV_CHANGES=true|false
#   nfv-pipeline.sh run HASH [OPERATION]    runs the plan with this hash, and no other; writes run.md and run.xml
#   nfv-pipeline.sh deployed                checks out the commit that ran last, with the configuration that it ran with: before `npm ci` and heal
#   nfv-pipeline.sh heal                    looks (check.json), and repairs what `nfv check` lets a pipeline heal, and nothing else
#   nfv-pipeline.sh comment                 posts plan.md on the pull request
#
# NFV_OPERATION        without OPERATION: up, or a named one with its words: "scale workers=3", "heal w2", "upgrade 1.36.4", "rotate authorities", "backup", "terminate" (default: up)
# NFV_STACK            the stack
# NFV_PROJECT          folder with Pulumi.yaml (default: this one)
# NFV_REPORTS          folder of the reports (default: nfv-reports)
# NFV_ALLOW            operations that `up` may do: scale,modify_information. A named operation may do what its name says. With removal, `up` also deletes and
#                      replaces resources that are part of no cluster.
# NFV_MAX_DISRUPTION   "controlPlaneNodes=1 workers=20%": of all nodes that the run disrupts, so not given to `upgrade`, which goes through all nodes in
#                      batches of its own; `terminate` is refused until it is empty
# NFV_FORBID_REPLACE   "controlPlane,st1"
# NFV_RUN              a word for this run: heal heals no node twice for the same word, rotate exchanges a key once, backup makes one snapshot. plan and run must have the same.
# NFV_AT_MOST          how many nodes `heal` heals in one run (default: 1)
# NFV_TIMEOUT          after this time nfv is asked to stop (default: 55m): less than the time-out of the runner, which may kill
# NFV_CHECK_TIMEOUT    the same for the look that `heal` begins with (default: 5m); it comes before the other time
# NFV_BRANCH           after a run, the stack's file with its new numbers is pushed to this branch (default: it is not pushed)
# NFV_PUSH_TOKEN       password for that push by HTTPS, if the checkout has none
# NFV_COMMENT_URL      receives {"body": "..."} by POST: comments of GitHub and Gitea, notes of GitLab
# NFV_COMMENT_TOKEN    bearer token for it
#
# Ends with the exit code of nfv (docs/errors.md, docs/check.md). SIGINT, SIGTERM and the time-out let the steps under way end: 130.
set -eu

project=$(cd "${NFV_PROJECT:-.}" && pwd)
mkdir -p "${NFV_REPORTS:=nfv-reports}"
reports=$(cd "$NFV_REPORTS" && pwd)
PATH=$project/node_modules/.bin:$PATH
child=
asked=
limit=${NFV_TIMEOUT:-55m}

say() {
    printf '%s\n' "nfv-pipeline: $*" >&2
}

# Wrong input: the same exit code as INVALID_INPUT.
wrong() {
    say "$*"
    exit 2
}

# Only the first signal goes on: nfv ends at once when it gets two, and runners send two.
stop() {
    asked=yes
    trap '' INT TERM HUP
    say "asked to stop: steps under way go on to their end on the machines"
    [ -z "$child" ] || kill -TERM "$child" 2>/dev/null || :
}

# Runs nfv in a session of its own, so that a signal to the runner's process group reaches only this script.
nfv_within_time() {
    trap stop INT TERM HUP
    setsid timeout --foreground --preserve-status --signal=TERM "$limit" nfv "$@" &
    child=$!
    [ -z "$asked" ] || kill -TERM "$child"
    code=0
    wait "$child" || code=$?
    # A signal ends `wait` before nfv ends.
    while kill -0 "$child" 2>/dev/null; do
        code=0
        wait "$child" || code=$?
    done
    child=
    return "$code"
}

# The words come from people who may start a pipeline, and must not become options.
check_words() {
    case $1 in
    up | instantiate | scale | heal | upgrade | rotate | backup | terminate) ;;
    *) wrong "\"$1\" is no operation of a pipeline; there are up, instantiate, scale, heal, upgrade, rotate, backup, terminate" ;;
    esac
    for word in "$@"; do
        case $word in
        -* | *[!A-Za-z0-9._=-]*) wrong "\"$word\" is no word of an operation" ;;
        esac
    done
}

# The options of an operation that every run of it has.
operate() {
    if [ "$1" = up ] && [ -n "${NFV_ALLOW-}" ]; then set -- "$@" --allow "$NFV_ALLOW"; fi
    case $1 in
    heal | rotate | backup) set -- "$@" --run "${NFV_RUN:?is missing: a word of your choice, the same for plan and run}" ;;
    esac
    if [ -n "${NFV_FORBID_REPLACE-}" ]; then set -- "$@" --forbid-replace "$NFV_FORBID_REPLACE"; fi
    if [ "$1" != upgrade ]; then
        set -f
        for most in ${NFV_MAX_DISRUPTION-}; do set -- "$@" --max-disruption "$most"; done
        set +f
    fi
    nfv_within_time "$@" --cwd "$project" --stack "${NFV_STACK:?is missing}"
}

plan() {
    rm -f "$reports"/plan.*
    failed=0
    operate "$@" --preview --json --markdown "$reports/plan.md" --junit "$reports/plan.xml" >"$reports/plan.jsonl" || failed=$?
    if [ "$failed" != 0 ]; then exit "$failed"; fi
    text=$(nfv report "$reports/plan.jsonl")
    printf '%s\n' "$text"
    hash=$(printf '%s\n' "$text" | sed -n 's/^plan \([0-9a-f]\{8,\}\)$/\1/p')
    [ -n "$hash" ] || wrong "the preview shows no plan"
    changes=true
    if printf '%s\n' "$text" | grep -qx 'nothing changes'; then changes=false; fi
    printf 'NFV_PLAN=%s\nNFV_CHANGES=%s\n' "$hash" "$changes" >"$reports/plan.env"
}

run() {
    approved=$1
    shift
    failed=0
    operate "$@" --plan "$approved" --wait --markdown "$reports/run.md" --junit "$reports/run.xml" || failed=$?
    # Also after a failure: the run may have begun, and then the stack's file has its numbers.
    if [ -n "${NFV_BRANCH-}" ]; then keep || failed=$((failed ? failed : 1)); fi
    exit "$failed"
}

keep() {
    file=Pulumi.${NFV_STACK##*/}.yaml
    [ -n "$(git -C "$project" status --porcelain -- "$file")" ] || return 0
    if [ -n "${NFV_PUSH_TOKEN-}" ]; then
        # shellcheck disable=SC2016 # git's shell reads the token from the environment; so it is in no argument
        set -- -c 'credential.helper=!f() { echo username=nfv; echo "password=$NFV_PUSH_TOKEN"; }; f'
    else
        set --
    fi
    git -C "$project" add -- "$file" || return
    git -C "$project" -c user.name=nfv -c user.email=nfv@localhost commit --quiet -m "$file: what the last operation set" -- "$file" || return
    git -C "$project" "$@" push --quiet origin "HEAD:$NFV_BRANCH" && return
    # Somebody else pushed meanwhile.
    git -C "$project" "$@" fetch --quiet origin "$NFV_BRANCH" || return
    git -C "$project" -c user.name=nfv -c user.email=nfv@localhost rebase --quiet FETCH_HEAD || return
    git -C "$project" "$@" push --quiet origin "HEAD:$NFV_BRANCH"
}

heal() {
    found=0
    limit=${NFV_CHECK_TIMEOUT:-5m}
    nfv_within_time check --cwd "$project" --stack "${NFV_STACK:?is missing}" --at-most "${NFV_AT_MOST:-1}" --json >"$reports/check.json" || found=$?
    limit=${NFV_TIMEOUT:-55m}
    # It changes nothing, so a signal just ends it.
    if [ "$found" = 143 ] || [ "$found" = 130 ]; then
        say "the look was stopped: nothing was changed"
        exit 130
    fi
    if [ -s "$reports/check.json" ]; then show_check; fi
    # With 22 a person is needed, and what is certain on other nodes is repaired all the same.
    if [ "$found" != 20 ] && [ "$found" != 22 ]; then exit "$found"; fi
    nodes=$(node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).heals.join(" ")' <"$reports/check.json")
    if [ -z "$nodes" ]; then
        if [ "$found" = 20 ]; then say "nothing is broken: what others have changed is left to a run that somebody approves"; fi
        exit "$found"
    fi
    # Its plan is refused if it has anything else than the repair of these nodes.
    failed=0
    # shellcheck disable=SC2086 # names
    operate repair $nodes --yes --wait --markdown "$reports/run.md" --junit "$reports/run.xml" || failed=$?
    if [ "$failed" = 0 ] && [ "$found" = 22 ]; then exit 22; fi
    exit "$failed"
}

# Pulumi's own record says what ran last; a branch or a tag could be moved by whoever may push.
deployed() {
    commit=$(
        cd "$project"
        pulumi stack history --stack "${NFV_STACK:?is missing}" --json --page-size 50 |
            node -p 'const last = JSON.parse(require("fs").readFileSync(0, "utf8")).find(each => each.kind === "update" && /^[0-9a-f]{40,64}$/.test((each.environment || {})["git.head"])); last ? last.environment["git.head"] : ""'
    )
    [ -n "$commit" ] || wrong "no run of $NFV_STACK says of which commit it was: run the pipeline once, from its checkout"
    git -C "$project" cat-file -e "$commit^{commit}" 2>/dev/null || git -C "$project" fetch --quiet origin "$commit"
    git -C "$project" checkout --quiet --force --detach "$commit"
    (cd "$project" && pulumi config refresh --stack "$NFV_STACK" --force >/dev/null)
    say "at $commit, which ran last"
}

show_check() {
    node -p 'const { found, verdict, reason } = JSON.parse(require("fs").readFileSync(0, "utf8")); [...found.map(each => each.node + ": " + each.text), verdict + ": " + reason].join("\n")' <"$reports/check.json"
}

comment() {
    : "${NFV_COMMENT_URL:?is missing}" "${NFV_COMMENT_TOKEN:?is missing}"
    [ -s "$reports/plan.md" ] || wrong "there is no plan.md to post"
    node -p 'JSON.stringify({ body: require("fs").readFileSync(0, "utf8") })' <"$reports/plan.md" >"$reports/comment.json"
    # The token goes by standard input: arguments are visible to all users of the machine.
    printf 'Authorization: Bearer %s\n' "$NFV_COMMENT_TOKEN" |
        curl --silent --show-error --fail --max-time 60 --retry 2 --output /dev/null --header @- \
            --header 'Content-Type: application/json' --data-binary "@$reports/comment.json" "$NFV_COMMENT_URL"
}

command=${1-}
if [ "$#" -gt 0 ]; then shift; fi
# A CI sets a variable whose secret it does not have to nothing.
if [ "$command" != comment ] && [ "$command" != deployed ] && [ "${SITE_KEY-set}" = '' ]; then
    wrong "SITE_KEY is empty: store the private SSH key for the machines, with all of its lines, as the secret SITE_KEY of the CI"
fi
case $command in
plan) ;;
run)
    approved=${1-}
    case $approved in
    '' | *[!0-9a-f]*) wrong "run needs the hash of a plan" ;;
    esac
    shift
    ;;
heal | comment | deployed)
    [ "$#" = 0 ] || wrong "$command takes no words"
    "$command"
    exit 0
    ;;
*) wrong "plan, run, deployed, heal or comment is expected; the head of this file says more" ;;
esac
# Without words of its own, the operation's words are in NFV_OPERATION.
if [ "$#" = 0 ]; then
    set -f
    # shellcheck disable=SC2086 # words
    set -- ${NFV_OPERATION:-up}
    set +f
fi
check_words "$@"
case $command in
plan) plan "$@" ;;
run) run "$approved" "$@" ;;
esac
