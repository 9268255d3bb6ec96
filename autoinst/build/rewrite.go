package build

import (
	"errors"
	"fmt"
	"go/version"

	"tracerec/autoinst/operations"
	"tracerec/autoinst/overlay"
	"tracerec/autoinst/sync"
)

// rewrite is the flag with which operations are rewritten in the source, as if the runtime were not known.
const rewrite = "rewrite"

// oldest is the first version of Go that can compile the recorder.
const oldest = "go1.24"

// operations returns an overlay with which all operations are recorded: those of all packages, by the runtime, which is hooked then. If that is
// not known, those of the main module are rewritten.
func (b *Build) operations() (o *overlay.Overlay, hooked bool, err error) {
	if o, err = b.begin(); err != nil {
		return nil, false, err
	}
	if b.a.on(rewrite) {
		return o, false, b.rewrite(o)
	}
	if err = b.t.supported(); err == nil {
		err = sync.Patch(o)
	}
	if !errors.Is(err, overlay.ErrUnsupported) || version.Compare(b.t.GOVERSION, oldest) < 0 {
		return o, true, err
	}
	b.warn(fmt.Sprintf("%v; so operations are rewritten in the source, and only those of the main module are recorded", err))
	if o, err = b.begin(); err != nil { // not by half
		return nil, false, err
	}
	return o, false, b.rewrite(o)
}

// begin returns an overlay that has only what the user replaces.
func (b *Build) begin() (*overlay.Overlay, error) {
	o := overlay.New(b.t.GOROOT)
	if name := b.a.value("overlay"); name != "" {
		if err := o.Extend(b.at(name), b.at("")); err != nil {
			return nil, fmt.Errorf("%w: %w", errGo, err)
		}
	}
	return o, nil
}

// rewrite rewrites operations.
func (b *Build) rewrite(o *overlay.Overlay) error {
	if b.a.versioned() { // its files cannot be replaced
		return nil
	}
	done, err := (&operations.Build{
		Go: b.t.command, Chdir: b.a.chdir(), Flags: b.a.those(resolving), Packages: b.a.packages, Tests: b.a.verb == "test", Arch: b.t.GOARCH,
		Fixed: func(dir string) bool { return beneath(dir, b.t.GOMODCACHE) },
	}).Rewrite(o)
	if err != nil {
		return fmt.Errorf("%w: %w", errGo, err)
	}
	if n := len(done.Left); n > 0 && b.Warning == "" {
		b.Warning = fmt.Sprintf("operations of %d in all are not recorded, because they cannot be rewritten: %d, first %s", done.Rewritten+n, n, done.Left[0])
	}
	return nil
}
