// How pages live on while the project changes, the service is away, or days pass.
import { report, requirements } from './garage.mjs';
import { approve, arrive, at, current, formOf, kept, mark, move, note, soon } from './ways.mjs';

export async function live(browser, project, expect) {
  const dossier = await arrive(browser, project, 'vera');
  await dossier.go('/ui/requirements/PG-039');
  const list = await arrive(browser, project, 'tess');
  const { title } = await current(project, 'PG-032');
  const waits = () => list.page.locator('main a:not(aside a)', { hasText: title }).first().isVisible();
  expect(!(await waits()), `${title} waits for the tester already`);
  await Promise.all([mark(dossier.page), mark(list.page)]);
  await dossier.page.mouse.move(0, 0);
  await move(project, 'PG-039', 'planned');
  await move(project, 'PG-032', 'test_in_progress');
  expect(
    await soon(async () => /The rest is agreed\./.test(await dossier.page.locator('main').innerText())),
    'a move does not appear in the dossier within 10 s',
  );
  expect(await soon(waits), 'what waits for the tester does not appear within 10 s');
  expect((await kept(dossier.page)) && (await kept(list.page)), 'the page was loaded anew');
  for (const visitor of [dossier, list]) {
    const noted = await visitor.take();
    expect(!noted.csp.length && !noted.console.length && !noted.origin.length, `noted: ${JSON.stringify(noted)}`);
    await visitor.leave();
  }
}

// isKept wants what was typed to be there still, and the focus in it.
async function isKept(page, text, value, expect) {
  expect((await text.inputValue()) === value, `what was typed became "${await text.inputValue()}"`);
  expect(await text.evaluate((element) => element === document.activeElement), 'the focus is lost');
  expect(await kept(page), 'the page was loaded anew');
}

export async function typed(browser, project, expect) {
  const visitor = await arrive(browser, project, 'paula');
  const { page } = visitor;
  await visitor.go('/ui/requirements/PG-008');
  await mark(page);
  const { text } = await note(page);
  await text.pressSequentially('Half a sen');
  await project.patch('arno', 'PG-008', { design_spec: { summary: 'Ninety seconds, by a timer in each lane.' } });
  const shown = () =>
    page
      .getByText(/wrote the design|since you opened this page/)
      .first()
      .isVisible();
  expect(await soon(shown), 'nothing says within 10 s that something has changed');
  await isKept(page, text, 'Half a sen', expect);
  await visitor.leave();
}

// covered changes what a signature would cover, while its reason is being written.
export async function covered(browser, project, expect) {
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
  expect(
    await soon(async () => !(await approve(page).isVisible())),
    'what it covers has changed, and the button is still there after 10 s',
  );
  expect(/changed at \d\d:\d\d/.test(await page.locator('main').innerText()), 'no sentence says when that changed');
  const field = page.locator('textarea').filter({ visible: true }).first();
  await isKept(page, field, 'The operator has', expect);
  expect(
    await soon(async () => (await page.locator('#implementation').innerText()).includes('By another way.')),
    'what the form covers is not kept up with it',
  );
  await visitor.leave();
}

export async function old(browser, project, expect) {
  const visitor = await arrive(browser, project, 'paula');
  const { page } = visitor;
  await page.clock.install();
  await visitor.go('/ui/');
  await mark(page);
  let away = true;
  await page.route('**/ui/**', (route) => (away ? route.abort() : route.continue()));
  await page.clock.fastForward('25:00:00');
  expect(
    await soon(
      async () =>
        /\bold\b/.test(
          await page
            .locator('#live')
            .innerText()
            .catch(() => ''),
        ),
      20,
    ),
    'a page that is a day old does not say so',
  );
  expect(await kept(page), 'the page was loaded anew while the service is out of reach');
  away = false;
  await page.clock.fastForward('00:01:00');
  expect(
    await soon(async () => !(await kept(page).catch(() => true)), 30),
    'a page that is a day old does not load itself anew',
  );
  await visitor.leave();
}

export async function restarted(browser, project, expect) {
  const visitor = await arrive(browser, project, 'paula');
  const { page } = visitor;
  const notice = (pattern) =>
    soon(
      async () =>
        pattern.test(
          await page
            .locator('#live')
            .innerText()
            .catch(() => ''),
        ),
      30,
    );
  await project.stop();
  expect(await notice(/not live since \d\d:\d\d/i), 'the page does not say that it is not live');
  await project.start(...project.options);
  expect(await notice(/signed out/i), 'the page does not say that the restart has signed everybody out');
  await page.reload();
  await page.locator('input[name=token]').waitFor();
  await visitor.leave();
}
