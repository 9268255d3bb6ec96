package guest_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/guest"
)

// The six calls, around a part of a program.
func ExampleInit() {
	c, err := guest.Init(guest.Goroutine)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	if err := c.Select("PAPI_LD_INS", "PAPI_L1_DCM", "PAPI_TOT_CYC"); err != nil {
		fmt.Println(err)
		return
	}
	c.Start()
	sum := 0
	for i := range 1000 {
		sum += i * i
	}
	c.Stop()
	user, kernel := make([]uint64, 3), make([]uint64, 3)
	if err := c.Read(user, kernel); err == nil {
		fmt.Println(sum, user, "and by the kernel", kernel[2])
	}
	// Output: not on the simulator (run it with tracerec sim)
}

// Where there is no simulator, everything says so and nothing breaks.
func TestElsewhere(t *testing.T) {
	if guest.Available() {
		t.Skip("this is the simulator")
	}
	to := filepath.Join(t.TempDir(), "file")
	var c guest.Counters
	one := func(_ any, err error) error { return err }
	for i, err := range []error{
		one(guest.Events()), one(guest.Init(guest.Thread)), one(guest.InitOf(guest.Task, 1)), one(guest.Identity(guest.Thread)), one(guest.ReadFile("x")),
		guest.CopyFile("x", to), guest.SwitchTask(1), guest.ExitTask(1), guest.Trace(guest.Range{}, guest.Range{}), guest.Untrace(),
		guest.MapRegister(3, "PAPI_TOT_INS"), c.Select("PAPI_TOT_INS"), c.Start(), c.Stop(), c.Reset(), c.Close(), c.Read(nil, nil), one(c.Now(nil, nil)),
	} {
		require.ErrorIs(t, err, guest.ErrNotSimulated, i)
	}
	require.Empty(t, c.Events())
	require.NoFileExists(t, to)
}
