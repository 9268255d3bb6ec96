package size_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/size"
)

func TestBytes(t *testing.T) {
	for _, c := range []struct {
		text, again string
		want        int64
	}{{"1", "1", 1}, {"1500", "1500", 1500}, {"512K", "512K", 512 << 10}, {"64m", "64M", 64 << 20}, {"2GiB", "2G", 2 << 30}, {"1024G", "1T", 1 << 40}} {
		var b size.Bytes
		require.NoError(t, b.Set(c.text))
		require.Equal(t, c.want, int64(b))
		require.Equal(t, c.again, b.String())
	}
	for _, bad := range []string{"", "G", "0", "-1", "1.5G", "9999999999G", "many"} {
		require.Error(t, new(size.Bytes).Set(bad), bad)
	}
}
