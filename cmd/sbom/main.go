// Command sbom writes the bill of materials of programs, as CycloneDX, from what the Go linker has put into them: the
// modules that are really in a program, in their versions and with their checksums. -scripts names the manifest of the
// scripts that are embedded beside them, of npm packages. The same programs give the same bytes: there is neither a
// time nor a serial number in it.
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	scripts := flag.String("scripts", "", "the manifest of scripts that are embedded in the programs")
	flag.Parse()
	if err := run(*scripts, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// run writes the bill of materials of all programs together. The first argument is their version.
func run(scripts string, args []string) error {
	if len(args) < 2 {
		return errors.New("name the version and the programs: sbom [-scripts MANIFEST] VERSION PROGRAM [PROGRAM]")
	}
	version, programs := args[0], args[1:]
	bom := cdx.NewBOM()
	bom.SerialNumber = ""
	modules, err := scriptsOf(scripts)
	if err != nil {
		return err
	}
	var parts []cdx.Component
	seen := map[string]bool{}
	for _, path := range programs {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return err
		}
		parts = append(parts, programOf(path, info))
		for _, m := range info.Deps {
			if c := moduleOf(m); !seen[c.BOMRef] {
				seen[c.BOMRef] = true
				modules = append(modules, c)
			}
		}
		if std := standardLibrary(info); !seen[std.BOMRef] {
			seen[std.BOMRef] = true
			modules = append(modules, std)
		}
	}
	slices.SortFunc(modules, func(a, b cdx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	bom.Metadata = &cdx.Metadata{Component: &cdx.Component{Type: cdx.ComponentTypeApplication, Name: "orchestrator",
		Version: version, BOMRef: "orchestrator", Components: &parts}}
	bom.Components = &modules
	return cdx.NewBOMEncoder(os.Stdout, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}

// programOf describes a program, and what it was built for.
func programOf(path string, info *debug.BuildInfo) cdx.Component {
	var built []cdx.Property
	for _, s := range info.Settings {
		if s.Key == "GOOS" || s.Key == "GOARCH" || s.Key == "CGO_ENABLED" || s.Key == "-trimpath" {
			built = append(built, cdx.Property{Name: "go:build:" + strings.TrimPrefix(s.Key, "-"), Value: s.Value})
		}
	}
	name := filepath.Base(path)
	return cdx.Component{Type: cdx.ComponentTypeApplication, Name: name, BOMRef: "program:" + name, Properties: &built}
}

// moduleOf describes a module, or the one that stands in for it.
func moduleOf(m *debug.Module) cdx.Component {
	if m.Replace != nil {
		m = m.Replace
	}
	purl := "pkg:golang/" + m.Path + "@" + m.Version
	c := cdx.Component{Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, BOMRef: purl, PackageURL: purl}
	if m.Sum != "" {
		c.Properties = &[]cdx.Property{{Name: "go:sum", Value: m.Sum}}
	}
	return c
}

// standardLibrary describes the Go that a program was built with.
func standardLibrary(info *debug.BuildInfo) cdx.Component {
	version := strings.TrimPrefix(info.GoVersion, "go")
	purl := "pkg:golang/std@" + version
	return cdx.Component{Type: cdx.ComponentTypeLibrary, Name: "std", Version: version, BOMRef: purl, PackageURL: purl}
}

// scriptsOf describes the packages that a manifest names; none where there is no manifest.
func scriptsOf(manifest string) ([]cdx.Component, error) {
	if manifest == "" {
		return nil, nil
	}
	source, err := os.ReadFile(manifest)
	if err != nil {
		return nil, err
	}
	var packages []struct {
		Name      string `json:"package"`
		Version   string `json:"version"`
		Integrity string `json:"integrity"`
		Licence   string `json:"licence"`
	}
	if err := json.Unmarshal(source, &packages); err != nil {
		return nil, fmt.Errorf("%s: %w", manifest, err)
	}
	var scripts []cdx.Component
	for _, p := range packages {
		purl := "pkg:npm/" + p.Name + "@" + p.Version
		scripts = append(scripts, cdx.Component{
			Type: cdx.ComponentTypeLibrary, Name: p.Name, Version: p.Version, BOMRef: purl, PackageURL: purl,
			Licenses:   &cdx.Licenses{{License: &cdx.License{ID: p.Licence}}},
			Properties: &[]cdx.Property{{Name: "npm:integrity", Value: p.Integrity}},
		})
	}
	return scripts, nil
}
