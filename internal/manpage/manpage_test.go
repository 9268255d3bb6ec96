package manpage

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

func TestPage(t *testing.T) {
	root := &cobra.Command{Use: "tool", Short: "Do things"}
	sub := &cobra.Command{
		Use:   "cut FILE",
		Short: "Cut",
		Long: `.begins like a request
goes on with \ and it's.

Two:
  a  -b
  c
after`,
		Example: "  tool cut x",
		Run:     func(*cobra.Command, []string) {},
	}
	sub.Flags().StringP("output", "o", "x.dir", "write a `\"FILE\"` …")
	sub.Flags().Bool("quiet", false, "say nothing")
	root.AddCommand(sub, &cobra.Command{Use: "secret", Hidden: true, Run: sub.Run})
	pages := All(root)
	require.Len(t, pages, 2)
	require.Equal(t, `.TH "TOOL" "1" "" "tool" "User Commands"
.SH "NAME"
tool \- Do things
.SH "SYNOPSIS"
.PP
tool COMMAND \[u2026]
.SH "DESCRIPTION"
Do things.
.SH "COMMANDS"
.TP
.BR "tool\-cut" "(1)"
Cut
`, pages["tool.1"])
	require.Equal(t, `.TH "TOOL\-CUT" "1" "" "tool" "User Commands"
.SH "NAME"
tool\-cut \- Cut
.SH "SYNOPSIS"
tool cut FILE [flags]
.SH "DESCRIPTION"
\&.begins like a request
goes on with \e and it\(aqs.
.PP
Two:
.PP
.nf
  a  \-b
  c
.fi
.PP
after
.SH "OPTIONS"
.TP
.B "\-o, \-\-output \(dqFILE\(dq"
write a "FILE" \[u2026] (default "x.dir")
.TP
.B "\-\-quiet"
say nothing
.SH "EXAMPLES"
.PP
.nf
  tool cut x
.fi
.SH "SEE ALSO"
.BR "tool" "(1)"
`, pages["tool-cut.1"])
}
