// Prints what the chart's templates become with its own values: the part of Helm that the chart uses.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func toYaml(value interface{}) string {
	out, err := yaml.Marshal(value)
	must(err)
	return strings.TrimSuffix(string(out), "\n")
}

func main() {
	chart := os.Args[1]
	text, err := os.ReadFile(filepath.Join(chart, "values.yaml"))
	must(err)
	values := map[string]interface{}{}
	must(yaml.Unmarshal(text, &values))
	data := map[string]interface{}{"Values": values, "Release": map[string]interface{}{"Name": "shop"}}
	files, err := filepath.Glob(filepath.Join(chart, "templates", "*.yaml"))
	must(err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		must(err)
		parsed, err := template.New(file).Option("missingkey=error").Funcs(sprig.TxtFuncMap()).Funcs(
			template.FuncMap{"toYaml": toYaml}).Parse(string(source))
		must(err)
		var out bytes.Buffer
		must(parsed.Execute(&out, data))
		fmt.Printf("---\n%s", out.String())
	}
}
