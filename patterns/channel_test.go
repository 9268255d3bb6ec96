package patterns_test

import (
	"testing"

	"tracerec/analyzer"
	"tracerec/trace/wire"
)

type ops = []analyzer.Op

func TestChannel(t *testing.T) {
	run(t, []scenario{
		{"late sender", wire.Channel, 1, ops{recv(1, 10, 12, 60), send(2, 50, atOnce, 55)},
			[]string{"late_sender 1 10-50 by 2@50"}, 0},
		{"a send before the receive is not late", wire.Channel, 1, ops{recv(1, 10, atOnce, 12), send(2, 0, atOnce, 5)},
			nil, 0},
		{"a receive that did not block did not wait", wire.Channel, 1, ops{recv(1, 10, atOnce, 60), send(2, 50, atOnce, 55)},
			nil, 0},
		{"a blocked receive whose send had begun waited for nobody", wire.Channel, 1, ops{recv(1, 10, 12, 60), send(2, 5, atOnce, 55)},
			nil, 0},
		{"late receiver", wire.Channel, 0, ops{send(1, 10, 12, 60), recv(2, 50, atOnce, 55)},
			[]string{"late_receiver 1 10-50 by 2@50"}, 0},
		{"a buffered send does not wait for its own receive", wire.Channel, 1, ops{send(1, 10, atOnce, 12), recv(2, 50, atOnce, 55)},
			nil, 0},
		{"full buffer", wire.Channel, 2, ops{
			send(1, 0, atOnce, 1), send(1, 2, atOnce, 3), send(1, 4, 5, 30),
			recv(2, 28, atOnce, 29), recv(2, 40, atOnce, 41), recv(2, 50, atOnce, 51)},
			[]string{"full_buffer 1 4-28 by 2@28"}, 0},
		{"a buffer with room", wire.Channel, 3, ops{
			send(1, 0, atOnce, 1), send(1, 2, atOnce, 3), send(1, 4, atOnce, 30),
			recv(2, 28, atOnce, 29), recv(2, 40, atOnce, 41), recv(2, 50, atOnce, 51)},
			nil, 0},
		{"blocked senders queue", wire.Channel, 1, ops{
			send(1, 0, atOnce, 1), send(1, 4, 5, 30), send(2, 6, 7, 41), send(3, 8, 9, 52),
			recv(4, 28, atOnce, 29), recv(4, 40, atOnce, 41), recv(4, 50, atOnce, 51), recv(4, 60, atOnce, 61)},
			[]string{"full_buffer 1 4-28 by 4@28", "full_buffer 2 6-40 by 4@40", "full_buffer 3 8-50 by 4@50"}, 0},
		{"the oldest receiver is served", wire.Channel, 0, ops{
			recv(1, 0, 1, 101), recv(2, 5, 6, 201), send(3, 100, atOnce, 102), send(3, 200, atOnce, 202)},
			[]string{"late_sender 1 0-100 by 3@100", "late_sender 2 5-200 by 3@200"}, 0},
		{"a receive that did not block goes ahead of blocked ones", wire.Channel, 1, ops{
			send(1, 10, atOnce, 30), send(1, 80, atOnce, 85), recv(2, 12, atOnce, 20), recv(3, 0, 1, 90)},
			[]string{"late_sender 3 0-80 by 1@80"}, 0},
		{"a send that did not block goes ahead of blocked ones", wire.Channel, 1, ops{
			send(1, 0, 1, 110), send(2, 0, atOnce, 5),
			recv(3, 100, atOnce, 101), recv(3, 200, atOnce, 201)},
			[]string{"full_buffer 1 0-100 by 3@100"}, 0},
		{"all in one unit of time", wire.Channel, 0, ops{recv(1, 64, 64, 64), send(2, 64, atOnce, 64), recv(3, 64, 64, 64), send(4, 64, atOnce, 64)},
			nil, 0},
		{"a blocked receive proves the queue empty", wire.Channel, 2, ops{
			send(1, 0, atOnce, 1), send(1, 40, atOnce, 41), recv(2, 10, 11, 50)},
			[]string{"late_sender 2 10-40 by 1@40"}, 1},
		{"unless the receive that emptied it is still to come", wire.Channel, 2, ops{
			send(1, 0, atOnce, 1), send(1, 40, atOnce, 41), recv(2, 10, 11, 50), recv(3, 9, atOnce, 12)},
			[]string{"late_sender 2 10-40 by 1@40"}, 0},
		{"a receive whose send is missing", wire.Channel, 0, ops{
			recv(1, 0, 1, 20), recv(2, 5, 6, 100), send(3, 90, atOnce, 95)},
			[]string{"external_wait 1 1-20", "late_sender 2 5-90 by 3@90"}, 1},
		{"a send whose receive is missing", wire.Channel, 0, ops{
			send(1, 0, 1, 20), send(1, 30, 31, 60), recv(2, 50, atOnce, 55)},
			[]string{"external_wait 1 1-20", "late_receiver 1 30-50 by 2@50"}, 1},
		{"a full buffer whose receives are missing", wire.Channel, 1, ops{
			send(1, 0, atOnce, 1), send(1, 10, 11, 20), send(1, 30, 31, 60),
			recv(2, 50, atOnce, 55), recv(2, 70, atOnce, 75)},
			[]string{"external_wait 1 11-20", "full_buffer 1 30-50 by 2@50"}, 1},
		{"room that came too late", wire.Channel, 1, ops{
			send(1, 0, atOnce, 1), send(1, 10, 11, 20), recv(2, 50, atOnce, 55)},
			[]string{"external_wait 1 11-20"}, 1},
		{"select receives", wire.Channel, 0, ops{sel(1, 10, 60, wire.Received), send(2, 50, atOnce, 55)},
			[]string{"late_sender 1 10-50 by 2@50"}, 0},
		{"select sends", wire.Channel, 0, ops{sel(1, 10, 60, wire.Sent), recv(2, 50, atOnce, 55)},
			[]string{"late_receiver 1 10-50 by 2@50"}, 0},
		{"select finds room", wire.Channel, 1, ops{sel(1, 10, 12, wire.Sent), recv(2, 50, atOnce, 55)},
			nil, 0},
		{"select on a timer", wire.Channel, 1, ops{sel(1, 10, 60, wire.Received)},
			[]string{"external_wait 1 10-60"}, 0},
		{"late close", wire.Channel, 1, ops{
			with(recv(1, 10, 11, 60), wire.Closed), with(recv(2, 20, 21, 61), wire.Closed), sel(3, 30, 62, wire.Closed), point(wire.Close, 4, 50)},
			[]string{"late_close 1 10-50 by 4@50", "late_close 2 20-50 by 4@50", "late_close 3 30-50 by 4@50"}, 0},
		{"a receive after the close", wire.Channel, 1, ops{with(recv(1, 60, atOnce, 61), wire.Closed), point(wire.Close, 4, 50)},
			nil, 0},
		{"a close that is missing", wire.Channel, 1, ops{with(recv(1, 10, 11, 60), wire.Closed), point(wire.Close, 4, 70)},
			[]string{"external_wait 1 11-60"}, 0},
		{"elements are received after the close", wire.Channel, 2, ops{
			send(1, 0, atOnce, 1), send(1, 2, atOnce, 3), point(wire.Close, 1, 4), recv(2, 10, atOnce, 11), recv(2, 12, atOnce, 13)},
			nil, 0},
		{"never received", wire.Channel, 0, ops{open(send(1, 10, 11, 100))},
			[]string{"external_wait 1 11-100"}, 0},
		{"never sent", wire.Channel, 0, ops{open(recv(1, 10, 11, 100))},
			[]string{"external_wait 1 11-100"}, 0},
		{"received but never ended", wire.Channel, 0, ops{open(send(1, 10, 11, 100)), recv(2, 90, atOnce, 95)},
			[]string{"late_receiver 1 10-90 by 2@90"}, 0},
		{"a send that panicked takes no part", wire.Channel, 1, ops{
			send(1, 0, atOnce, 1), with(send(1, 10, 11, 50), wire.Panicked), point(wire.Close, 2, 49),
			recv(3, 60, atOnce, 61), with(recv(3, 70, atOnce, 71), wire.Closed)},
			[]string{"external_wait 1 11-50"}, 0},
		{"a receive whose end is lost", wire.Channel, 0, ops{with(recv(1, 10, 11, 100), wire.Failed), send(2, 60, atOnce, 61)},
			[]string{"late_sender 1 10-60 by 2@60"}, 0},
		{"a select that panicked", wire.Channel, 0, ops{sel(1, 10, 50, wire.Panicked), point(wire.Close, 2, 49), recv(3, 60, 61, 70), send(4, 65, atOnce, 66)},
			[]string{"external_wait 1 10-50", "late_sender 3 60-65 by 4@65"}, 0},
		{"a receive whose send is stamped late", wire.Channel, 0, ops{
			recv(1, 0, 1, 60), recv(2, 5, 6, 110), send(3, 50, atOnce, 200), send(4, 100, atOnce, 105)},
			[]string{"late_sender 1 0-50 by 3@50", "late_sender 2 5-100 by 4@100"}, 0},
		{"a send whose receive is stamped late", wire.Channel, 0, ops{
			send(1, 0, 1, 60), send(2, 5, 6, 110), recv(3, 50, atOnce, 200), recv(4, 100, atOnce, 105)},
			[]string{"late_receiver 1 0-50 by 3@50", "late_receiver 2 5-100 by 4@100"}, 0},
	})
}
