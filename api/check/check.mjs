// Runs outside tools over the contract, and prints a table of their figures:
//
//	node check.mjs lint|all TOOLS [ORCHESTRATOR]
//
// TOOLS is the folder with node_modules, ORCHESTRATOR the program. It fails when a tool finds something that is not in
// the list of what is expected. Services listen on free ports, in folders of their own, and end with it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [mode, tools, orchestrator] = [process.argv[2], ...process.argv.slice(3).map((p) => resolve(p))];
const temp = mkdtempSync(join(tmpdir(), 'contract-'));
const services = [];
const rows = [];

// minute bounds each run of a tool, so that none hangs.
const minute = 60_000;

// Components that linters take for unused: EvidenceCode describes codes in `errors` of problems, which may be others too,
// so that no schema refers to it, and linters do not look into extensions such as x-answers-outside-operations.
const contract = readFileSync(join(here, '../openapi.json'), 'utf8');
const isUsed = (path) => path.endsWith('/EvidenceCode') || contract.includes(`"$ref":"#/${path}"`);
const stays = (finding) => /unused-component/.test(finding) && isUsed(finding.match(/components\/[\w/]+$/)?.[0] ?? '');

// Made-up values that no request can do without: no record is large enough to have its data beside the log.
const madeUp = { 'GET /audit/blobs/:sha256': '404 unknown_blob' };

function run(program, args, options = {}) {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' };
  const done = spawnSync(program, args, { cwd: temp, env, encoding: 'utf8', timeout: 5 * minute, maxBuffer: 1 << 28, ...options });
  if (done.error) throw done.error;
  return done;
}

const tool = (name, ...args) => run(join(tools, 'node_modules/.bin', name), args);

// row adds a line of the table. Problems are printed, and make the whole fail.
function row(suite, figures, problems) {
  rows.push({ suite, figures, ok: problems.length === 0 });
  for (const problem of problems) console.error(`${suite}: ${problem}`);
}

// report reads what a tool wrote, or fails with what it said.
function report(done, text) {
  try {
    return JSON.parse(text ?? done.stdout);
  } catch {
    throw new Error(`no report: ${done.stdout}${done.stderr}`);
  }
}

function lint() {
  for (const file of ['openapi.json', 'openapi.yaml']) {
    const path = join(here, '..', file);
    const found = report(tool('redocly', 'lint', path, '--config', join(here, 'redocly.yaml'), '--format', 'json', '--max-problems', '1000'));
    // Of the YAML only errors count: Redocly does not follow its references to other files when it judges examples.
    const counts = (problem) => file === 'openapi.json' || problem.severity === 'error';
    row(`redocly lint ${file}`, `${found.totals.errors} errors, ${found.totals.warnings} warnings`,
      found.problems.filter(counts).map((p) => `${p.severity} ${p.ruleId}: ${p.message} ${p.location[0]?.pointer}`).filter((f) => !stays(f)));
  }
  const done = tool('spectral', 'lint', '-q', '-f', 'json', '-r', join(here, 'spectral.yaml'), join(here, '../openapi.json'));
  const found = report(done, done.stdout.slice(done.stdout.indexOf('['), done.stdout.lastIndexOf(']') + 1));
  const count = (severity) => found.filter((p) => p.severity === severity).length;
  row('spectral lint openapi.json', `${count(0)} errors, ${count(1)} warnings`,
    found.map((p) => `${p.code}: ${p.message} ${p.path.join('/')}`).filter((f) => !stays(f)));
}

// typescript makes types of the one file, and compiles them.
function typescript() {
  const types = join(temp, 'types.ts');
  const made = tool('openapi-typescript', join(here, '../openapi.json'), '-o', types);
  const compilerOptions = { strict: true, noEmit: true, target: 'es2022', types: [] };
  writeFileSync(join(temp, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['types.ts'] }));
  const compiled = tool('tsc', '-p', temp);
  const text = existsSync(types) ? readFileSync(types, 'utf8') : '';
  row('openapi-typescript, tsc --strict', `${text.split('\n').length} lines`,
    [made, compiled].filter((done) => done.status !== 0).map((done) => done.stdout + done.stderr));
}

// serve starts a service on a small repository, and returns its address and tokens.
async function serve(name, ...prepare) {
  const cwd = join(temp, name);
  mkdirSync(join(cwd, 'docs'), { recursive: true });
  const chapters = [1, 2, 3].map((n) => `## REQ-00${n}: Requirement ${n}\n\nThe service does what ${n} says.\n`);
  writeFileSync(join(cwd, 'REQUIREMENTS.md'), `# Sample\n\n${chapters.join('\n')}`);
  writeFileSync(join(cwd, 'docs/plan.md'), 'A line of the plan.\n'.repeat(40));
  writeFileSync(join(cwd, 'login.go'), 'package login\n');
  const git = ['-c', 'user.name=check', '-c', 'user.email=check@example.org'];
  for (const args of [['init', '-q'], ['add', '.'], [...git, 'commit', '-q', '-m', 'Begin']]) must(run('git', args, { cwd }));
  for (const args of prepare) must(run(orchestrator, args, { cwd }));
  const service = spawn(orchestrator, ['serve', '--addr', '127.0.0.1:0', '--demo-tokens'], { cwd, stdio: 'ignore' });
  services.push(service);
  const read = (path) => readFileSync(join(cwd, '.orchestrator', path), 'utf8').trim();
  for (const end = Date.now() + minute; ; await new Promise((wake) => setTimeout(wake, 100))) {
    if (service.exitCode !== null || Date.now() > end) throw new Error(`the service in ${cwd} does not start`);
    try {
      const url = `http://${read('addr')}`;
      if ((await fetch(`${url}/readyz`)).status === 200) return { url, token: (role) => read(`tokens/${role}.token`) };
    } catch {} // not yet
  }
}

function must(done) {
  if (done.status !== 0) throw new Error(done.stdout + done.stderr);
}

// respect brings a requirement from not_started to done, and holds every answer against its schema.
async function respect() {
  const { url, token } = await serve('respect');
  const inputs = ['pm', 'architect', 'coder', 'tester'].flatMap((role) => ['--input', `${role}=${token(role)}`]);
  const out = join(temp, 'respect.json');
  const done = tool('redocly', 'respect', join(here, 'life.arazzo.yaml'), '--server', `orchestrator=${url}`, ...inputs, '--json-output', out);
  const [, passed, total] = done.stdout.match(/Steps: (\d+) passed, (?:\d+ failed, )?(\d+) total/) ?? [, 0, 0];
  const [, checks] = done.stdout.match(/Checks: (.*)/) ?? [, 'none'];
  row('redocly respect', `${passed} of ${total} steps; checks: ${checks}`,
    done.status === 0 && passed === total && total > 0 ? [] : [done.stdout + done.stderr]);
}

// withoutTheName returns a contract in which a property named example is a pattern. Portman deletes the keyword of this
// name from schemas, and mistakes the property for it; then the property is one too many in every answer.
function withoutTheName(node) {
  if (Array.isArray(node)) return node.map(withoutTheName);
  if (node === null || typeof node !== 'object') return node;
  const copy = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, withoutTheName(value)]));
  if (copy.type === 'object' && copy.properties?.example) {
    copy.patternProperties = { ...copy.patternProperties, '^example$': copy.properties.example };
    delete copy.properties.example;
  }
  return copy;
}

// contractTests sends each documented request as Postman would, and lists what failed by its cause.
async function contractTests() {
  const { url, token } = await serve('portman', ['boundary', 'install', 'claude', '--client-version', '2.0.0']);
  const [copy, collection, out] = ['copy.json', 'collection.json', 'newman.json'].map((name) => join(temp, name));
  writeFileSync(copy, JSON.stringify(withoutTheName(JSON.parse(contract))));
  const made = tool('portman', '-l', copy, '-b', url, '-c', join(here, 'portman.json'), '-o', collection, '-t');
  must(made);
  const roles = { bearerToken: 'pm', coderToken: 'coder', testerToken: 'tester' };
  tool('newman', 'run', collection, '-r', 'json', '--reporter-json-export', out, '--timeout-request', String(minute),
    ...Object.entries(roles).flatMap(([name, role]) => ['--env-var', `${name}=${token(role)}`]));
  const { run: { stats, executions } } = report(made, readFileSync(out, 'utf8'));
  const problems = made.stdout.split('\n').filter((line) => /skipped|Error/.test(line));
  let expected = 0;
  for (const { item, request, response, assertions = [] } of executions) {
    const failed = assertions.filter((a) => a.error).map((a) => `${a.assertion.split(' - ').pop()} (${a.error.message.slice(0, 600)})`);
    if (failed.length === 0) continue;
    const operation = assertions[0].assertion.replace(/^\[(\w+)\]::(\S+).*/, '$1 $2');
    const cause = `${response?.code} ${codeOf(response)}`;
    if (madeUp[operation] === cause) expected += failed.length;
    else problems.push(`${operation}: ${cause}; ${failed.join(', ')} (${request.method} ${item.name})`);
  }
  const { assertions: a, requests } = stats;
  row('portman, newman', `${requests.total} requests, ${a.total - a.failed} of ${a.total} assertions; ${expected} fail for made-up values`, problems);
}

function codeOf(response) {
  try {
    return JSON.parse(Buffer.from(response.stream.data).toString()).code;
  } catch {
    return 'without a code';
  }
}

try {
  lint();
  if (mode === 'all') {
    typescript();
    await respect();
    await contractTests();
  }
} catch (error) {
  row('the check itself', 'failed', [error.message]);
} finally {
  for (const service of services) service.kill();
  await Promise.all(services.map((service) => service.exitCode !== null || new Promise((end) => service.once('exit', end))));
  rmSync(temp, { recursive: true, force: true });
}
for (const { suite, figures, ok } of rows) console.log(`${ok ? 'ok    ' : 'FAILED'} ${suite.padEnd(34)} ${figures}`);
process.exitCode = rows.every((r) => r.ok) ? 0 : 1;
