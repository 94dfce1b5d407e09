// What people do at the pages, and what others try with them. Each flow takes a browser, a project of 40 requirements, and
// expect, which notes what does not hold. A project is shared: each flow changes requirements of its own.
import { once } from 'node:events';
import http from 'node:http';
import { covered, live, old, restarted, typed } from './living.mjs';
import { until } from './service.mjs';
import { keyboard, refused, signOff, twice, withoutScript } from './signing.mjs';
import { arrive, current, note } from './ways.mjs';

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
  const fields = await form.evaluate((element) =>
    [...new FormData(element)].map(([name, value]) => [name, name === 'text' ? 'From another page.' : value]),
  );
  const before = await current(project, 'PG-031');
  const input = ([name, value]) =>
    `<input name="${name}" value="${value.replace(/[&"]/g, (c) => `&#${c.charCodeAt(0)};`)}">`;
  const server =
    await elsewhere(`<form method="post" action="${project.url}/ui/requirements/PG-031">${fields.map(input).join('')}<button>a</button></form>
    <form method="post" action="${project.url}/ui/sign-out"><button>b</button></form>`);
  try {
    for (const host of ['127.0.0.1', 'localhost']) {
      const other = await context.newPage();
      for (const button of ['a', 'b']) {
        await other.goto(`http://${host}:${server.address().port}/`);
        const [answer] = await Promise.all([
          other.waitForResponse((one) => one.request().method() === 'POST'),
          other.getByRole('button', { name: button, exact: true }).click(),
        ]);
        expect(answer.status() === 403, `a form of ${host} on another port is answered with ${answer.status()}`);
      }
      await other.goto(`http://${host}:${server.address().port}/`);
      const read = await other.evaluate(
        (url) =>
          fetch(url, { credentials: 'include' })
            .then((got) => got.text())
            .then(
              () => 'read',
              () => 'refused',
            ),
        `${project.url}/ui/`,
      );
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
  expect(
    cookies.length > 0 && cookies.every((one) => one.httpOnly && one.sameSite !== 'None'),
    `the cookies are ${JSON.stringify(cookies)}`,
  );
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
  await until(
    'the end of the token',
    async () => (await project.ask('rita', 'GET', '/requirements?limit=1')).status === 401,
  );
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
  expect(
    await page.locator('textarea').evaluateAll((all) => all.some((one) => one.value.startsWith('Typed before'))),
    'what was typed does not come back',
  );
  await visitor.leave();
}

async function theme(browser, project, expect) {
  const visitor = await arrive(browser, project, 'vera');
  const { page } = visitor;
  const ink = () => page.locator('h1').evaluate((element) => getComputedStyle(element).color);
  const light = await ink();
  await page.getByRole('button', { name: 'Dark', exact: true }).click();
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
  expect((await ink()) !== light, 'the dark theme has the ink of the light one');
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
  expect(
    /REQUIREMENTS\.md was not imported/.test(said) && /line \d+/.test(said),
    'a document that cannot be imported is not named',
  );
  project.write('REQUIREMENTS.md', whole);
  await project.must('paula', 'POST', '/project/import');
  await visitor.go('/ui/');
  expect(
    !/was not imported/.test(await visitor.page.locator('body').innerText()),
    'a document that was mended is still named',
  );
  await visitor.leave();
}

export const flows = {
  'sign-off': signOff,
  keyboard,
  'without-script': withoutScript,
  refused,
  twice,
  live,
  typed,
  covered,
  'cross-origin': crossOrigin,
  revoked,
  old,
  theme,
  broken,
  restarted,
};
