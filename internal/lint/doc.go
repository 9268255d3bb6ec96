// Package lint holds the rules of the source tree as tests: who may import whom, which packages of others are
// allowed where, that everything exported is documented, that files stay small, that the documents name
// commands and files that exist, and that the checklists of CONTRIBUTING.md are true and leave no package out.
package lint
