// A browser with people signed in, and a record of what pages do that they must not.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

// places are where Chromium lies; CHROMIUM names another.
const places = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const flags = ['--headless', '--disable-gpu', '--disable-background-networking', '--no-first-run'];

export const chromium = () => places.find((path) => path && existsSync(path));

// Missing is what keeps a check from running: nothing of the pages is wrong, and nothing is known to be right.
export class Missing extends Error {}

// open starts Chromium with the modules of a folder, and returns what opens pages.
export async function open(tools) {
  const require = createRequire(join(resolve(tools), 'package.json'));
  let driver, axe;
  try {
    driver = require('playwright-core');
    axe = require('axe-core').source;
  } catch (error) {
    throw new Missing(
      `playwright-core and axe-core are not in ${tools}: run npm ci in a copy of api/check/web (${error.code})`,
    );
  }
  const executablePath = chromium();
  if (!executablePath)
    throw new Missing('there is no Chromium: apt-get install chromium, or name one with CHROMIUM=PATH');
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : []; // its sandbox does not run as root
  const browser = await driver.chromium.launch({ executablePath, args: [...flags, ...root], timeout: 60_000 });
  return { browser, axe, version: browser.version(), close: () => browser.close() };
}

// watch notes what a page must not do. What it returns is emptied by take.
function watch(page, origin) {
  const seen = { origin: [], console: [], csp: [], script: [] };
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`)) seen.origin.push(`${request.resourceType()} ${url.slice(0, 200)}`);
  });
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    const text = message.text();
    if (/Content Security Policy/.test(text)) seen.csp.push(text.slice(0, 300));
    else if (!(text.startsWith('Failed to load resource') && message.location().url === page.url())) {
      seen.console.push(`${text.slice(0, 300)} (${message.location().url})`); // a page with an error of its own is one that answers 4xx
    }
  });
  page.on('pageerror', (error) => seen.console.push(String(error).slice(0, 300)));
  page.on('dialog', (dialog) => {
    if (dialog.type() !== 'beforeunload') seen.script.push(`a dialog: ${dialog.message().slice(0, 100)}`);
    dialog.dismiss().catch(() => {});
  });
  return seen;
}

// early runs in each page before its own scripts.
const early = () => {
  window.__csp = [];
  addEventListener('securitypolicyviolation', (event) =>
    window.__csp.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`),
  );
};

// Visitor is a person at a browser of their own: cookies, pages and what was noted of them.
export class Visitor {
  static async arrive({ browser }, project, options = {}) {
    const one = new Visitor();
    one.project = project;
    one.context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    if (options.javaScriptEnabled !== false) await one.context.addInitScript(early);
    one.page = await one.context.newPage();
    one.page.setDefaultTimeout(10_000);
    one.seen = watch(one.page, project.url);
    return one;
  }

  // go opens a path, and returns the status of the answer, its text and how it came.
  async go(path) {
    const answer = await this.page.goto(this.project.url + path, { waitUntil: 'load', timeout: 30_000 });
    await this.page.waitForTimeout(250); // what scripts do after the load
    return { status: answer.status(), text: await answer.text() };
  }

  async signIn(name, token = this.project.token(name)) {
    await this.go('/ui/sign-in');
    await this.page.fill('input[name=token]', token);
    await Promise.all([
      this.page.waitForURL((url) => !url.pathname.endsWith('/sign-in')),
      this.page.press('input[name=token]', 'Enter'),
    ]);
    return this;
  }

  // take returns what was noted since the last time.
  async take() {
    const csp = await this.page.evaluate(() => window.__csp?.splice(0) ?? []).catch(() => []);
    const pwned = await this.page.evaluate(() => window.__pwned).catch(() => undefined);
    const taken = Object.fromEntries(Object.entries(this.seen).map(([name, list]) => [name, list.splice(0)]));
    taken.csp.push(...csp);
    if (pwned !== undefined) taken.script.push(`what was written into ${pwned} ran as a script`);
    return taken;
  }

  leave() {
    return this.context.close();
  }
}
