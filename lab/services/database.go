package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"time"
)

// openDatabase opens a database that answers "account" soon and "report" late.
func openDatabase() *sql.DB { return sql.OpenDB(database{}) }

var db *sql.DB

// query reads all rows of a query. It waits for the connection until the driver is asked.
func query(ctx context.Context, q string) {
	rows, err := db.QueryContext(context.WithValue(ctx, asked{}, time.Now()), q)
	if err != nil {
		return
	}
	defer rows.Close()
	for rows.Next() {
		var x int
		rows.Scan(&x)
	}
}

// asked is the key of when a query was begun.
type asked struct{}

type database struct{}

func (database) Connect(context.Context) (driver.Conn, error) { return connection{}, nil }
func (database) Driver() driver.Driver                        { return nil }

type connection struct{}

var errUnsupported = errors.New("not supported")

func (connection) Prepare(q string) (driver.Stmt, error) { return statement{q}, nil }
func (connection) Close() error                          { return nil }
func (connection) Begin() (driver.Tx, error)             { return nil, errUnsupported }

type statement struct{ q string }

func (statement) Close() error                                { return nil }
func (statement) NumInput() int                               { return 0 }
func (statement) Exec([]driver.Value) (driver.Result, error)  { return nil, errUnsupported }
func (s statement) Query([]driver.Value) (driver.Rows, error) { return nil, errUnsupported }
func (s statement) QueryContext(ctx context.Context, _ []driver.NamedValue) (driver.Rows, error) {
	truth.waited(ctx.Value(asked{}).(time.Time))
	if s.q == "report" {
		defer truth.held(time.Now(), "handleReport")
		time.Sleep(15 * time.Millisecond)
	} else {
		time.Sleep(700 * time.Microsecond)
	}
	return &rows{}, nil
}

type rows struct{ n int }

func (*rows) Columns() []string { return []string{"a"} }
func (*rows) Close() error      { return nil }
func (r *rows) Next(to []driver.Value) error {
	if r.n++; r.n > 3 {
		return io.EOF
	}
	to[0] = int64(1)
	return nil
}
