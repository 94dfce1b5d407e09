// What people do at the pages, and what others try with them. Each flow takes a browser, a project of 40 requirements, and
// expect, which notes what does not hold. A project is shared: each flow changes requirements of its own.
import { once } from 'node:events';
import http from 'node:http';
import { Visitor } from './browser.mjs';
import { report, requirements } from './garage.mjs';
import * as looks from './looks.mjs';
import { until } from './service.mjs';

const at = (id) => `/requirements/${id}`;
const readme = [{ kind: 'file', path: 'README.md', lines: '1-3' }];
const move = (project, id, status) => project.patch('paula', id, { status, justification: { reason: 'The rest is agreed.', evidence: readme } });
const current = (project, id) => project.must('vera', 'GET', at(id));
const arrive = async (browser, project, who, options) => (await Visitor.arrive(browser, project, options)).signIn(who);

// soon reports whether something happens within some seconds.
const soon = (happened, seconds = 10) => until('it', happened, seconds).then(() => true, () => false);

// kept reports whether the page is the one that was marked: nothing has loaded it anew.
const mark = (page) => page.evaluate(() => { window.__same = true; });
const kept = (page) => page.evaluate(() => window.__same === true);

const approve = (page) => page.getByRole('button', { name: /^Approve .* mark it done/ });
const formOf = (button) => button.locator('xpath=ancestor::form');

// isSigned wants a requirement to be done, by one record more, in the name of the pm.
async function isSigned(project, id, before, reason, expect) {
  const now = await current(project, id);
  expect(now.status === 'done', `${id} is ${now.status}, not done`);
  expect(now.revision === before.revision + 1, `${id} went from revision ${before.revision} to ${now.revision}`);
  const last = now.history.at(-1);
  expect(last.by === 'paula' && last.justification.reason === reason, `the log has ${JSON.stringify(last).slice(0, 200)}`);
  expect(now.approvals?.at(-1)?.decision === 'approved', 'the approval is missing');
}

// note opens the form for a note, and returns its text field and button.
async function note(page) {
  const summary = page.locator('summary', { hasText: /note/i });
  await summary.click();
  const form = summary.locator('xpath=ancestor::details').locator('form');
  return { text: form.locator('textarea'), button: form.getByRole('button').first(), form };
}

async function signOff(browser, project, expect) {
  const visitor = await arrive(browser, project, 'paula');
  const { page } = visitor;
  const before = await current(project, 'PG-018');
  await page.getByRole('link', { name: before.title }).first().click();
  await page.waitForLoadState();
  expect((await page.locator('h1').innerText()).includes(before.title), 'the link from the first page does not lead to the requirement');
  const form = formOf(approve(page));
  expect(await form.locator('input[name=rests]').count() > 0, 'there is nothing to rest on');
  await form.locator('textarea').fill('It is tried first.');
  await form.getByRole('button', { name: /^Try it/ }).click();
  await page.getByText(/nothing was changed/i).first().waitFor();
  expect((await current(project, 'PG-018')).revision === before.revision, 'trying changed the requirement');
  const again = formOf(approve(page));
  await again.locator('textarea').fill('The operator has seen it for a week.');
  await approve(page).click();
  await page.getByRole('status').filter({ hasText: /done/i }).first().waitFor();
  expect(new URL(page.url()).pathname === '/ui/requirements/PG-018', `it leads to ${page.url()}`);
  await isSigned(project, 'PG-018', before, 'The operator has seen it for a week.', expect);
  const noted = await visitor.take();
  expect(!noted.csp.length && !noted.console.length, `noted: ${JSON.stringify(noted)}`);
  await visitor.leave();
}

// tab goes by Tab to what a function of the page finds.
async function tab(page, what, isThere, argument) {
  for (let n = 0; n < 200; n++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(isThere, argument)) return;
  }
  throw new Error(`Tab does not lead to ${what}`);
}

async function keyboard(browser, project, expect) {
  const visitor = await Visitor.arrive(browser, project);
  const { page } = visitor;
  const before = await current(project, 'PG-035');
  const focused = (selector) => document.activeElement?.matches(selector);
  await visitor.go('/ui/');
  if (!await page.evaluate(focused, 'input[name=token]')) await tab(page, 'the token', focused, 'input[name=token]');
  await page.keyboard.type(project.token('paula'));
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('nav'));
  await tab(page, 'the requirement', (title) => document.activeElement?.matches('main a') && document.activeElement.textContent.includes(title), before.title);
  await page.keyboard.press('Enter');
  await page.waitForFunction((title) => document.querySelector('h1')?.innerText.includes(title), before.title);
  const box = 'input[name=rests]';
  await tab(page, 'what it rests on', (selector) => document.activeElement?.matches(selector) && /^Approve/m.test(document.activeElement.form.innerText), box);
  if (!await page.evaluate(() => document.activeElement.checked)) await page.keyboard.press('Space');
  expect(await page.evaluate(() => document.activeElement.checked), 'Space does not tick what it rests on');
  await tab(page, 'the reason', focused, 'textarea');
  await page.keyboard.type('Signed without a mouse.');
  await tab(page, 'the button', () => /^Approve/.test(document.activeElement?.innerText ?? ''));
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: /done/i }).first().waitFor();
  await isSigned(project, 'PG-035', before, 'Signed without a mouse.', expect);
  await visitor.leave();
}

async function withoutScript(browser, project, expect) {
  await project.patch('paula', 'PG-007', { deviations: [{ id: 'D-1', resolution: { outcome: 'accepted', text: 'The row is enough.' } }] });
  const visitor = await arrive(browser, project, 'paula', { javaScriptEnabled: false });
  const { page } = visitor;
  const before = await current(project, 'PG-007');
  await visitor.go('/ui/requirements/PG-007');
  await formOf(approve(page)).locator('textarea').fill('Signed without a script.');
  await approve(page).click();
  await page.getByText(/it is done/i).first().waitFor();
  await isSigned(project, 'PG-007', before, 'Signed without a script.', expect);
  await visitor.leave();
}

// refused sends what has become old, and wants the reason with what was typed.
async function refused(browser, project, expect) {
  const visitor = await arrive(browser, project, 'paula');
  const { page } = visitor;
  await visitor.go('/ui/requirements/PG-032');
  const { text, button } = await note(page);
  await text.fill('Typed while somebody else was faster.');
  await project.patch('paula', 'PG-032', { pm_notes: [{ text: 'Faster.' }] });
  const [answer] = await Promise.all([page.waitForResponse((one) => one.request().method() === 'POST'), button.click()]);
  expect(answer.status() === 412, `an old form is answered with ${answer.status()}`);
  const panel = page.getByRole('alert');
  await panel.waitFor();
  expect(/stale_revision/.test(await panel.innerText()), 'the panel has no code');
  expect(await panel.evaluate((element) => element.contains(document.activeElement)), 'the focus is not in the panel');
  expect(await page.locator('textarea').evaluateAll((all) => all.some((one) => one.value === 'Typed while somebody else was faster.')), 'what was typed is gone');
  for (const problem of await looks.axe(page, browser.axe)) expect(false, `axe: ${problem}`);
  for (const problem of await looks.scroll(page)) expect(false, `scroll: ${problem}`);
  await visitor.leave();
}

async function twice(browser, project, expect) {
  const visitor = await arrive(browser, project, 'paula');
  const { page } = visitor;
  const before = await current(project, 'PG-030');
  await visitor.go('/ui/requirements/PG-030');
  const { text, button } = await note(page);
  await text.fill('Said once.');
  await button.dblclick();
  await page.getByRole('status').filter({ hasText: /note/i }).first().waitFor();
  const { pm_notes: notes } = await current(project, 'PG-030');
  expect(notes.length === (before.pm_notes?.length ?? 0) + 1, `a double click wrote ${notes.length} notes`);
  await visitor.leave();
}

async function live(browser, project, expect) {
  const dossier = await arrive(browser, project, 'vera');
  await dossier.go('/ui/requirements/PG-039');
  const list = await arrive(browser, project, 'tess');
  const { title } = await current(project, 'PG-032');
  expect(!(await list.page.locator('main').innerText()).includes(title), `${title} waits for the tester already`);
  await Promise.all([mark(dossier.page), mark(list.page)]);
  await dossier.page.mouse.move(0, 0);
  await move(project, 'PG-039', 'planned');
  await move(project, 'PG-032', 'test_in_progress');
  expect(await soon(async () => /The rest is agreed\./.test(await dossier.page.locator('main').innerText())), 'a move does not appear in the dossier within 10 s');
  expect(await soon(async () => (await list.page.locator('main').innerText()).includes(title)), 'what waits for the tester does not appear within 10 s');
  expect(await kept(dossier.page) && await kept(list.page), 'the page was loaded anew');
  for (const visitor of [dossier, list]) {
    const noted = await visitor.take();
    expect(!noted.csp.length && !noted.console.length && !noted.origin.length, `noted: ${JSON.stringify(noted)}`);
    await visitor.leave();
  }
}

// isKept wants what was typed to be there still, and the focus in it.
async function isKept(page, text, value, expect) {
  expect(await text.inputValue() === value, `what was typed became "${await text.inputValue()}"`);
  expect(await text.evaluate((element) => element === document.activeElement), 'the focus is lost');
  expect(await kept(page), 'the page was loaded anew');
}

async function typed(browser, project, expect) {
  const visitor = await arrive(browser, project, 'paula');
  const { page } = visitor;
  await visitor.go('/ui/requirements/PG-008');
  await mark(page);
  const { text } = await note(page);
  await text.pressSequentially('Half a sen');
  await project.patch('arno', 'PG-008', { design_spec: { summary: 'Ninety seconds, by a timer in each lane.' } });
  const shown = () => page.getByText(/wrote the design|since you opened this page/).first().isVisible();
  expect(await soon(shown), 'nothing says within 10 s that something has changed');
  await isKept(page, text, 'Half a sen', expect);
  await visitor.leave();
}

// covered changes what a signature would cover, while its reason is being written.
async function covered(browser, project, expect) {
  const one = requirements().find(({ id }) => id === 'PG-033');
  const path = `${at(one.id)}/test-report?commit=${project.git('rev-parse', 'HEAD')}`;
  const { requirement } = await project.must('tess', 'POST', path, report(one), { 'Content-Type': 'application/xml' });
  const evidence = requirement.test.evidence.map(({ found, ...cited }) => cited);
  await project.patch('tess', one.id, { status: 'tested_pass', justification: { reason: 'All are green.', evidence } });
  const visitor = await arrive(browser, project, 'paula');
  const { page } = visitor;
  await visitor.go(`/ui/requirements/${one.id}`);
  await mark(page);
  const text = formOf(approve(page)).locator('textarea');
  await text.pressSequentially('The operator has');
  await project.patch('cora', one.id, { implementation: { summary: 'By another way.', files: [one.code] } });
  expect(await soon(async () => !await approve(page).isVisible()), 'what it covers has changed, and the button is still there after 10 s');
  expect(/changed at \d\d:\d\d/.test(await page.locator('main').innerText()), 'no sentence says when that changed');
  const field = page.locator('textarea').filter({ visible: true }).first();
  await isKept(page, field, 'The operator has', expect);
  await visitor.leave();
}

// elsewhere serves a page on a port of its own, which sends forms and requests to the service.
async function elsewhere(serve) {
  const server = http.createServer((asked, answer) => {
    answer.writeHead(200, { 'Content-Type': 'text/html' });
    answer.end(serve);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function crossOrigin(browser, project, expect) {
  const visitor = await arrive(browser, project, 'paula');
  const { page, context } = visitor;
  await visitor.go('/ui/requirements/PG-031');
  const { form } = await note(page);
  const fields = await form.evaluate((element) => [...new FormData(element)].map(([name, value]) => [name, name === 'text' ? 'From another page.' : value]));
  const before = await current(project, 'PG-031');
  const input = ([name, value]) => `<input name="${name}" value="${value.replace(/[&"]/g, (c) => `&#${c.charCodeAt(0)};`)}">`;
  const server = await elsewhere(`<form method="post" action="${project.url}/ui/requirements/PG-031">${fields.map(input).join('')}<button>a</button></form>
    <form method="post" action="${project.url}/ui/sign-out"><button>b</button></form>`);
  try {
    for (const host of ['127.0.0.1', 'localhost']) {
      const other = await context.newPage();
      for (const button of ['a', 'b']) {
        await other.goto(`http://${host}:${server.address().port}/`);
        const [answer] = await Promise.all([other.waitForResponse((one) => one.request().method() === 'POST'), other.getByRole('button', { name: button, exact: true }).click()]);
        expect(answer.status() === 403, `a form of ${host} on another port is answered with ${answer.status()}`);
      }
      await other.goto(`http://${host}:${server.address().port}/`);
      const read = await other.evaluate((url) => fetch(url, { credentials: 'include' }).then((got) => got.text()).then(() => 'read', () => 'refused'), `${project.url}/ui/`);
      expect(read === 'refused', `a page of ${host} on another port can read the pages`);
      await other.close();
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
  const after = await current(project, 'PG-031');
  expect(after.revision === before.revision, 'a page of another origin changed the requirement');
  expect((await visitor.go('/ui/')).text.includes('Sign out'), 'a page of another origin ended the session');
  const cookies = await context.cookies(`${project.url}/ui/`);
  expect(cookies.length > 0 && cookies.every((one) => one.httpOnly && one.sameSite !== 'None'), `the cookies are ${JSON.stringify(cookies)}`);
  const api = await context.request.get(`${project.url}/requirements`);
  expect(api.status() === 401, `the API takes the cookie of the pages: ${api.status()}`);
  await visitor.leave();
}

async function revoked(browser, project, expect) {
  project.addToken('rita', 'pm');
  const visitor = await arrive(browser, project, 'rita');
  const { page } = visitor;
  await visitor.go('/ui/requirements/PG-024');
  const { text, button } = await note(page);
  await text.fill('Typed before the token was revoked.');
  project.cli('token', 'revoke', '--name', 'rita');
  await until('the end of the token', async () => (await project.ask('rita', 'GET', '/requirements?limit=1')).status === 401);
  await button.click();
  await page.locator('input[name=token]').waitFor();
  expect(/revoked/i.test(await page.locator('main').innerText()), 'the page to sign in does not say why');
  expect(!(await current(project, 'PG-024')).pm_notes?.length, 'the note was written with a token that was revoked');
  await page.fill('input[name=token]', project.token('rita'));
  await page.press('input[name=token]', 'Enter');
  await page.getByRole('alert').waitFor();
  await page.fill('input[name=token]', project.token('paula'));
  await page.press('input[name=token]', 'Enter');
  await page.waitForURL((url) => url.pathname === '/ui/requirements/PG-024');
  expect(await page.locator('textarea').evaluateAll((all) => all.some((one) => one.value.startsWith('Typed before'))), 'what was typed does not come back');
  await visitor.leave();
}

async function old(browser, project, expect) {
  const visitor = await arrive(browser, project, 'paula');
  const { page } = visitor;
  await page.clock.install();
  await visitor.go('/ui/');
  await mark(page);
  let away = true;
  await page.route('**/ui/**', (route) => (away ? route.abort() : route.continue()));
  await page.clock.fastForward('25:00:00');
  expect(await soon(async () => /\bold\b/.test(await page.locator('#live').innerText().catch(() => '')), 20), 'a page that is a day old does not say so');
  expect(await kept(page), 'the page was loaded anew while the service is out of reach');
  away = false;
  await page.clock.fastForward('00:01:00');
  expect(await soon(async () => !await kept(page).catch(() => true), 30), 'a page that is a day old does not load itself anew');
  await visitor.leave();
}

async function theme(browser, project, expect) {
  const visitor = await arrive(browser, project, 'vera');
  const { page } = visitor;
  const ink = () => page.locator('h1').evaluate((element) => getComputedStyle(element).color);
  const light = await ink();
  await page.getByRole('button', { name: 'Dark', exact: true }).click();
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
  expect(await ink() !== light, 'the dark theme has the ink of the light one');
  expect(new URL(page.url()).pathname === '/ui/', `choosing a theme leads to ${page.url()}`);
  await page.getByRole('button', { name: /as the system/i }).click();
  await page.waitForFunction(() => !document.documentElement.dataset.theme);
  await visitor.leave();
}

async function broken(browser, project, expect) {
  const visitor = await arrive(browser, project, 'vera');
  const whole = project.read('REQUIREMENTS.md');
  project.write('REQUIREMENTS.md', `${whole}\n### PG-001: Another with the id of the first\n\nText.\n`);
  await project.ask('paula', 'POST', '/project/import');
  await visitor.go('/ui/');
  const said = await visitor.page.locator('body').innerText();
  expect(/REQUIREMENTS\.md was not imported/.test(said) && /line \d+/.test(said), 'a document that cannot be imported is not named');
  project.write('REQUIREMENTS.md', whole);
  await project.must('paula', 'POST', '/project/import');
  await visitor.go('/ui/');
  expect(!/was not imported/.test(await visitor.page.locator('body').innerText()), 'a document that was mended is still named');
  await visitor.leave();
}

async function restarted(browser, project, expect) {
  const visitor = await arrive(browser, project, 'paula');
  const { page } = visitor;
  const notice = (pattern) => soon(async () => pattern.test(await page.locator('#live').innerText().catch(() => '')), 30);
  await project.stop();
  expect(await notice(/not live since \d\d:\d\d/i), 'the page does not say that it is not live');
  await project.start(...project.options);
  expect(await notice(/signed out/i), 'the page does not say that the restart has signed everybody out');
  await page.reload();
  await page.locator('input[name=token]').waitFor();
  await visitor.leave();
}

export const flows = {
  'sign-off': signOff, keyboard, 'without-script': withoutScript, refused, twice, live, typed, covered, 'cross-origin': crossOrigin, revoked, old, theme, broken,
  restarted,
};
