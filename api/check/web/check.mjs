// Looks at the web page in a real browser, with projects of every size, and has people do their work in it, unless only
// some pages or sizes are asked for:
//
//	node check.mjs TOOLS ORCHESTRATOR [--only LOOK|FLOW] [--page PAGE] [--size SIZE] [--width 1280|390]
//	               [--scheme light|dark] [--without NAME] [--aged DIR] [--shots DIR] [--json]
//
// TOOLS is the folder with node_modules, ORCHESTRATOR the program. Every option but the last three may be given more
// than once. With what aged/build.sh has built into DIR, two of the projects have a past of weeks. What cannot be looked
// at fails, with the reason, unless --without names it. --shots writes a picture of each page for people to look at,
// --json prints what was found as JSON.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Missing, open, Visitor } from './browser.mjs';
import { make, sizes } from './fixture.mjs';
import { flows } from './flows.mjs';
import * as looks from './looks.mjs';
import { pageNames, pagesOf } from './pages.mjs';

const many = (type = 'string') => ({ type, multiple: true, default: [] });
const {
  values: options,
  positionals: [tools, orchestrator],
} = parseArgs({
  allowPositionals: true,
  options: {
    only: many(),
    page: many(),
    size: many(),
    width: many(),
    scheme: many(),
    without: many(),
    aged: { type: 'string' },
    shots: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

// The looks at a page as it is loaded, and at each of its widths and schemes.
const loaded = ['page', 'head', 'weight', 'origin', 'console', 'csp', 'script', 'scroll'];
const shown = ['axe', 'text', 'focus'];
const known = [...loaded, ...shown, ...Object.keys(flows)];
const chosen = (list, asked) => (asked.length ? list.filter((one) => asked.includes(String(one))) : list);
const widths = chosen([1280, 390], options.width);
const schemes = chosen(['light', 'dark'], options.scheme);
const wanted = (name) => (!options.only.length || options.only.includes(name)) && !options.without.includes(name);

// misspelt are options that name nothing.
function misspelt() {
  const lists = {
    only: known,
    without: [...known, ...pageNames],
    page: [...pageNames],
    size: sizes,
    width: ['1280', '390'],
    scheme: ['light', 'dark'],
  };
  return Object.entries(lists).flatMap(([option, list]) =>
    options[option]
      .filter((name) => !list.includes(name))
      .map((name) => `--${option} ${name} names nothing: take ${list.join(', ')}`),
  );
}

const results = []; // of each page and flow: size, name, seconds, and what is wrong by look
const say = (line) => (options.json ? console.error : console.log)(line);

// report notes what was found of a page or flow, the same of several widths once.
function report(size, name, began, found) {
  const wrong = {};
  for (const [look, where, problems] of found) {
    for (const problem of problems) {
      const places = ((wrong[look] ??= {})[problem] ??= []);
      if (!places.includes(where)) places.push(where);
    }
  }
  const seconds = (Date.now() - began) / 1000;
  results.push({ size, name, seconds, looked: [...new Set(found.map(([look]) => look))], wrong });
  const failed = Object.keys(wrong);
  say(
    `${failed.length ? 'FAILED' : 'ok    '} ${size.padEnd(5)} ${name.padEnd(18)} ${seconds.toFixed(1).padStart(5)} s  ${failed.join(', ')}`,
  );
  for (const look of failed) {
    const all = Object.entries(wrong[look]);
    for (const [problem, where] of all.slice(0, 4))
      say(`         ${look}: ${problem}${where.join('') && ` [${where.join(', ')}]`}`);
    if (all.length > 4) say(`         ${look}: and ${all.length - 4} more`);
  }
}

// lookAt looks at one page at each width, in each scheme.
async function lookAt(visitor, size, { name, path, status = 200 }, axe) {
  const found = [];
  const note = (look, where, problems) => {
    if (wanted(look)) found.push([look, where, problems]);
  };
  for (const width of widths) {
    await visitor.page.setViewportSize({ width, height: 800 });
    await visitor.page.emulateMedia({ colorScheme: schemes[0] });
    const answer = await visitor.go(path);
    if (answer.status !== status) return [['page', '', [`cannot be looked at: ${path} answers ${answer.status}`]]];
    note('page', '', []);
    note('head', '', await looks.head(visitor.page));
    note('weight', '', looks.weight(answer.text));
    for (const scheme of schemes) await lookIn(visitor.page, { scheme, width, shot: `${size}-${name}`, axe, note });
    if (wanted('scroll') && width === widths[0]) note('scroll', '', await looks.scroll(visitor.page));
    for (const [look, problems] of Object.entries(await visitor.take())) note(look, '', problems);
  }
  return found;
}

// lookIn looks at a page as it is shown in one scheme. Where words stand is the same in all.
async function lookIn(page, { scheme, width, shot, axe, note }) {
  const where = `${scheme} ${width}`;
  await page.emulateMedia({ colorScheme: scheme });
  await page.waitForTimeout(100); // charts are drawn again
  if (options.shots) {
    await page.screenshot({ path: join(options.shots, `${shot}-${width}-${scheme}.png`), fullPage: true });
  }
  const first = scheme === schemes[0];
  if (wanted('axe')) note('axe', where, await looks.axe(page, axe));
  if (wanted('text') && first) note('text', where, await looks.text(page));
  if (wanted('focus') && (first || width === widths[0])) note('focus', where, await looks.focus(page, 60));
}

// lookAtAll looks at the pages of a project.
async function lookAtAll(browser, project, size) {
  const visitors = {};
  for (const one of pagesOf(size).filter(({ name }) => !options.without.includes(name))) {
    if (options.page.length && !options.page.includes(one.name)) continue;
    const began = Date.now();
    let found;
    try {
      const who = one.who ?? 'nobody';
      visitors[who] ??= one.who
        ? await (await Visitor.arrive(browser, project)).signIn(who)
        : await Visitor.arrive(browser, project);
      const path = typeof one.path === 'function' ? await one.path(project) : one.path;
      found = await lookAt(visitors[who], size, { ...one, path }, browser.axe);
    } catch (error) {
      found = [['page', '', [`cannot be looked at: ${String(error).split('\n')[0]}`]]];
    }
    report(size, one.name, began, found);
  }
  for (const visitor of Object.values(visitors)) await visitor.leave();
}

// doAll has people do their work, in a project of 40 requirements.
async function doAll(browser, project) {
  for (const [name, act] of Object.entries(flows).filter(([each]) => wanted(each))) {
    const began = Date.now();
    const problems = [];
    try {
      await act(browser, project, (holds, what) => {
        if (!holds) problems.push(what);
      });
    } catch (error) {
      problems.push(
        `${error instanceof Missing ? 'cannot run: ' : ''}${String(error.message ?? error)
          .split('\n')
          .slice(0, 3)
          .join(' ')}`,
      );
    }
    report('40', name, began, [['flow', '', problems]]);
  }
}

// table says how much is wrong with each page, by look.
function table() {
  const columns = [...loaded, ...shown, 'flow'];
  const rows = results.map(({ size, name, looked, wrong }) => [
    `${size} ${name}`,
    ...columns.map((look) => (looked.includes(look) ? String(Object.keys(wrong[look] ?? {}).length || '.') : '')),
  ]);
  const width = Math.max(...rows.map(([name]) => name.length), 4);
  return [['page', ...columns], ...rows]
    .map(([name, ...cells]) => name.padEnd(width) + cells.map((cell) => cell.padStart(8)).join(''))
    .join('\n');
}

async function main() {
  const errors = misspelt();
  if (!tools || !orchestrator) errors.push('name the folder with node_modules and the program');
  if (errors.length) throw new Missing(errors.join('\n'));
  if (options.shots) mkdirSync(options.shots, { recursive: true });
  const browser = await open(tools);
  say(`Chromium ${browser.version}`);
  const someFlow =
    ((!options.page.length && !options.size.length) || options.only.some((name) => flows[name])) &&
    Object.keys(flows).some(wanted);
  const somePage = !options.only.length || options.only.some((name) => !flows[name]);
  const looked = somePage ? chosen(sizes, options.size) : [];
  try {
    for (const size of someFlow && !looked.includes('40') ? [...looked, '40'] : looked) {
      const project = await make(size, orchestrator, options.aged);
      try {
        if (looked.includes(size)) await lookAtAll(browser, project, size);
        if (someFlow && size === '40') await doAll(browser, project); // after the looks: it changes the project
      } finally {
        await project.remove();
      }
    }
  } finally {
    await browser.close();
  }
  const failed = results.filter(({ wrong }) => Object.keys(wrong).length).length;
  if (options.json)
    console.log(JSON.stringify({ chromium: browser.version, failed, without: options.without, results }, undefined, 2));
  else
    console.log(
      `\n${table()}\n\n${results.length - failed} of ${results.length} hold${options.without.map((name) => `; without ${name}`).join('')}`,
    );
  process.exitCode = failed || !results.length ? 1 : 0;
}

await main().catch((error) => {
  console.error(error instanceof Missing ? `cannot run: ${error.message}` : error);
  process.exitCode = 1;
});
