// Package lint tests the rules of the source tree: which package may import which, ours or others', that everything exported is documented,
// that files stay small, that documents name only commands and files that exist, and that the checklists of CONTRIBUTING.md are true and
// leave no package out.
package lint
