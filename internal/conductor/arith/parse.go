package arith

import "strings"

// node is an expression: a literal, a negated operand, or an operator between two operands.
type node struct {
	op          string // "" for a number; "neg"; + - * / % **
	number      literal
	left, right *node // a sign has left alone
}

// literal is a decimal literal: its digits, fraction and exponent as written. The exponent may have a sign, or be
// empty.
type literal struct{ whole, fraction, exponent string }

// parser reads an expression from left to right.
type parser struct {
	expr  string
	at    int // in bytes
	depth int // open brackets
}

func parse(expr string) (*node, error) {
	p := &parser{expr: expr}
	tree, err := p.sum()
	if err != nil {
		return nil, err
	}
	if p.at < len(expr) {
		return nil, unexpected(expr, p.at, "an operator or the end")
	}
	return tree, nil
}

// sum = product {("+" | "-") product}
func (p *parser) sum() (*node, error) {
	return p.chain(p.product, "+", "-")
}

// product = signed {("*" | "/" | "%") signed}
func (p *parser) product() (*node, error) {
	return p.chain(p.signed, "*", "/", "%")
}

// chain reads operands with operators of equal precedence between them; they bind to the left.
func (p *parser) chain(operand func() (*node, error), ops ...string) (*node, error) {
	left, err := operand()
	for err == nil {
		op := p.take(ops...)
		if op == "" {
			return left, nil
		}
		var right *node
		right, err = operand()
		left = &node{op: op, left: left, right: right}
	}
	return nil, err
}

// signed = {"-" | "+"} power
func (p *parser) signed() (*node, error) {
	negative := false
	for {
		sign := p.take("-", "+")
		if sign == "" {
			break
		}
		negative = negative != (sign == "-")
	}
	value, err := p.power()
	if err != nil || !negative {
		return value, err
	}
	return &node{op: "neg", left: value}, nil
}

// power = atom ["**" signed]
func (p *parser) power() (*node, error) {
	base, err := p.atom()
	if err != nil || p.take("**") == "" {
		return base, err
	}
	exponent, err := p.signed()
	if err != nil {
		return nil, err
	}
	return &node{op: "**", left: base, right: exponent}, nil
}

// atom = number | "(" sum ")"
func (p *parser) atom() (*node, error) {
	if p.take("(") == "" {
		return p.number()
	}
	if p.depth++; p.depth > MaxDepth {
		return nil, tooDeep()
	}
	inner, err := p.sum()
	if err != nil {
		return nil, err
	}
	if p.take(")") == "" {
		return nil, unexpected(p.expr, p.at, "an operator or )")
	}
	p.depth--
	return inner, nil
}

// number = (digits ["." [digits]] | "." digits) [("e" | "E") ["+" | "-"] digits]
func (p *parser) number() (*node, error) {
	start := p.at
	whole := p.digits()
	fraction := ""
	if p.at < len(p.expr) && p.expr[p.at] == '.' {
		p.at++
		fraction = p.digits()
	}
	if whole+fraction == "" {
		return nil, unexpected(p.expr, start, "a number or (")
	}
	exponent := ""
	if p.at < len(p.expr) && (p.expr[p.at] == 'e' || p.expr[p.at] == 'E') {
		p.at++
		sign := ""
		if p.at < len(p.expr) && (p.expr[p.at] == '+' || p.expr[p.at] == '-') {
			sign = p.expr[p.at : p.at+1]
			p.at++
		}
		digits := p.digits()
		if digits == "" {
			return nil, unexpected(p.expr, p.at, "the digits of the exponent")
		}
		exponent = sign + digits
	}
	p.space()
	return &node{number: literal{whole, fraction, exponent}}, nil
}

func (p *parser) digits() string {
	start := p.at
	for p.at < len(p.expr) && '0' <= p.expr[p.at] && p.expr[p.at] <= '9' {
		p.at++
	}
	return p.expr[start:p.at]
}

// take reads one of the operators and the space around it, and returns "" if none follows. A * that begins ** is not *.
func (p *parser) take(ops ...string) string {
	p.space()
	rest := p.expr[p.at:]
	for _, op := range ops {
		if !strings.HasPrefix(rest, op) || op == "*" && strings.HasPrefix(rest, "**") {
			continue
		}
		p.at += len(op)
		p.space()
		return op
	}
	return ""
}

func (p *parser) space() {
	for p.at < len(p.expr) && strings.IndexByte(" \t\r\n", p.expr[p.at]) >= 0 {
		p.at++
	}
}
