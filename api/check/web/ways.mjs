// What several flows do: arrive, open a form, and look whether something has happened.
import { Visitor } from './browser.mjs';
import { until } from './service.mjs';

export const at = (id) => `/requirements/${id}`;
const readme = [{ kind: 'file', path: 'README.md', lines: '1-3' }];
export const move = (project, id, status) =>
  project.patch('paula', id, { status, justification: { reason: 'The rest is agreed.', evidence: readme } });
export const current = (project, id) => project.must('vera', 'GET', at(id));
export const arrive = async (browser, project, who, options) =>
  (await Visitor.arrive(browser, project, options)).signIn(who);

// soon reports whether something happens within some seconds.
export const soon = (happened, seconds = 10) =>
  until('it', happened, seconds).then(
    () => true,
    () => false,
  );

// kept reports whether the page is the one that was marked: nothing has loaded it anew.
export const mark = (page) =>
  page.evaluate(() => {
    window.__same = true;
  });
export const kept = (page) => page.evaluate(() => window.__same === true);

export const approve = (page) => page.getByRole('button', { name: /^Approve .* mark it done/ });
export const formOf = (button) => button.locator('xpath=ancestor::form');

// isSigned wants a requirement to be done, by one record more, in the name of the pm.
export async function isSigned(project, id, before, reason, expect) {
  const now = await current(project, id);
  expect(now.status === 'done', `${id} is ${now.status}, not done`);
  expect(now.revision === before.revision + 1, `${id} went from revision ${before.revision} to ${now.revision}`);
  const last = now.history.at(-1);
  expect(
    last.by === 'paula' && last.justification.reason === reason,
    `the log has ${JSON.stringify(last).slice(0, 200)}`,
  );
  expect(now.approvals?.at(-1)?.decision === 'approved', 'the approval is missing');
}

// note opens the form for a note, and returns its text field and button.
export async function note(page) {
  const summary = page.locator('summary', { hasText: /note/i });
  await summary.click();
  const form = summary.locator('xpath=ancestor::details').locator('form');
  return { text: form.locator('textarea'), button: form.getByRole('button').first(), form };
}
