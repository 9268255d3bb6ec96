package command

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

func TestFormat(t *testing.T) {
	f := NewFormat("text", "json", "csv")
	require.Equal(t, "text", f.Value)
	require.Equal(t, "text, json or csv", f.Usage())
	require.EqualError(t, f.Set("xml"), "neither text, json nor csv")
	require.NoError(t, f.Set("json"))
	require.Equal(t, "json", f.String())
}

// TestFlagError: what is wrong with a value is said in words, as the flag says it itself if it does.
func TestFlagError(t *testing.T) {
	for _, c := range []struct{ arg, want string }{
		{"--go=x", `invalid argument "x" for "--go" flag: not a whole number from 0 on`},
		{"--go=-1", `invalid argument "-1" for "--go" flag: not a whole number from 0 on`},
		{"--seconds=x", `invalid argument "x" for "--seconds" flag: not a number`},
		{"--timeout=5", `invalid argument "5" for "--timeout" flag: not a time such as 30s`},
		{"--all=x", `invalid argument "x" for "--all" flag: neither true nor false`},
		{"-n1.5", `invalid argument "1.5" for "-n, --number" flag: not a whole number`},
		{"--rows=0", `invalid argument "0" for "--rows" flag: not a number from 1 on`},
		{"--none", "unknown flag: --none"},
	} {
		cmd := &cobra.Command{Use: "x", Run: func(*cobra.Command, []string) {}, SilenceErrors: true, SilenceUsage: true}
		cmd.SetFlagErrorFunc(FlagError)
		cmd.Flags().Uint64("go", 0, "")
		cmd.Flags().Float64("seconds", 0, "")
		cmd.Flags().Duration("timeout", 0, "")
		cmd.Flags().Bool("all", false, "")
		cmd.Flags().IntP("number", "n", 0, "")
		cmd.Flags().Var(new(Rows), "rows", "")
		cmd.SetArgs([]string{c.arg})
		require.EqualError(t, cmd.Execute(), c.want)
	}
}

func TestVersion(t *testing.T) {
	require.NotEmpty(t, Version())
}
