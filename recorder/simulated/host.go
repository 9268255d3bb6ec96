//go:build linux

package simulated

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tracerec/simulator/linux"
)

// The guest's directories beside those that are given.
const (
	guestProgram = "/program"
	GuestTemp    = "/tmp" // empty at first
)

// Share gives the guest what of the host it is to see: the working directory to read, directories below home for the program and as /tmp, others as
// GUEST=HOST[:rw], and of the environment NAME=VALUE or NAME.
func (o *Options) Share(home string, mounts, env []string) (err error) {
	if o.Dir, err = os.Getwd(); err != nil {
		return err
	}
	o.Mounts = []linux.Mount{{Guest: o.Dir, Host: o.Dir}, {Guest: guestProgram, Host: ProgramDir(home)},
		{Guest: GuestTemp, Host: TempDir(home), Write: true}}
	for _, m := range o.Mounts[1:] {
		if err := os.Mkdir(m.Host, 0o700); err != nil {
			return err
		}
	}
	everything := o.Dir == "/"
	for _, text := range mounts {
		given, err := parseMount(text, o.Dir)
		if err != nil {
			return err
		}
		everything = everything && given.Guest != "/"
		o.Mounts = slices.DeleteFunc(o.Mounts, func(m linux.Mount) bool { return m.Guest == given.Guest })
		o.Mounts = append(o.Mounts, given)
	}
	if everything {
		return errors.New("the working directory is /, which would show the program all files of this machine; start in another directory, or give --mount /=/")
	}
	return o.environment(env)
}

// environment sets that of the guest.
func (o *Options) environment(given []string) error {
	o.Env = []string{"HOME=" + GuestTemp, "PATH=" + guestProgram, "TMPDIR=" + GuestTemp}
	for _, text := range given {
		name, _, ok := strings.Cut(text, "=")
		if name == "" {
			return fmt.Errorf("--env %s: not NAME=VALUE or NAME", text)
		}
		o.Env = slices.DeleteFunc(o.Env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		if !ok {
			value, set := os.LookupEnv(name)
			if !set {
				continue // nor is it in the guest
			}
			text += "=" + value
		}
		o.Env = append(o.Env, text)
	}
	return nil
}

// parseMount reads GUEST=HOST[:rw]; names of the guest are relative to its working directory.
func parseMount(text, dir string) (linux.Mount, error) {
	guest, host, ok := strings.Cut(text, "=")
	m := linux.Mount{Guest: guest}
	if m.Host, m.Write = strings.CutSuffix(host, ":rw"); !ok || guest == "" || m.Host == "" {
		return m, fmt.Errorf("--mount %s: not GUEST=HOST or GUEST=HOST:rw", text)
	}
	if !filepath.IsAbs(m.Guest) {
		m.Guest = filepath.Join(dir, m.Guest)
	}
	m.Guest = filepath.Clean(m.Guest)
	switch info, err := os.Stat(m.Host); {
	case err != nil:
		return m, fmt.Errorf("--mount %s: %w", text, err)
	case !info.IsDir():
		return m, fmt.Errorf("--mount %s: %s is not a directory", text, m.Host)
	}
	return m, nil
}

// ProgramDir and TempDir are the directories below home that Share makes: for the program, and what the guest has as /tmp.
func ProgramDir(home string) string { return filepath.Join(home, "program") }

// TempDir is like ProgramDir.
func TempDir(home string) string { return filepath.Join(home, "tmp") }

// Use has the guest run a program that is in the directory for it.
func (o *Options) Use(p Program) {
	o.Program, o.Sources, o.Args = p.File, p.Sources, append([]string{guestProgram + "/" + filepath.Base(p.File)}, p.Args...)
}
