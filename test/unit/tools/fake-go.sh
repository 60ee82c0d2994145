#!/bin/sh
# A Go that compiles nothing: answers what the builder asks, and a "program" lists the files that lay in the module's folder.
# needs: FAKE_MODULE (folder of the one module that it knows) FAKE_ABSENT (as JSON: why there is no other; empty: none is asked for)
case "$1 $2" in
"mod init") echo "module $3" > go.mod && : > go.sum ;;
"mod download")
    if [ -n "${FAKE_ABSENT:-}" ]; then
        printf '{"Path": "some", "Error": "%s: %s"}\n' "$4" "$FAKE_ABSENT"
        exit 1
    fi
    echo "{\"Dir\": \"$FAKE_MODULE\"}"
    ;;
"run ./schema") echo generated ;;
"build -ldflags")
    while [ "$1" != -o ]; do shift; done
    { find . -name '*.go' | sort && cat ./*.json; } > "$2"
    ;;
esac
