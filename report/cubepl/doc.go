// Package cubepl implements CubePL, the language in which Cube reports define how a derived metric is computed from others.
//
// [Parse] makes a [Program] of an expression. [Program.Bind] binds it to a [Context]: to an experiment, which it sees
// through the small interface [Env], and to the global variables that all expressions of the experiment share. The
// [Evaluator] then gives a value for each place to which the Env is moved:
//
//	context := cubepl.NewContext(env, cubepl.NewGlobals())
//	for each <cubeplinit>: program.Bind(context).Run()   // once, in the order of the metrics
//	for each <cubepl>:     e := program.Bind(context)
//	for each cell:         value, err := e.Eval()
//
// An expression is evaluated the same way for both sorts of derived metrics; what differs is where the Env is. For
// a pre-derived metric it is at one call path and one location, and the values are summed up afterwards, or
// combined with [Evaluator.Aggregate] of a <cubeplaggr>. For a post-derived metric it is at whatever is selected,
// and the metrics referred to are sums already, so that ratios are right.
//
// In the specifications of metrics that tools embed in reports, expressions stand as they are, with < and & not
// escaped, up to the closing tag; in anchor.xml they are escaped as XML demands.
//
// # Grammar
//
// White space separates tokens; a comment reaches from // to the end of the line.
//
//	program    = expression .
//	expression = operand { operator operand } .
//	operator   = "and" | "or" | "xor"                                        // loosest
//	           | "==" | "!=" | "<" | "<=" | ">" | ">=" | "eq" | "seq"
//	           | "+" | "-"
//	           | "*" | "/"
//	           | "^" .                                                       // tightest
//	operand    = number | string | "true" | "false" | "arg1" | "arg2"
//	           | "(" expression ")" | "|" expression "|"
//	           | "-" expression | "not" expression
//	           | expression "=~" "/" regexp "/"
//	           | variable | "sizeof" "(" name ")" | "defined" "(" name ")"
//	           | function "(" expression [ "," expression ] ")"
//	           | reference | "cube::metric::get::" metric "(" string ")"
//	           | "{" { statement ";" } [ "return" expression ";" ] "}" .
//	number     = ( digits [ "." [ digits ] ] | "." digits ) [ ( "e" | "E" ) [ "+" | "-" ] digits ] .
//	string     = `"` { character | `\"` | `\t` | `\n` } `"` .
//	variable   = "${" name "}" [ "[" expression "]" ] .
//	name       = letter { letter | digit | ":" | "_" | "-" | "#" } .
//	reference  = "metric::" [ "context::" ] metric "(" [ flavour [ "," flavour ] ] ")"
//	           | "metric::fixed::" metric "(" [ flavour [ "," flavour ] ] ")"
//	           | "metric::call::" metric "(" expression "," flavour [ "," expression "," flavour ] ")" .
//	flavour    = "i" | "e" | "*" .
//	metric     = { letter | digit | "_" | ":" | "=" | "." } .
//	function   = "sqrt" | "sin" | "asin" | "cos" | "acos" | "tan" | "atan" | "exp" | "log" | "abs" | "sgn" | "pos"
//	           | "neg" | "floor" | "ceil" | "min" | "max" | "lowercase" | "uppercase" | "random" | "env" .
//	statement  = variable "=" expression
//	           | "local" "(" name ")" | "global" "(" name ")"
//	           | "if" "(" expression ")" body { "elseif" "(" expression ")" body } [ "else" body ]
//	           | "while" "(" expression ")" body
//	           | "cube::metric::set::" metric "(" string "," string ")"
//	           | "cube::metric::postderived::" metric source
//	           | "cube::metric::prederived::" metric "(" ( "i" | "e" ) ")" source
//	           | ( "cube::init::metric::" | "cube::metric::plus::" | "cube::metric::minus::" ) metric source .
//	body       = "{" { statement ";" } "}" .
//	source     = "<<" program ">>" .
//
// Operators of one line bind alike and group from the left, also ^: 2^3^2 is 64. A sign takes the whole product
// behind it, so -2^2 is -4 and 6/-3*2 is -1. The operand of not reaches up to the next and, or or xor; =~ binds
// like a comparison. The semicolon behind the body of an if or while may be left out.
//
// # Values
//
// Numbers are float64. Conditions are numbers too: 0 is false, everything else true, and comparisons give 0 or 1;
// and and or do not evaluate their right side if the left one decides. A division by zero is 0, as Cube defines
// it, so that ratios of what did not happen are 0. Any other operation whose result is not a number although its
// operands are is an error: sqrt(-1), log(0), asin(2), (-8)^0.5. Results too large are infinite.
//
// eq and =~ compare texts, seq regardless of case; numbers become texts of at most 14 digits. A text that is used
// as a number must be one. Regular expressions are those of [regexp], and match anywhere in the text.
//
// pos(x) is x or 0 if x is negative, neg(x) is x or 0 if x is positive, sgn(x) is -1, 0 or 1, log is the natural
// logarithm, floor and ceil round.
//
// # Variables
//
// All variables are arrays; without an index, element 0 is meant. What was never assigned counts as 0 and reads as
// an empty text. Variables are local to one evaluation, unless a program bound before declares the name with
// global(). Names that the Env knows, those of [Predefined] as a rule, are predefined and cannot be assigned to; an
// element that they do not have is an error. A name that looks predefined but is not is a variable like any other:
// expressions in use ask for ${cube::region::mangled_name} that way. sizeof is one more than the highest index, defined tells whether there is anything of this name.
//
// # Metrics
//
// metric::time(i, e) is the metric time at the place of the calculation, inclusive of call paths below and
// exclusive of the system's parts below; * and what is left out mean as the value that is calculated.
// metric::fixed::time() is the total of the experiment, metric::fixed::time(i) that of the present call path over
// the whole system, metric::call::time(id, i) of another call path, and metric::call::time(id, i, id, i) also of
// another element of the system. An error of a metric is an error of the expression.
//
// Definitions of metrics within an expression do nothing when it is evaluated: [Program.Definitions] returns them
// to who owns the metrics, before expressions that refer to them are bound.
//
// # Limits
//
// An expression that cannot be evaluated is an error that says why and where, never a zero. Programs have at most 65536 parts,
// nested 200 deep. An evaluation that takes too many steps, makes too many array elements, or calls other
// evaluations too deeply or too often ends with an error, whatever the program. All evaluations of one experiment share a budget of
// steps, so that only some of them may take long.
//
// # Differences from Cube
//
// Cube distinguishes conditions from other expressions by grammar, wants not to be followed by parentheses, knows
// no exponents, forbids white space before parentheses and among flavours, and in practice does not recognise xor.
// All that Cube accepts is accepted and means the same, except:
//   - Where Cube prints a message and goes on with 0, there is an error: a metric that is missing, an identifier
//     out of range, sqrt or log of a negative number, a text that is no number. log(0) is an error, too.
//   - Operators for texts work on numbers as well; in Cube they are false.
//   - random and env are errors: a report gives the same values each time and to everyone.
//   - Cube resolves names when it compiles, in the order of the file, so that a declaration holds for what follows;
//     here it holds for what is bound afterwards. sizeof of an own array is exact; Cube's includes spare elements.
//   - Loops end with an error after fewer rounds than Cube's 1e9.
//   - Number literals with several points, of which Cube reads the first part, are refused.
//   - Definitions cannot contain definitions.
package cubepl
