// Reads each YAML document as strictly as the API server, into the type that it names; sets defaults and validates as the admission webhook of Tekton does.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	v1 "github.com/tektoncd/pipeline/pkg/apis/pipeline/v1"
	batch "k8s.io/api/batch/v1"
	"knative.dev/pkg/apis"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

type checked interface {
	SetDefaults(context.Context)
	Validate(context.Context) *apis.FieldError
}

func check(text string) error {
	var head struct{ Kind string }
	if err := yaml.Unmarshal([]byte(text), &head); err != nil {
		return err
	}
	var object any
	switch head.Kind {
	case "Task":
		object = &v1.Task{}
	case "Pipeline":
		object = &v1.Pipeline{}
	case "CronJob":
		object = &batch.CronJob{}
	default:
		return fmt.Errorf("kind %q is not known here", head.Kind)
	}
	data, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return err
	}
	unknown, err := json.UnmarshalStrict(data, object)
	if err := errors.Join(append(unknown, err)...); err != nil {
		return err
	}
	if tekton, ok := object.(checked); ok {
		tekton.SetDefaults(context.Background())
		if err := tekton.Validate(context.Background()); err != nil {
			return err
		}
	}
	fmt.Println(head.Kind)
	return nil
}

func main() {
	failed := false
	for _, file := range os.Args[1:] {
		text, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		for _, document := range strings.Split(string(text), "\n---\n") {
			if err := check(document); err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", file, err)
				failed = true
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}
