package secret

import (
	"strings"

	"orchestrator/internal/fault"
)

// set is a set of characters.
type set int

const (
	alnum   set = iota // letters and digits of ASCII
	upper              // capitals and digits
	name               // alnum and _
	urlish             // alnum, _ and -, as base64 in URLs
	dotted             // urlish and .
	base64             // alnum, +, / and =
	header             // what a bearer token may have, RFC 6750
	free               // what a value may have that stands without quotes
	joining            // what stands between the words of a name
	closing            // what may stand between a name and its =
	sets
)

var is = func() (is [sets][256]bool) {
	for c := 0; c < 128; c++ {
		capital, digit := 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
		letter := capital || 'a' <= c && c <= 'z'
		has := func(more string) bool { return letter || digit || strings.IndexByte(more, byte(c)) >= 0 }
		is[alnum][c], is[upper][c], is[name][c], is[urlish][c] = has(""), capital || digit, has("_"), has("_-")
		is[dotted][c], is[base64][c], is[header][c] = has("_-."), has("+/="), has("-._~+/=")
		is[joining][c], is[closing][c] = strings.IndexByte("_-. ", byte(c)) >= 0, strings.IndexByte("\"'`\\] \t",
			byte(c)) >= 0
		is[free][c] = c > ' ' && c < 0x7f && strings.IndexByte("\"'`=,;)(}{][><|&\\", byte(c)) < 0
	}
	return is
}()

// rule knows a token by its first characters and by what may follow them.
type rule struct {
	name        fault.Code
	what        string
	prefixes    string            // what it begins with, separated by |
	of          set               // of what follows
	least, most int               // characters that follow
	real        func(string) bool // whether what follows is more than a stand-in
}

// shape knows a key that is more than one run of characters.
type shape struct {
	name     fault.Code
	what     string
	prefixes string           // what it begins with, separated by |
	reach    func(string) int // how far it reaches in the text that begins with it; 0 where there is none
}

var shapes = []shape{
	{"note_private_key", "a private key that signs a log", notePrefix, noteKey},
	{"private_key", "a private key without its header", "MII|MIG|MIH|MHc|MHQ|MC4", keyBody},
}

// Of rules whose prefixes begin alike the longer prefix comes first.
var rules = []rule{
	{"orchestrator_token", "a token of this service", "orc_", name, 20, 100, ownToken},
	{"anthropic_key", "an Anthropic API key", "sk-ant-", urlish, 20, 250, random},
	{"openai_key", "an OpenAI API key", "sk-", urlish, 20, 250, solid},
	{"stripe_key", "a Stripe API key", "sk_live_|sk_test_|sk_prod_|rk_live_|rk_test_|rk_prod_", alnum, 16, 250, random},
	{"stripe_key", "a Stripe webhook secret", "whsec_", base64, 24, 100, random},
	{"aws_access_key", "an AWS access key", "AKIA|ASIA|ABIA|ACCA", upper, 16, 16, random},
	{"aws_access_key", "an AWS access key", "A3T", upper, 17, 17, random},
	{"aws_access_key", "an AWS Bedrock key", "ABSK", base64, 100, 300, random},
	{"github_token", "a GitHub token", "ghp_|gho_|ghu_", alnum, 30, 255, random},
	{"github_token", "a GitHub token", "ghs_", dotted, 30, 2000, random},
	{"github_token", "a GitHub token", "ghr_", alnum, 30, 255, random},
	{"github_token", "a GitHub token", "github_pat_", name, 40, 255, random},
	{"gitlab_token", "a GitLab token", "glpat-|gldt-|glrt-|glcbt-|glptt-|glft-|glsoat-|glagent-|gloas-|glimt-|glffct-", dotted, 20, 300, random},
	{"gitlab_token", "a GitLab token", "GR1348941", urlish, 20, 100, random},
	{"slack_token", "a Slack token", "xoxb-|xoxp-|xoxa-|xoxr-|xoxs-|xoxe-|xoxe.xox|xapp-", urlish, 20, 300, random},
	{"slack_webhook", "a Slack webhook", "hooks.slack.com/services/", base64, 30, 100, random},
	{"discord_webhook", "a Discord webhook", "discord.com/api/webhooks/", header, 40, 200, random},
	{"google_key", "a Google API key", "AIza", urlish, 35, 40, random},
	{"google_key", "a Google OAuth secret", "GOCSPX-", urlish, 24, 60, random},
	{"google_key", "a Google access token", "ya29.", dotted, 20, 2000, random},
	{"huggingface_token", "a Hugging Face token", "hf_", alnum, 30, 60, random},
	{"npm_token", "an npm token", "npm_", alnum, 36, 36, random},
	{"pypi_token", "a PyPI token", "pypi-AgE", urlish, 40, 2000, random},
	{"jwt", "a JSON Web Token", "eyJ", dotted, 30, 8192, webToken},
	{"docker_token", "a Docker Hub token", "dckr_pat_|dckr_oat_", urlish, 20, 100, random},
	{"digitalocean_token", "a DigitalOcean token", "dop_v1_|doo_v1_|dor_v1_", alnum, 64, 64, random},
	{"sendgrid_key", "a SendGrid API key", "SG.", header, 60, 80, random},
	{"shopify_token", "a Shopify token", "shpat_|shpss_|shpca_|shppa_", alnum, 32, 40, random},
	{"square_token", "a Square token", "sq0atp-", urlish, 20, 60, random},
	{"square_token", "a Square secret", "sq0csp-", urlish, 20, 60, random},
	{"atlassian_token", "an Atlassian token", "ATATT3|ATCTT3", header, 40, 400, random},
	{"databricks_token", "a Databricks token", "dapi", alnum, 32, 32, random},
	{"grafana_token", "a Grafana API key", "eyJrIjoi", base64, 60, 400, random},
	{"grafana_token", "a Grafana token", "glsa_", name, 32, 80, random},
	{"grafana_token", "a Grafana token", "glc_", base64, 32, 400, random},
	{"vault_token", "a HashiCorp Vault token", "hvs.|hvb.", urlish, 24, 400, random},
	{"linear_key", "a Linear API key", "lin_api_", alnum, 32, 60, random},
	{"notion_token", "a Notion token", "ntn_", alnum, 40, 60, random},
	{"newrelic_key", "a New Relic key", "NRAK-", alnum, 24, 40, random},
	{"postman_key", "a Postman API key", "PMAK-", urlish, 40, 80, random},
	{"planetscale_token", "a PlanetScale token", "pscale_tkn_", header, 30, 80, random},
	{"planetscale_token", "a PlanetScale secret", "pscale_pw_|pscale_oauth_", header, 30, 80, random},
	{"pulumi_token", "a Pulumi token", "pul-", alnum, 40, 40, random},
	{"rubygems_key", "a RubyGems API key", "rubygems_", alnum, 48, 48, random},
	{"sentry_token", "a Sentry token", "sntrys_", header, 40, 500, random},
	{"sentry_token", "a Sentry token", "sntryu_", alnum, 40, 100, random},
	{"supabase_token", "a Supabase token", "sbp_", alnum, 40, 60, random},
	{"tailscale_key", "a Tailscale key", "tskey-", urlish, 20, 100, random},
	{"groq_key", "a Groq API key", "gsk_", alnum, 40, 60, random},
	{"xai_key", "an xAI API key", "xai-", alnum, 60, 100, random},
	{"perplexity_key", "a Perplexity API key", "pplx-", alnum, 40, 60, random},
	{"replicate_token", "a Replicate token", "r8_", alnum, 37, 40, random},
	{"doppler_token", "a Doppler token", "dp.pt.", alnum, 40, 50, random},
	{"netlify_token", "a Netlify token", "nfp_", alnum, 36, 50, random},
	{"age_key", "an age private key", "AGE-SECRET-KEY-1", upper, 58, 58, random},
	{"heroku_key", "a Heroku API key", "HRKU-AA", urlish, 40, 100, random},
	{"twilio_key", "a Twilio API key", "SK0|SK1|SK2|SK3|SK4|SK5|SK6|SK7|SK8|SK9|SKa|SKb|SKc|SKd|SKe|SKf", alnum, 31, 31, hexadecimal},
	{"facebook_token", "a Facebook token", "EAAC|EAAG|EAAM", alnum, 100, 400, random},
	{"square_token", "a Square token", "EAAA", urlish, 50, 80, random},
	{"alibaba_key", "an Alibaba access key", "LTAI", alnum, 17, 26, random},
	{"artifactory_token", "an Artifactory token", "AKCp", alnum, 60, 80, random},
	{"service_token", "a token of a known service",
		"shippo_live_|shippo_test_|duffel_live_|duffel_test_|sgp_|sgp_local_|pnu_|rdme_|fo1_|" +
			"fm1_|fm2_|sm_aat_|sm_pat_|sm_sat_|api_org_|CLOJARS_|nvapi-", header, 30, 500, random},
	{"service_token", "a token of a known service",
		"xkeysib-|FLWSECK-|FLWSECK_TEST-|fio-u-|tk-us-|s-s4t2ud-|s-s4t2af-|dt0c01.|ico-|p8e-|EZAK|EZTK|pat-na1-|pat-eu1-", header, 32, 300, solid},
	{"1password_token", "a 1Password token", "ops_eyJ", base64, 100, 4000, random},
}

// The schemes of an Authorization header, and what else stands before a secret without a sign between them: they are
// written in any case, and are no part of the secret.
var schemes = []rule{
	{"command_password", "a password on a command line", "sshpass -p \"|sshpass -p '|sshpass -p |sshpass -p", free, 4, 200, given},
	{"assigned_secret", "the value of a password, token or key", "aws_secret_access_key ", base64, 40, 40, random},
	{"bearer_token", "a bearer token", "Bearer ", header, 16, 4000, random},
	{"basic_credentials", "credentials of basic authentication", "Basic ", base64, 12, 400, basic},
}

// lead is one prefix of a rule.
type lead struct {
	prefix string
	scheme bool
	reach  func(string) int // of a shape
	*rule
}

// leads are the prefixes by their first byte.
var leads = func() (by [256][]lead) {
	for i := range rules {
		for prefix := range strings.SplitSeq(rules[i].prefixes, "|") {
			by[prefix[0]] = append(by[prefix[0]], lead{prefix, false, nil, &rules[i]})
		}
	}
	for i := range schemes {
		for prefix := range strings.SplitSeq(schemes[i].prefixes, "|") {
			small, capital := prefix[0]|0x20, prefix[0]&^0x20
			l := lead{prefix, true, nil, &schemes[i]}
			by[small], by[capital] = append(by[small], l), append(by[capital], l)
		}
	}
	for _, s := range shapes {
		for prefix := range strings.SplitSeq(s.prefixes, "|") {
			by[prefix[0]] = append(by[prefix[0]], lead{prefix, false, s.reach, &rule{name: s.name, what: s.what}})
		}
	}
	return by
}()

// starts has the first three bytes of every prefix, so that few words have to be held against one.
var starts = func() (all [1 << 15]bool) {
	for _, of := range leads {
		for _, l := range of {
			all[start(l.prefix)] = true
		}
	}
	return all
}()

// start returns a number for the first three bytes of a text, in which the case of letters does not matter.
func start(text string) uint16 {
	return uint16(text[0]&31)<<10 | uint16(text[1]&31)<<5 | uint16(text[2]&31)
}

// anchor is what a character may be the first sign of.
type anchor byte

const (
	begins  anchor = iota + 1 // a token that is known by its first characters
	assigns                   // a value that is given to a name, or a URL
	dash                      // a private key
)

var anchors = func() (all [256]anchor) {
	for first, of := range leads {
		if len(of) > 0 {
			all[first] = begins
		}
	}
	all['='], all[':'], all['-'] = assigns, assigns, dash
	return all
}()
