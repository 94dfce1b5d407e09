package normalize

import (
	"strings"

	"orchestrator/internal/fault"
)

// The digits of a number with its country code; E.164 has no more, and shorter ones are not dialled from abroad.
const (
	minDigits = 8
	maxDigits = 15
)

// trunk is what callers within a country dial before a number, and callers from abroad do not.
type trunk struct {
	digits string // "" where nothing is, so that a leading 0 is part of the number
	// digits with the trunk; 0: whenever the digits stand in front. It tells a trunk from a number that begins alike.
	whole int
}

// trunks are those that are certain. A number with a leading 0 and another country code is refused.
var trunks = map[string]trunk{
	"1": {"1", 11}, "7": {"8", 11}, "36": {"06", 0},
	"20": {"0", 0}, "27": {"0", 0}, "31": {"0", 0}, "32": {"0", 0}, "33": {"0", 0}, "40": {"0", 0}, "41": {"0", 0},
	"43": {"0", 0}, "44": {"0", 0}, "46": {"0", 0},
	"49": {"0", 0}, "54": {"0", 0}, "60": {"0", 0}, "61": {"0", 0}, "62": {"0", 0}, "63": {"0", 0}, "64": {"0", 0},
	"66": {"0", 0}, "81": {"0", 0}, "82": {"0", 0},
	"84": {"0", 0}, "86": {"0", 0}, "90": {"0", 0}, "91": {"0", 0}, "92": {"0", 0}, "94": {"0", 0}, "98": {"0", 0},
	"234": {"0", 0}, "254": {"0", 0}, "353": {"0", 0},
	"358": {"0", 0}, "380": {"0", 0}, "385": {"0", 0}, "386": {"0", 0}, "886": {"0", 0}, "966": {"0", 0},
	"971": {"0", 0}, "972": {"0", 0},
	"39": {}, "378": {}, "225": {}, "242": {},
}

// Phone normalizes a telephone number to E.164: + and 8 to 15 digits. A number without + needs a country code, such as
// 49 or +49; a trunk prefix and a (0) are left out.
func Phone(text, countryCode string) (string, error) {
	text = strings.TrimSpace(text)
	digits, abroad := strings.CutPrefix(text, "+")
	if code, rest, has := strings.Cut(digits, "(0)"); abroad && has && len(strings.TrimSpace(code)) <= 3 {
		digits = code + rest
	}
	digits, err := bare(digits)
	if err != nil {
		return "", err
	}
	if !abroad {
		if digits, err = national(digits, countryCode); err != nil {
			return "", err
		}
	}
	if len(digits) < minDigits || len(digits) > maxDigits {
		return "", badPhone("with its country code it has %d digits; numbers have %d to %d", len(digits), minDigits,
			maxDigits)
	}
	if digits[0] == '0' {
		return "", badPhone("no country code begins with 0")
	}
	return "+" + digits, nil
}

// bare takes the separators out.
func bare(text string) (string, error) {
	var digits strings.Builder
	for _, r := range text {
		switch {
		case '0' <= r && r <= '9':
			digits.WriteRune(r)
		case strings.ContainsRune(" -./()\u00a0\u2010\u2011\u202f", r):
		default:
			return "", badPhone("%q is neither a digit nor a separator", r)
		}
		if digits.Len() > 2*maxDigits {
			return "", badPhone("it has more than %d digits", maxDigits)
		}
	}
	return digits.String(), nil
}

// national puts the country code before a number as it is dialled within the country.
func national(digits, countryCode string) (string, error) {
	if countryCode == "" {
		return "", fault.New(fault.Invalid, "phone_country_missing",
			"the number has no country code, and none is given").
			WithFix("write it as +49 30 123456, or give country_code, such as 49")
	}
	code := strings.TrimPrefix(countryCode, "+")
	if len(code) < 1 || len(code) > 3 || strings.Trim(code, "0123456789") != "" || code[0] == '0' {
		return "", fault.New(fault.Invalid, "phone_country_invalid", "%q is not a country calling code",
			fault.Clip(countryCode, 20)).
			WithFix("give one to three digits, such as 49 or +49")
	}
	if strings.HasPrefix(digits, "00") {
		return "", badPhone("what is dialled before a country code differs between countries")
	}
	t, known := trunks[code]
	switch {
	case known && t.digits != "" && strings.HasPrefix(digits, t.digits) && (t.whole == 0 || t.whole == len(digits)):
		digits = strings.TrimPrefix(digits, t.digits)
	case !known && strings.HasPrefix(digits, "0"):
		return "", badPhone("whether the leading 0 is dialled from abroad is not known for +%s", code)
	}
	return code + digits, nil
}

func badPhone(format string, args ...any) *fault.Error {
	return fault.New(fault.Invalid, "phone_invalid", "this is not a telephone number: "+format, args...).
		WithFix("write it with + and the country code, such as +49 30 123456")
}
