package asset

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// rgb is a colour in linear sRGB, each part from 0 to 1.
type rgb [3]float64

// colourOf reads #rrggbb.
func colourOf(t *testing.T, hex string) rgb {
	t.Helper()
	require.Regexp(t, "^#[0-9a-f]{6}$", hex)
	n, err := strconv.ParseUint(hex[1:], 16, 32)
	require.NoError(t, err)
	return rgb{linear(n >> 16), linear(n >> 8), linear(n)}
}

// linear takes the gamma of sRGB (IEC 61966-2-1) from the low byte of n.
func linear(n uint64) float64 {
	c := float64(n&0xff) / 255
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

type matrix [3][3]float64

func (m matrix) times(c rgb) rgb {
	var out rgb
	for i, row := range m {
		out[i] = row[0]*c[0] + row[1]*c[1] + row[2]*c[2]
	}
	return out
}

// asSeen simulates kinds of colour vision, dichromacy at full strength: Machado, Oliveira and Fernandes, "A
// Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, table 1.
var asSeen = map[string]matrix{
	"normal":       {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// luminance of WCAG 2.
func (c rgb) luminance() float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }

// contrast of WCAG 2, from 1 to 21.
func contrast(a, b rgb) float64 {
	x, y := a.luminance(), b.luminance()
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

// lab is a colour in CIELAB, under D65.
type lab struct{ l, a, b float64 }

var toXYZ = matrix{
	{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041},
}

// lab takes what a simulation puts out of range for the nearest colour that a screen shows.
func (c rgb) lab() lab {
	for i := range c {
		c[i] = math.Min(1, math.Max(0, c[i]))
	}
	xyz := toXYZ.times(c)
	for i, white := range []float64{0.95047, 1, 1.08883} {
		v := xyz[i] / white
		if v > 216.0/24389 {
			xyz[i] = math.Cbrt(v)
		} else {
			xyz[i] = (24389.0/27*v + 16) / 116
		}
	}
	return lab{116*xyz[1] - 16, 500 * (xyz[0] - xyz[1]), 200 * (xyz[1] - xyz[2])}
}

var (
	toCones = matrix{
		{0.4122214708, 0.5363325363, 0.0514459929}, {0.2119034982, 0.6806995451, 0.1073969566},
		{0.0883024619, 0.2817188376, 0.6299787005},
	}
	toOklab = matrix{
		{0.2104542553, 0.7936177850, -0.0040720468}, {1.9779984951, -2.4285922050, 0.4505937099},
		{0.0259040371, 0.7827717662, -0.8086757660},
	}
)

// oklch is the colour in OKLab (Ottosson, 2020), as lightness, chroma, and hue in degrees.
func (c rgb) oklch() (lightness, chroma, hueAngle float64) {
	cones := toCones.times(c)
	for i := range cones {
		cones[i] = math.Cbrt(cones[i])
	}
	ok := toOklab.times(cones)
	return ok[0], math.Hypot(ok[1], ok[2]), hue(lab{ok[0], ok[1], ok[2]})
}

// difference is CIEDE2000 (CIE 142-2001), in the steps of Sharma, Wu and Dalal, 2005.
func difference(x, y lab) float64 {
	g := 0.5 * (1 - seventh((math.Hypot(x.a, x.b)+math.Hypot(y.a, y.b))/2))
	x.a, y.a = x.a*(1+g), y.a*(1+g)
	cx, cy := math.Hypot(x.a, x.b), math.Hypot(y.a, y.b)
	hx, hy := hue(x), hue(y)
	dh, mh := turn(hx, hy, cx*cy)
	ml, mc := (x.l+y.l)/2, (cx+cy)/2
	t := 1 - 0.17*cosDegrees(mh-30) + 0.24*cosDegrees(2*mh) + 0.32*cosDegrees(3*mh+6) - 0.20*cosDegrees(4*mh-63)
	sl := 1 + 0.015*(ml-50)*(ml-50)/math.Sqrt(20+(ml-50)*(ml-50))
	sc, sh := 1+0.045*mc, 1+0.015*mc*t
	blue := (mh - 275) / 25
	rt := -2 * seventh(mc) * math.Sin(math.Pi/180*60*math.Exp(-blue*blue))
	l, c := (y.l-x.l)/sl, (cy-cx)/sc
	h := 2 * math.Sqrt(cx*cy) * math.Sin(math.Pi/360*dh) / sh
	return math.Sqrt(l*l + c*c + h*h + rt*c*h)
}

// turn returns how far it is from one hue to another, and the hue between them; colours without chroma have none.
func turn(hx, hy, chroma float64) (difference, mean float64) {
	d := hy - hx
	switch {
	case chroma == 0:
		return 0, hx + hy
	case math.Abs(d) <= 180:
		return d, (hx + hy) / 2
	case hx+hy < 360:
		return d - math.Copysign(360, d), (hx + hy + 360) / 2
	}
	return d - math.Copysign(360, d), (hx + hy - 360) / 2
}

func seventh(c float64) float64 {
	c7 := math.Pow(c, 7)
	return math.Sqrt(c7 / (c7 + math.Pow(25, 7)))
}

func hue(c lab) float64 {
	if c.a == 0 && c.b == 0 {
		return 0
	}
	return math.Mod(math.Atan2(c.b, c.a)*180/math.Pi+360, 360)
}

func cosDegrees(d float64) float64 { return math.Cos(d * math.Pi / 180) }

// TestTheDifferenceIsThatOfThePublishedPairs: all 34 of Sharma, Wu and Dalal, which were chosen to find errors.
func TestTheDifferenceIsThatOfThePublishedPairs(t *testing.T) {
	for _, p := range [][7]float64{
		{50, 2.6772, -79.7751, 50, 0, -82.7485, 2.0425},
		{50, 3.1571, -77.2803, 50, 0, -82.7485, 2.8615},
		{50, 2.8361, -74.0200, 50, 0, -82.7485, 3.4412},
		{50, -1.3802, -84.2814, 50, 0, -82.7485, 1.0000},
		{50, -1.1848, -84.8006, 50, 0, -82.7485, 1.0000},
		{50, -0.9009, -85.5211, 50, 0, -82.7485, 1.0000},
		{50, 0, 0, 50, -1, 2, 2.3669},
		{50, -1, 2, 50, 0, 0, 2.3669},
		{50, 2.4900, -0.0010, 50, -2.4900, 0.0009, 7.1792},
		{50, 2.4900, -0.0010, 50, -2.4900, 0.0010, 7.1792},
		{50, 2.4900, -0.0010, 50, -2.4900, 0.0011, 7.2195},
		{50, 2.4900, -0.0010, 50, -2.4900, 0.0012, 7.2195},
		{50, -0.0010, 2.4900, 50, 0.0009, -2.4900, 4.8045},
		{50, -0.0010, 2.4900, 50, 0.0010, -2.4900, 4.8045},
		{50, -0.0010, 2.4900, 50, 0.0011, -2.4900, 4.7461},
		{50, 2.5, 0, 50, 0, -2.5, 4.3065},
		{50, 2.5, 0, 73, 25, -18, 27.1492},
		{50, 2.5, 0, 61, -5, 29, 22.8977},
		{50, 2.5, 0, 56, -27, -3, 31.9030},
		{50, 2.5, 0, 58, 24, 15, 19.4535},
		{50, 2.5, 0, 50, 3.1736, 0.5854, 1.0000},
		{50, 2.5, 0, 50, 3.2972, 0, 1.0000},
		{50, 2.5, 0, 50, 1.8634, 0.5757, 1.0000},
		{50, 2.5, 0, 50, 3.2592, 0.3350, 1.0000},
		{60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644},
		{63.0109, -31.0961, -5.8663, 62.8187, -29.7946, -4.0864, 1.2630},
		{61.2901, 3.7196, -5.3901, 61.4292, 2.2480, -4.9620, 1.8731},
		{35.0831, -44.1164, 3.7933, 35.0232, -40.0716, 1.5901, 1.8645},
		{22.7233, 20.0904, -46.6940, 23.0331, 14.9730, -42.5619, 2.0373},
		{36.4612, 47.8580, 18.3852, 36.2715, 50.5065, 21.2231, 1.4146},
		{90.8027, -2.0831, 1.4410, 91.1528, -1.6435, 0.0447, 1.4441},
		{90.9257, -0.5406, -0.9208, 88.6381, -0.8985, -0.7239, 1.5381},
		{6.7747, -0.2908, -2.4247, 5.8714, -0.0985, -2.2286, 0.6377},
		{2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514, 0.9082},
	} {
		require.InDelta(t, p[6], difference(lab{p[0], p[1], p[2]}, lab{p[3], p[4], p[5]}), 0.00005, "%v", p)
	}
}

// TestKnownColours: what the parts of the arithmetic make of colours that are known by heart.
func TestKnownColours(t *testing.T) {
	white, black, red := colourOf(t, "#ffffff"), colourOf(t, "#000000"), colourOf(t, "#ff0000")
	require.InDelta(t, 21, contrast(white, black), 1e-9)
	require.InDelta(t, 4.54, contrast(colourOf(t, "#767676"), white), 0.005, "the lightest grey that passes")
	require.InDelta(t, 53.24, red.lab().l, 0.01)
	require.InDelta(t, 80.09, red.lab().a, 0.01)
	require.InDelta(t, 67.20, red.lab().b, 0.01)
	l, c, h := red.oklch()
	require.InDelta(t, 0.628, l, 0.001)
	require.InDelta(t, 0.258, c, 0.001)
	require.InDelta(t, 29.2, h, 0.1)
	for kind, m := range asSeen {
		seen := m.times(white)
		require.InDelta(t, 0, difference(seen.lab(), white.lab()), 0.01, "%s: white stays white", kind)
	}
}
