package report

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric/spec"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// Ratio is a quotient of counters: instructions per cycle, a share of misses. It may only be evaluated on sums, so it has no severities
// and is never added to anything.
type Ratio struct {
	Name        string    `json:"name"`
	Unit        string    `json:"unit,omitempty"` // in words
	Description string    `json:"description,omitempty"`
	Hierarchy   string    `json:"hierarchy"` // specification that it is from
	Formula     string    `json:"formula"`   // as in a specification, see spec.ParseExpr
	Low         float64   `json:"low"`       // the scale for its display; equal: none
	High        float64   `json:"high"`
	Least       float64   `json:"least"` // a denominator must be at least this, else there is no value
	Operands    []Operand `json:"operands"`
}

// Operand is a name in the formula of a ratio.
type Operand struct {
	Name   string `json:"name"`
	Metric int    `json:"metric"` // index in Metrics
	// All says that what could not be attributed exactly counts, too, as for counters of the whole process, of which nothing can be.
	All bool `json:"all,omitempty"`
}

// RatioText writes the value of a ratio: a share as 12.4 %, others with three digits.
func RatioText(v float64, unit string) string {
	if share := strings.HasPrefix(unit, "share"); share || unit == "%" {
		if share {
			v *= 100
		}
		return readable.Percent(v)
	}
	switch a := math.Abs(v); {
	case a >= 1e15:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case a != 0 && a < 0.01:
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return digits(v)
}

// EstimateText writes the value of a ratio as what it lies in: 12.4–15.1 %, or one value if both ends are written the same.
func EstimateText(v Estimate, unit string) string {
	low, high := RatioText(v.Low, unit), RatioText(v.High, unit)
	if low == high {
		return low
	}
	return readable.Between(strings.TrimSuffix(low, " %"), high)
}

// ratioMetric makes the metric of a cube that evaluates a ratio after aggregation. A name that CubePL cannot say makes the ratio useless to
// other tools, see cubeName.
func ratioMetric(r *Ratio, operand spec.Operands) (*cube.Metric, error) {
	expression, err := spec.ParseExpr(r.Formula)
	if err != nil {
		return nil, fmt.Errorf("ratio %s: %w", r.Name, err)
	}
	m := &cube.Metric{Name: r.Name, Title: r.Name, DType: "DOUBLE", Unit: r.Unit, Kind: cube.PostDerived, Doc: r.Description}
	add := func(key, value string) { m.Attrs = append(m.Attrs, cube.Attr{Key: key, Value: value}) }
	add(query.RatioAttr, "true")
	add(query.HierarchyAttr, r.Hierarchy)
	add(query.FormulaAttr, r.Formula)
	add(query.LeastAttr, strconv.FormatFloat(r.Least, 'f', -1, 64))
	if r.Low != r.High {
		add(query.LowAttr, strconv.FormatFloat(r.Low, 'f', -1, 64))
		add(query.HighAttr, strconv.FormatFloat(r.High, 'f', -1, 64))
	}
	operands := map[string][3]string{}
	for _, name := range expression.Names() {
		operands[name] = operand(name)
	}
	text, _ := json.Marshal(operands) // strings always can be
	add(query.OperandsAttr, string(text))
	if guard := expression.Guard(r.Least, operand); guard != "" {
		add(query.DefinedAttr, guard)
	}
	m.Expressions = []cube.Expression{{Element: "cubepl", Text: expression.CubePL(r.Least, operand)}}
	return m, nil
}

// cubeName makes a name that CubePL can say of any other: letters, digits and _.
func cubeName(name string) string {
	made := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, name)
	if made == "" || made[0] >= '0' && made[0] <= '9' || made[0] == '_' {
		made = "m" + made
	}
	return made
}
