// Follows a service over a restart with clients of event streams that others wrote, and prints what each was told:
//
//	node resume.mjs TOOLS ORCHESTRATOR
//
// TOOLS is the folder with node_modules, ORCHESTRATOR the program. It fails when a client misses a record of the log, is
// told one twice or in another order, or does not go on behind the last one that it has.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [tools, orchestrator] = process.argv.slice(2).map((path) => resolve(path));
const { resolve: find } = createRequire(join(tools, 'package.json'));
const { EventSource: Package } = await import(find('eventsource'));
const undici = await import(find('undici'));
const folder = mkdtempSync(join(tmpdir(), 'events-'));
const read = (path) => readFileSync(join(folder, '.orchestrator', path), 'utf8').trim();
const minute = 60_000;
let service;

async function until(what, happened) {
  for (const end = Date.now() + minute; !(await happened()); await new Promise((wake) => setTimeout(wake, 50))) {
    if (Date.now() > end) throw new Error(`${what}: not within a minute`);
  }
}

// start starts the service, and returns where it listens.
async function start(address) {
  service = spawn(orchestrator, ['serve', '--addr', address, '--demo-tokens'], { cwd: folder, stdio: 'ignore' });
  const ready = async () => (await fetch(`http://${read('addr')}/readyz`)).ok;
  await until('the start of the service', () => {
    if (service.exitCode !== null) throw new Error('the service does not start');
    return ready().catch(() => false); // not yet
  });
  return read('addr');
}

async function stop() {
  service.kill('SIGTERM');
  await once(service, 'exit');
}

// call sends a request, and returns the text of the answer.
async function call(address, path, role, options = {}) {
  const headers = { Authorization: `Bearer ${read(`tokens/${role}.token`)}`, ...options.headers };
  const answer = await fetch(`http://${address}${path}`, { ...options, headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}

async function change(address, count) {
  for (let i = 0; i < count; i++) {
    const body = JSON.stringify({ pm_notes: [{ text: `note ${i}` }] });
    await call(address, '/requirements/REQ-001', 'pm', { method: 'PATCH', body, headers: { 'Content-Type': 'application/json' } });
  }
}

// clients open a stream. Each says with which Last-Event-ID it connects, and sends the token.
const authorization = () => `Bearer ${read('tokens/viewer.token')}`;
const clients = {
  eventsource: (url, connected) => new Package(url, {
    fetch: (input, init) => {
      connected(init.headers['Last-Event-ID']);
      return fetch(input, { ...init, headers: { ...init.headers, Authorization: authorization() } });
    },
  }),
  'undici, which Node has as --experimental-eventsource': (url, connected) => {
    const dispatcher = new undici.Agent().compose((dispatch) => (options, handler) => {
      const headers = Array.isArray(options.headers) ? options.headers : Object.entries(options.headers).flat();
      const at = headers.findIndex((name) => String(name).toLowerCase() === 'last-event-id');
      connected(at < 0 ? undefined : String(headers[at + 1]));
      return dispatch({ ...options, headers: [...headers, 'authorization', authorization()] }, handler);
    });
    return new undici.EventSource(url, { node: { dispatcher } });
  },
};

// follow opens a stream from the first record on, and notes what it is told.
function follow(open, address, kinds) {
  const told = { ids: [], data: [], ends: [], connections: [] };
  told.stream = open(`http://${address}/events?since=0`, (lastID) => told.connections.push(lastID));
  for (const kind of kinds) {
    told.stream.addEventListener(kind, (event) => {
      told.ids.push(Number(event.lastEventId));
      told.data.push(event.data);
    });
  }
  told.stream.addEventListener('end', (event) => told.ends.push(JSON.parse(event.data).code));
  return told;
}

// problems says what is wrong with what a client was told of a log.
function problems(told, log, atRestart) {
  const wrong = [];
  if (String(told.ids) !== String(log.map((_, n) => n))) wrong.push(`ids ${told.ids}`);
  if (told.data.some((data, n) => data !== log[n])) wrong.push('an event differs from its record');
  if (String(told.ends) !== 'service_stopping') wrong.push(`ends ${told.ends}`);
  if (told.connections[0] !== undefined) wrong.push(`it began with Last-Event-ID ${told.connections[0]}`);
  const again = told.connections.slice(1);
  if (again.length === 0 || again.some((id) => id !== String(atRestart))) wrong.push(`it went on with ${again}`);
  return wrong;
}

async function main() {
  writeFileSync(join(folder, 'REQUIREMENTS.md'), '# Sample\n\n- **REQ-001**: A user can log in.\n');
  const git = ['-c', 'user.name=check', '-c', 'user.email=check@example.org'];
  for (const args of [['init', '-q'], ['add', '.'], [...git, 'commit', '-q', '-m', 'Begin']]) spawnSync('git', args, { cwd: folder });
  const address = await start('127.0.0.1:0');
  const size = async () => JSON.parse(await call(address, '/audit?limit=1', 'viewer')).size;
  const kinds = new Set(JSON.parse(await call(address, '/audit?limit=100', 'viewer')).records.map((record) => record.kind));
  const told = Object.entries(clients).map(([name, open]) => [name, follow(open, address, [...kinds, 'requirement.changed'])]);
  await change(address, 20);
  const atRestart = await size() - 1;
  const all = (ids) => told.every(([, one]) => one.ids.length >= ids);
  await until('the events before the restart', () => all(atRestart + 1));
  await stop();
  await until('an attempt to connect while nothing listens', () => told.every(([, one]) => one.connections.length > 1));
  await start(address);
  await change(address, 20); // while the clients are away
  const records = await size();
  await until('the events after the restart', () => all(records)).catch(() => {}); // what is missing is said below
  const log = [];
  for (let n = 0; n < records; n++) log.push(await call(address, `/audit/records/${n}`, 'viewer'));
  for (const [name, one] of told) {
    const wrong = problems(one, log, atRestart);
    console.log(`${wrong.length ? 'FAILED' : 'ok    '} ${name}: ${one.ids.length} of ${records} records, ` +
      `and went on with Last-Event-ID ${atRestart}${wrong.map((w) => `; ${w}`).join('')}`);
    if (wrong.length) process.exitCode = 1;
    one.stream.close();
  }
}

try {
  await main();
} finally {
  if (service.exitCode === null) await stop();
  rmSync(folder, { recursive: true });
}
