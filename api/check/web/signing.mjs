// How people sign: by hand, by keyboard alone, without a script, too late, and twice.
import { Visitor } from './browser.mjs';
import * as looks from './looks.mjs';
import { approve, arrive, current, formOf, isSigned, note } from './ways.mjs';

export async function signOff(browser, project, expect) {
  const visitor = await arrive(browser, project, 'paula');
  const { page } = visitor;
  const before = await current(project, 'PG-018');
  await page.getByRole('link', { name: before.title }).first().click();
  await page.waitForLoadState();
  expect(
    (await page.locator('h1').innerText()).includes(before.title),
    'the link from the first page does not lead to the requirement',
  );
  const form = formOf(approve(page));
  expect((await form.locator('input[name=rests]').count()) > 0, 'there is nothing to rest on');
  await form.locator('textarea').fill('It is tried first.');
  await form.getByRole('button', { name: /^Try it/ }).click();
  await page
    .getByText(/nothing was changed/i)
    .first()
    .waitFor();
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

export async function keyboard(browser, project, expect) {
  const visitor = await Visitor.arrive(browser, project);
  const { page } = visitor;
  const before = await current(project, 'PG-035');
  const focused = (selector) => document.activeElement?.matches(selector);
  await visitor.go('/ui/');
  if (!(await page.evaluate(focused, 'input[name=token]'))) await tab(page, 'the token', focused, 'input[name=token]');
  await page.keyboard.type(project.token('paula'));
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('nav'));
  await tab(
    page,
    'the requirement',
    (title) => document.activeElement?.matches('main a') && document.activeElement.textContent.includes(title),
    before.title,
  );
  await page.keyboard.press('Enter');
  await page.waitForFunction((title) => document.querySelector('h1')?.innerText.includes(title), before.title);
  const box = 'input[name=rests]';
  await tab(
    page,
    'what it rests on',
    (selector) => document.activeElement?.matches(selector) && /^Approve/m.test(document.activeElement.form.innerText),
    box,
  );
  if (!(await page.evaluate(() => document.activeElement.checked))) await page.keyboard.press('Space');
  expect(await page.evaluate(() => document.activeElement.checked), 'Space does not tick what it rests on');
  await tab(page, 'the reason', focused, 'textarea');
  await page.keyboard.type('Signed without a mouse.');
  await tab(page, 'the button', () => /^Approve/.test(document.activeElement?.innerText ?? ''));
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: /done/i }).first().waitFor();
  await isSigned(project, 'PG-035', before, 'Signed without a mouse.', expect);
  await visitor.leave();
}

export async function withoutScript(browser, project, expect) {
  await project.patch('paula', 'PG-007', {
    deviations: [{ id: 'D-1', resolution: { outcome: 'accepted', text: 'The row is enough.' } }],
  });
  const visitor = await arrive(browser, project, 'paula', { javaScriptEnabled: false });
  const { page } = visitor;
  const before = await current(project, 'PG-007');
  await visitor.go('/ui/requirements/PG-007');
  await formOf(approve(page)).locator('textarea').fill('Signed without a script.');
  await approve(page).click();
  await page
    .getByText(/it is done/i)
    .first()
    .waitFor();
  await isSigned(project, 'PG-007', before, 'Signed without a script.', expect);
  await visitor.leave();
}

// refused sends what has become old, and wants the reason with what was typed.
export async function refused(browser, project, expect) {
  const visitor = await arrive(browser, project, 'paula');
  const { page } = visitor;
  await visitor.go('/ui/requirements/PG-032');
  const { text, button } = await note(page);
  await text.fill('Typed while somebody else was faster.');
  await project.patch('paula', 'PG-032', { pm_notes: [{ text: 'Faster.' }] });
  const [answer] = await Promise.all([
    page.waitForResponse((one) => one.request().method() === 'POST'),
    button.click(),
  ]);
  expect(answer.status() === 412, `an old form is answered with ${answer.status()}`);
  const panel = page.getByRole('alert');
  await panel.waitFor();
  expect(/stale_revision/.test(await panel.innerText()), 'the panel has no code');
  expect(await panel.evaluate((element) => element.contains(document.activeElement)), 'the focus is not in the panel');
  expect(
    await page
      .locator('textarea')
      .evaluateAll((all) => all.some((one) => one.value === 'Typed while somebody else was faster.')),
    'what was typed is gone',
  );
  for (const problem of await looks.axe(page, browser.axe)) expect(false, `axe: ${problem}`);
  for (const problem of await looks.scroll(page)) expect(false, `scroll: ${problem}`);
  await visitor.leave();
}

export async function twice(browser, project, expect) {
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
