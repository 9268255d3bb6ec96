package cubepl

import (
	"errors"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// flat is an Env of fixed answers. Metrics tell the place they were asked for.
type flat struct {
	metrics map[string]func(Place) (float64, error)
	arrays  map[string]list
	set     []string
}

type list []Value

func (l list) Len() int       { return len(l) }
func (l list) At(i int) Value { return l[i] }

type metricFunc func(Place) (float64, error)

func (m metricFunc) At(at Place) (float64, error) { return m(at) }

func (e *flat) Metric(name string) (Metric, error) {
	if m := e.metrics[name]; m != nil {
		return metricFunc(m), nil
	}
	return nil, errors.New("not in this report")
}

func (e *flat) Array(name string) Array {
	if a := e.arrays[name]; a != nil {
		return a
	}
	return nil
}

func (e *flat) Property(metric, name string) (string, error) {
	if metric != "time" {
		return "", errors.New("not in this report")
	}
	return name + " of " + metric, nil
}

func (e *flat) SetProperty(metric, name, value string) error {
	if metric != "time" {
		return errors.New("not in this report")
	}
	e.set = append(e.set, metric+" "+name+" "+value)
	return nil
}

// newFlat returns an Env of two regions and three call paths, whose calculation is at call path 1.
func newFlat() *flat {
	return &flat{
		metrics: map[string]func(Place) (float64, error){
			"time":   func(Place) (float64, error) { return 12, nil },
			"visits": func(Place) (float64, error) { return 4, nil },
			"broken": func(Place) (float64, error) { return 0, errors.New("row 3 is damaged") },
			// The digits of place say what was asked: call path, its flavour, system, its flavour.
			"place": func(at Place) (float64, error) {
				return float64((at.CallPath+3)*1000 + int(at.CallFlavour)*100 + (at.System+3)*10 + int(at.SystemFlavour)), nil
			},
		},
		arrays: map[string]list{
			"cube::#callpaths":          {Number(3)},
			"cube::region::name":        {Text("main"), Text("MPI_Send")},
			"cube::callpath::calleeid":  {Number(0), Number(1), Number(1)},
			"calculation::callpath::id": {Number(1)},
		},
	}
}

func eval(t *testing.T, source string) (float64, error) {
	t.Helper()
	p, err := Parse(source)
	require.NoError(t, err, source)
	again, err := Parse(p.String())
	require.NoError(t, err, "normal form of %s", source)
	require.Equal(t, p.String(), again.String(), source)
	env := newFlat()
	x, err := p.Bind(NewContext(env, NewGlobals())).Eval()
	y, err2 := again.Bind(NewContext(env, NewGlobals())).Eval()
	require.Equal(t, err == nil, err2 == nil, source)
	require.Equal(t, math.Float64bits(x), math.Float64bits(y), "normal form of %s", source)
	return x, err
}

func TestValues(t *testing.T) {
	for source, want := range map[string]float64{
		// numbers and arithmetic
		"12":                   12,
		" .5 ":                 0.5,
		"3.":                   3,
		"1e3 + 2.5E-1":         1000.25,
		"123.4 + 234 -( 23)^2": -171.6,
		"7 - 2 - 1":            4,
		"7 - 2 + 1":            6,
		"2 + 3 * 4":            14,
		"24 / 4 / 2":           3,
		"24 / 4 * 2":           12,
		"2 * 3 ^ 2":            18,
		"2 ^ 3 ^ 2":            64, // from the left
		"-2 ^ 2":               -4,
		"-2 + 5":               3,
		"6 / -3 * 2":           -1, // the sign takes the product
		"2 ^ -1 * 2":           0.25,
		"- -3":                 3,
		"5 / 0":                0,
		"0 / 0":                0,
		"|2 - 5|":              3,
		"|1 - |2 - 5||":        2,
		"1 // one\n + 2":       3,
		// functions
		"sqrt(9)":             3,
		"sqrt (4)":            2,
		"sin(0)":              0,
		"cos(0)":              1,
		"tan(0)":              0,
		"asin(1)":             math.Pi / 2,
		"acos(1)":             0,
		"atan(1)":             math.Pi / 4,
		"exp(0)":              1,
		"log(1)":              0,
		"abs(-3)":             3,
		"sgn(-3)":             -1,
		"sgn(0)":              0,
		"sgn(4)":              1,
		"pos(-3)":             0,
		"pos(3)":              3,
		"neg(-3)":             -3,
		"neg(3)":              0,
		"floor(-1.5)":         -2,
		"ceil(1.2)":           2,
		"min(2, 1)":           1,
		"max(2, 1) + 1":       3,
		"max(0, min(3, 4)*2)": 6,
		// conditions
		"1 == 1":                    1,
		"1 != 1":                    0,
		"1 < 2":                     1,
		"2 <= 1":                    0,
		"2 > 1":                     1,
		"1 >= 2":                    0,
		"1 + 1 == 2 and 3 > 2":      1,
		"true or false and false":   0, // from the left
		"true or (false and false)": 1,
		"true xor true":             0,
		"2 xor 0":                   1,
		"not (1 == 2)":              1,
		"not 1 == 2":                1,
		"not (1 == 2) and 1 == 2":   0,
		"0 and metric::broken()":    0, // not evaluated
		"1 or metric::broken()":     1,
		// texts
		`"ab" eq "ab"`:                                      1,
		`"ab" eq "AB"`:                                      0,
		`"ab" seq "AB"`:                                     1,
		`"1.5" + 1`:                                         2.5,
		`1.5 eq "1.5"`:                                      1,
		`100000000 eq "100000000"`:                          1,
		`"MPI_Send" =~ /^MPI_(I)?send$/`:                    0,
		`"MPI_Send" =~ /^MPI_(Is|S)end$/`:                   1,
		`"a/b" =~ /^a\/b$/`:                                 1,
		`"say \"so\"" =~ /"so"$/`:                           1,
		`lowercase("MPI") eq "mpi"`:                         1,
		`uppercase("mpi") eq "MPI"`:                         1,
		`"x" eq "y" or "x" =~ /x/`:                          1,
		`cube::metric::get::time("unit") eq "unit of time"`: 1,
		// variables
		"{ ${a} = 123; return ${a}; }":                                       123,
		"{ return 24; }":                                                     24,
		"abs({ return -1; })":                                                1,
		"{ ${a}[2] = 5; return ${a}[2] + ${a}[1] + ${a}[7]; }":               5,
		"{ ${a}[1] = 2; ${b} = 1; return ${a}[${b}]; }":                      2,
		"{ ${ a } = 7; return ${a}[0]; }":                                    7,
		"{ ${a}[4] = 1; return sizeof(a); }":                                 5,
		"sizeof(cube::callpath::calleeid)":                                   3,
		"{ ${a} = 1; return defined(a); }":                                   1,
		"defined(nobody) + defined(cube::region::name)":                      1,
		`{ ${a} = "x"; return ${a} eq "x"; }`:                                1,
		`${nobody} eq ""`:                                                    1,
		`${cube::region::mangled_name}[3] eq ""`:                             1, // not predefined
		"${nobody}":                                                          0,
		"{ ${a}[2000000000] = 3; return ${a}[2000000000]; }":                 3,
		"{ local(a); global(b); ${b}[1] = 2; ${a} = ${b}[1]; return ${a}; }": 2,
		`${cube::region::name}[${cube::callpath::calleeid}[${calculation::callpath::id}]] eq "MPI_Send"`: 1,
		// statements
		"{ if (1 == 2) { ${a} = 1; } elseif (2 == 2) { ${a} = 2; } else { ${a} = 3; }; return ${a}; }": 2,
		"{ if (1 == 2) { ${a} = 1; } elseif (2 == 3) { ${a} = 2; } else { ${a} = 3; }; return ${a}; }": 3,
		"{ if (1 == 1) { ${a} = 1; ${b} = 4; } else { ${a} = 3; }; return ${a} + ${b}; }":              5,
		"{ if (1 == 2) { ${a} = 1; }; return ${a}; }":                                                  0,
		"{ while (${i} < 4) { ${i} = ${i} + 1; ${s} = ${s} + ${i}; }; return ${s}; }":                  10,
		"{ cube::metric::set::time(\"value\", \"VOID\"); return 1; }":                                  1,
		"{ cube::metric::prederived::n(e) << { return metric::visits(); } >>; return 2; }":             2,
		// metrics
		"metric::time() / metric::visits()": 3,
		"metric::place()":                   2020,
		"metric::place(i)":                  2120,
		"metric::context::place(e, i)":      2221,
		"metric::place( * , e )":            2022,
		"metric::fixed::place()":            1111,
		"metric::fixed::place(e)":           2211,
		"metric::fixed::place(i, e)":        2122,
		"metric::call::place(1 + 1, i)":     5111,
		"metric::call::place(4, e, 2, e)":   7252,
	} {
		got, err := eval(t, source)
		require.NoError(t, err, source)
		require.InDelta(t, want, got, 1e-12, source)
	}
}

// asNumber is how a condition is written where Cube wants a number.
func asNumber(condition string) string {
	return "{ if (" + condition + ") { ${truth} = 1; } else { ${truth} = 0; }; return ${truth}; }"
}

func TestNormalForm(t *testing.T) {
	for source, want := range map[string]string{
		"(1+2)*3":                    "(1 + 2) * 3",
		"(1*2)+3":                    "1 * 2 + 3",
		"1-(2-3)":                    "1 - (2 - 3)",
		"(1-2)-3":                    "1 - 2 - 3",
		"2^(3^2)":                    "2 ^ (3 ^ 2)",
		"-(2)^2":                     "-2 ^ 2",
		"(-2)^2":                     "(-2) ^ 2",
		"-(2+3)":                     "-(2 + 3)",
		"6 / -3 * 2":                 "6 / (-3 * 2)",
		"true and(1==2 or not 1==2)": asNumber("1 != 0 and (1 == 2 or not (1 == 2))"),
		"||1|-2|":                    "abs(abs(1) - 2)",
		"(arg1>0)*(not arg2)/1e-3":   asNumber("arg1 > 0") + " * " + asNumber("not (arg2 != 0)") + " / 0.001",
		"arg1 xor 2":                 asNumber("(arg1 != 0 and not (2 != 0)) or (2 != 0 and not (arg1 != 0))"),
		"(1<2)<3":                    asNumber(asNumber("1 < 2") + " < 3"),
		"${truth} eq \"a\"":          strings.ReplaceAll(strings.ReplaceAll(asNumber("${+} eq \"a\""), "{truth}", "{truth_}"), "+", "truth"),
		"{while(${a}){${a}=0;};}":    "{ while (${a} != 0) { ${a} = 0; }; }",
		"{${ a }[1]=\"q\\\"\";if(${a}=~/x\\/y/){${b}=1;}else{};return-${b};}": `{ ${a}[1] = "q\""; if (${a} =~ /x\/y/) { ${b} = 1; } else { }; return -${b}; }`,
		"metric::call::m( 1+1,i , 2,* )":                                      "metric::call::m(1 + 1,i,2,*)",
		"metric::context::m ( e )//":                                          "metric::m(e)",
		strings.Repeat("1+", 300) + "1":                                       strings.Repeat("1 + ", 300) + "1",
	} {
		p, err := Parse(source)
		require.NoError(t, err, source)
		require.Equal(t, want, p.String(), source)
	}
}

func TestEvaluationErrors(t *testing.T) {
	for source, want := range map[string]string{
		"1 + metric::nobody(i)":                  `offset 4: metric nobody: not in this report`,
		"metric::broken()":                       `offset 0: metric broken: row 3 is damaged`,
		"1 + sqrt(-4)":                           `offset 4: sqrt(-4) is not a number`,
		"log(0)":                                 `offset 0: log(0) is not a number`,
		"log(-1)":                                `offset 0: log(-1) is not a number`,
		"asin(2)":                                `offset 0: asin(2) is not a number`,
		"(-8) ^ 0.5":                             `offset 5: -8 ^ 0.5 is not a number`,
		`2 * "MPI"`:                              `offset 2: the text "MPI" is not a number`,
		`${cube::region::name}[1]`:               `offset 0: the text "MPI_Send" is not a number`,
		"${cube::callpath::calleeid}[3]":         `offset 0: ${cube::callpath::calleeid} has 3 elements, none at 3`,
		"${a}[0 - 1]":                            `offset 0: index -1`,
		"${a}[1e300]":                            `offset 0: index 1e+300`,
		"{ ${cube::#callpaths} = 1; return 1; }": `offset 2: a predefined variable cannot be assigned to`,
		"arg1":                                   `offset 0: arg1 and arg2 have values in an aggregation only`,
		"random(2)":                              `offset 0: random() would give another value each time`,
		`env("HOME") eq ""`:                      `offset 0: env() would read the environment of whoever looks at the report`,
		"1 + { ${a} = 1; }":                      `offset 4: function without return has no value`,
		"{ while (true) { ${i} = 1; }; return 1; }":                                     `offset 2: evaluation takes too long`,
		`{ while (true) { ${i} = ${i} + 1; if (${i} =~ /^(1|11|111){0,30}x/) { }; }; }`: `offset 43: evaluation takes too long`,
		"{ while (true) { ${i} = ${i} + 1; ${a}[${i} * 5000] = 1; }; return 1; }":       `offset 34: variables of more than 1048576 elements`,
		`cube::metric::get::visits("unit") eq ""`:                                       `offset 0: metric visits: not in this report`,
		`{ cube::metric::set::visits("a", "b"); return 1; }`:                            `offset 2: metric visits: not in this report`,
	} {
		_, err := eval(t, source)
		require.EqualError(t, err, want, source)
		require.ErrorAs(t, err, new(*Error))
	}
}

func TestParseErrors(t *testing.T) {
	for source, want := range map[string]string{
		"":                      `offset 0: the end where an expression is expected`,
		"1 +":                   `offset 3: the end where an expression is expected`,
		"1 2":                   `offset 2: "2" where the end is expected`,
		"(1":                    `offset 2: the end where ")" is expected`,
		"1.2.3":                 `offset 0: "1.2.3" is not a number`,
		"1e999":                 `offset 0: "1e999" is not a number`,
		"metric::time":          `offset 12: the end where "(" is expected`,
		"metric::time(x)":       `offset 13: "x" where i, e or * is expected`,
		"metric::time(i, i, i)": `offset 17: "," where ")" is expected`,
		"metric::fixed::(i)":    `offset 0: name of a metric expected behind metric::fixed::`,
		"metric::call::time(i)": `offset 19: "i" where an expression is expected`,
		"nosuch(1)":             `offset 0: "nosuch" where an expression is expected`,
		"min(1)":                `offset 5: ")" where "," is expected`,
		"${a":                   `offset 3: '}' expected after the name of a variable`,
		"${1}":                  `offset 2: name of a variable expected`,
		"$a":                    `offset 1: '{' expected before the name of a variable`,
		"sizeof 1":              `offset 7: '(' expected before the name of a variable`,
		`"abc`:                  `offset 0: quotation mark without its partner`,
		`"a" =~ b`:              `offset 7: / expected after =~`,
		`"a" =~ /b`:             `offset 4: regular expression without its closing /`,
		`"a" =~ /(/`:            "offset 4: error parsing regexp: missing closing ): `(`",
		`"a" =~ /(?=b)/`:        "offset 4: error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
		`"a" =~ /((abcdefghij|klmnopqrst){10}){90}/`: `offset 4: regular expression that stands for more than 16384 characters`,
		"1 @ 2":                                 `offset 2: character "@" means nothing here`,
		"{ ${a} = 1 return 1; }":                `offset 11: "return" where ";" is expected`,
		"{ return 1 }":                          `offset 11: "}" where ";" is expected`,
		"{ ${a} == 1; return 1; }":              `offset 7: "==" where "=" is expected`,
		"{ 1; }":                                `offset 2: "1" where a statement is expected`,
		"{ if (1) { return 1; }; }":             `offset 11: "return" where "}" is expected`,
		"{ cube::metric::postderived::x 1; }":   `offset 31: "1" where << is expected`,
		"{ cube::metric::postderived::x << 1 }": `offset 31: << without >>`,
		"{ cube::metric::postderived::x << 1 + >>; return 1;}": `offset 38: the end where an expression is expected`,
		"{ cube::metric::set::x(1, 2); }":                      `offset 23: "1" where a text in quotation marks is expected`,
		strings.Repeat("(", 1000):                              `offset 200: expression nested deeper than 200 levels`,
		strings.Repeat("{if(1)", 1000):                         `offset 1192: expression nested deeper than 200 levels`,
		strings.Repeat("1+", 40000) + "1":                      `offset 65535: expression of more than 65536 parts`,
		strings.Repeat(" ", 1<<20) + "1":                       `offset 1048576: expression longer than 1048576 bytes`,
	} {
		p, err := Parse(source)
		if len(source) > 60 {
			source = source[:60]
		}
		require.Nil(t, p, source)
		require.EqualError(t, err, want, source)
	}
}

func TestDefinitions(t *testing.T) {
	p, err := Parse(`{
		cube::metric::prederived::nvisitors(e) << { if (metric::visits() > 0) { ${n} = 1; }; return ${n}; } >>;
		cube::metric::prederived::all(i) << 1 >>;
		cube::metric::postderived::mean << metric::time() / metric::visits() >>;
		cube::init::metric::nvisitors << { global(nvisitors); } >>;
		cube::metric::plus::nvisitors << max(arg1, arg2) >>;
		cube::metric::minus::nvisitors << arg1 - arg2 >>;
		return metric::fixed::nvisitors(e) + metric::all();
	}`)
	require.NoError(t, err)
	var got []string
	for _, d := range p.Definitions() {
		got = append(got, d.Metric+" "+d.Program.String())
	}
	require.Equal(t, []string{
		"nvisitors { if (metric::visits() > 0) { ${n} = 1; }; return ${n}; }", "all 1", "mean metric::time() / metric::visits()",
		"nvisitors { global(nvisitors); }", "nvisitors max(arg1, arg2)", "nvisitors arg1 - arg2"}, got)
	kinds := []DefinitionKind{PreDerivedExclusive, PreDerivedInclusive, PostDerived, Initialisation, AggregationPlus, AggregationMinus}
	for i, d := range p.Definitions() {
		require.Equal(t, kinds[i], d.Kind, "%d", i)
	}
	require.Equal(t, []string{"all", "nvisitors"}, p.Metrics())

	plus := p.Definitions()[4].Program.Bind(NewContext(newFlat(), NewGlobals()))
	x, err := plus.Aggregate(3, 5)
	require.NoError(t, err)
	require.Equal(t, 5.0, x)
	x, err = p.Definitions()[5].Program.Bind(NewContext(newFlat(), NewGlobals())).Aggregate(3, 5)
	require.NoError(t, err)
	require.Equal(t, -2.0, x)
}

// Global variables are shared by programs, local ones begin empty in each evaluation.
func TestGlobals(t *testing.T) {
	env, g := newFlat(), NewGlobals()
	initial, err := Parse(`{ global(mask); ${i} = 0; while (${i} < ${cube::#callpaths}) {
		if (${cube::region::name}[${cube::callpath::calleeid}[${i}]] =~ /^MPI_/) { ${mask}[${i}] = 1; };
		${i} = ${i} + 1; };
		if (${mask}[0] == 0) { cube::metric::set::time("value", "VOID"); }; }`)
	require.NoError(t, err)
	require.NoError(t, initial.Bind(NewContext(env, g)).Run())
	require.Equal(t, []string{"time value VOID"}, env.set)
	require.Equal(t, []Value{Number(0), Number(1), Number(1), {}, {}},
		[]Value{g.Get("mask", 0), g.Get("mask", 1), g.Get("mask", 2), g.Get("mask", 3), g.Get("i", 0)})

	p, err := Parse("{ ${n} = ${n} + ${mask}[${calculation::callpath::id}] * metric::time(e); return ${n}; }")
	require.NoError(t, err)
	e := p.Bind(NewContext(env, g))
	for range 3 {
		x, err := e.Eval()
		require.NoError(t, err)
		require.Equal(t, 12.0, x)
	}
	env.arrays["calculation::callpath::id"][0] = Number(0)
	x, err := e.Eval()
	require.NoError(t, err)
	require.Zero(t, x)
}

// A metric may refer to itself, for example at the parent, but not without end.
func TestRecursion(t *testing.T) {
	env := newFlat()
	p, err := Parse("{ ${n} = 1; return ${n} + metric::self(); }")
	require.NoError(t, err)
	var e *Evaluator
	left := 10
	env.metrics["self"] = func(Place) (float64, error) {
		if left--; left == 0 {
			return 0, nil
		}
		return e.Eval()
	}
	e = p.Bind(NewContext(env, NewGlobals()))
	x, err := e.Eval()
	require.NoError(t, err)
	require.Equal(t, 10.0, x)
	left = -1
	_, err = e.Eval()
	require.ErrorContains(t, err, "metrics refer to each other, more than 100 levels deep")
}

// Metrics that refer to each other twice each take time without end, were there no limit over all of them.
func TestManyEvaluations(t *testing.T) {
	env := newFlat()
	context := NewContext(env, NewGlobals())
	twice, err := Parse("metric::next() + metric::next()")
	require.NoError(t, err)
	var evaluators []*Evaluator
	level := 0
	env.metrics["next"] = func(Place) (float64, error) {
		if level == len(evaluators)-1 {
			return 1, nil
		}
		level++
		defer func() { level-- }()
		return evaluators[level].Eval()
	}
	for range 10 {
		evaluators = append(evaluators, twice.Bind(context))
	}
	x, err := evaluators[0].Eval()
	require.NoError(t, err)
	require.Equal(t, 1024.0, x)
	require.Equal(t, totalSteps-int64(1023*twice.parts), context.steps)

	context.depth, context.steps = 1, 1000 // as within an evaluation that has done much already
	_, err = evaluators[0].Eval()
	require.ErrorContains(t, err, "metrics that refer to each other take too long")
}

// All predefined names can be written in an expression, and an Env that has none of them makes them variables.
func TestPredefined(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range Predefined {
		require.False(t, seen[name], name)
		seen[name] = true
		p, err := Parse("sizeof(" + name + ") + ${" + name + "}")
		require.NoError(t, err)
		require.Equal(t, []string{name}, p.variables)
	}
	spec, err := os.ReadFile("testdata/remapping.spec")
	require.NoError(t, err)
	list, _ := expressions(string(spec))
	for _, x := range list {
		p, err := Parse(x.text)
		require.NoError(t, err)
		for _, name := range p.variables {
			require.Equal(t, strings.Contains(name, "::"), seen[name], name)
		}
	}
}

// Evaluators of one program and one set of global variables work side by side if they only read these.
func TestConcurrentEvaluation(t *testing.T) {
	g := NewGlobals()
	first, err := Parse(`{ global(mask); ${mask}[1] = 2; }`)
	require.NoError(t, err)
	require.NoError(t, first.Bind(NewContext(newFlat(), g)).Run())
	p, err := Parse(`{ ${a} = ${mask}[1]; if ("abc" =~ /b/) { ${a} = ${a} * metric::time(); }; return ${a}; }`)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 4 {
		e := p.Bind(NewContext(newFlat(), g))
		wg.Go(func() {
			for range 100 {
				if x, err := e.Eval(); err != nil || x != 24 {
					t.Errorf("%g, %v", x, err)
				}
			}
		})
	}
	wg.Wait()
}

// Evaluations that take long may do so some times, not for every cell of a report; what takes little goes on.
func TestEvaluationsTogether(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes until all evaluations together take too long")
	}
	endless, err := Parse("{ ${i} = 0; while (${i} < 3000000) { ${i} = ${i} + 1; }; return ${i}; }")
	require.NoError(t, err)
	modest, err := Parse("1 + 1")
	require.NoError(t, err)
	g := NewGlobals()
	failed := 0
	for range 200 {
		if _, err := endless.Bind(NewContext(&flat{}, g)).Eval(); err != nil {
			require.ErrorContains(t, err, "takes too long")
			failed++
		}
	}
	require.Greater(t, failed, 100)
	require.Less(t, failed, 200)
	x, err := modest.Bind(NewContext(&flat{}, g)).Eval()
	require.NoError(t, err)
	require.Equal(t, 2.0, x)
}
