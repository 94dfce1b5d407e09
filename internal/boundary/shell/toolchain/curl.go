package toolchain

// CurlOptions are the options of curl, in the notation of package shell.
const CurlOptions = "o:> --output:> O@ --remote-name@ --remote-name-all@ --output-dir: D:> --dump-header:> c:> " +
	"--cookie-jar:> --trace:> --trace-ascii:> --stderr:> --libcurl:> " +
	"--hsts:> --alt-svc:> --etag-save:> K:! --config:! d:^ H: X:~ u: A: e: b: F:^ T:^ m: x: r: w: E: y: Y: C: Q:^ " +
	"t: U: z: P: --data:^ --data-raw:^ --data-binary:^ --data-ascii:^ --header: --request:~ --upload-file:^ " +
	"--quote:^ --mail-rcpt:^ --user: --url: --max-time: --connect-timeout: --retry: --write-out: --form:^ " +
	"--form-string:^ --proxy: --cookie: --user-agent: --referer: --cacert: --cert: --key: --range: " +
	"--data-urlencode:^ --json:^ --engine:!"
