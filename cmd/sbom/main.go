// Command sbom writes the bill of materials of programs, as CycloneDX, from what the Go linker has put into them: the
// modules that are really in a program, in their versions and with their checksums. The same programs give the same
// bytes: there is neither a time nor a serial number in it.
package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// run writes the bill of materials of all programs together. The first argument is their version.
func run(args []string) error {
	if len(args) < 2 {
		return errors.New("name the version and the programs: sbom VERSION PROGRAM [PROGRAM]")
	}
	version, programs := args[0], args[1:]
	bom := cdx.NewBOM()
	bom.SerialNumber = ""
	var parts, modules []cdx.Component
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
