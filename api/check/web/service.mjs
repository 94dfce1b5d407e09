// One project in a temporary folder, and the service that runs on it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { real } from './clock.mjs';

// people are who acts; the second of a role is needed where somebody has claimed the part.
export const people = { paula: 'pm', arno: 'architect', cora: 'coder', carl: 'coder', tess: 'tester', vera: 'viewer' };

// Clients of agents set these; people run commands of the boundary, and no client does.
const marks = /^(CLAUDECODE|CODEX_|COPILOT_|GEMINI_CLI|OPENCODE|QWEN_CODE|ORCHESTRATOR_|AMPLIFIER_)/;

export class Project {
  constructor(orchestrator, clock = real) {
    Object.assign(this, { orchestrator: resolve(orchestrator), clock });
    for (const program of [this.orchestrator, `${this.orchestrator}-hook`]) {
      if (!existsSync(program)) throw new Error(`there is no ${program}: run make build`);
    }
    this.folder = mkdtempSync(join(tmpdir(), 'garage-'));
    const kept = Object.entries(process.env).filter(([name]) => !marks.test(name));
    this.env = { ...Object.fromEntries(kept), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
    this.git('init', '-q', '-b', 'main');
  }

  path(name) {
    return join(this.folder, name);
  }

  read(name) {
    return readFileSync(this.path(name), 'utf8');
  }

  write(name, text) {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  // run runs a program in the folder, and returns what it printed.
  run(program, args, { input, codes = [0], env } = {}) {
    const ran = spawnSync(program, args, {
      cwd: this.folder,
      env: { ...this.env, ...this.clock.env, ...env },
      input,
      encoding: 'utf8',
      timeout: 120_000,
      maxBuffer: 1 << 26,
    });
    if (ran.error || !codes.includes(ran.status)) {
      throw new Error(
        `${program} ${args.join(' ')}: ${ran.error ?? `exit code ${ran.status}`}\n${ran.stdout}${ran.stderr}`,
      );
    }
    return ran.stdout;
  }

  git(...args) {
    const at = this.clock.now().toISOString();
    return this.run('git', ['-c', 'user.name=Cora', '-c', 'user.email=cora@garage.example', ...args], {
      env: { GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at },
    }).trim();
  }

  // commit commits all that has changed, and returns the id.
  commit(message) {
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  cli(...args) {
    return this.run(this.orchestrator, args);
  }

  // addToken makes a token, in the file that commands look for if the role has none yet.
  addToken(name, role = people[name]) {
    mkdirSync(dirname(this.tokenFile(name)), { recursive: true, mode: 0o700 });
    const args = ['token', 'add', role, name];
    this.cli(...args, '--out', this.tokenFile(name));
  }

  tokenFile(name) {
    const first = people[name] && Object.keys(people).find((other) => people[other] === people[name]);
    const base = first === name ? people[name] : name.replace(/[^\w-]/g, '_');
    return this.path(`.orchestrator/tokens/${base}.token`);
  }

  token(name) {
    return readFileSync(this.tokenFile(name), 'utf8').trim();
  }

  async start(...args) {
    this.options = args;
    rmSync(this.path('.orchestrator/addr'), { force: true });
    this.service = spawn(
      this.orchestrator,
      ['serve', '--addr', this.address ?? '127.0.0.1:0', '--rate-limit', '0', '--log-format', 'json', ...args],
      { cwd: this.folder, env: { ...this.env, ...this.clock.env }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    this.log = '';
    this.service.stderr.on('data', (piece) => {
      this.log = (this.log + piece).slice(-20_000);
    });
    await until('the start of the service', async () => {
      if (this.service.exitCode !== null) throw new Error(`the service does not start:\n${this.log}`);
      try {
        this.address = this.read('.orchestrator/addr').trim();
        return (await fetch(`${this.url}/readyz`)).ok;
      } catch {
        return false;
      } // not yet
    });
  }

  get url() {
    return `http://${this.address}`;
  }

  async stop() {
    if (!this.service || this.service.exitCode !== null) return;
    this.service.kill('SIGTERM');
    await once(this.service, 'exit');
  }

  // wake goes on with another program and the clock of everybody.
  async wake(orchestrator) {
    await this.stop();
    Object.assign(this, { orchestrator: resolve(orchestrator), clock: real });
    await this.start(...this.options);
  }

  async remove() {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  // ask sends a request, and returns status, headers and JSON.
  async ask(who, method, path, body, headers = {}) {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(this.url + path, {
      method,
      body: text,
      headers: { Authorization: `Bearer ${this.token(who)}`, 'Content-Type': 'application/json', ...headers },
    });
    const got = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      text: got,
      json: /json/.test(answer.headers.get('content-type')) ? JSON.parse(got) : undefined,
    };
  }

  // must is ask for what is to be accepted.
  async must(who, method, path, body, headers) {
    const got = await this.ask(who, method, path, body, headers);
    if (got.status >= 300)
      throw new Error(
        `${who}: ${method} ${path} ${JSON.stringify(body)?.slice(0, 300)}: ${got.status} ${got.text.slice(0, 1500)}`,
      );
    return got.json;
  }

  // refused is ask for what is to be refused with a code.
  async refused(code, who, method, path, body, headers) {
    const got = await this.ask(who, method, path, body, headers);
    if (got.json?.code !== code)
      throw new Error(`${who}: ${method} ${path}: want ${code}, got ${got.status} ${got.text.slice(0, 1500)}`);
  }

  patch(who, id, body, headers) {
    return this.must(who, 'PATCH', `/requirements/${encodeURIComponent(id)}`, body, headers);
  }
}

// until waits until something has happened.
export async function until(what, happened, seconds = 60) {
  for (
    const end = Date.now() + seconds * 1000;
    !(await happened());
    await new Promise((wake) => setTimeout(wake, 30))
  ) {
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} seconds`);
  }
}
