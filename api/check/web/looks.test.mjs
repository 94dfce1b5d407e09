// Holds the looks against pages that have one fault each, and against one that has none:
//
//	TOOLS=FOLDER node --test looks.test.mjs
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { open, Visitor } from './browser.mjs';
import * as looks from './looks.mjs';

const style = ':focus-visible { outline: 2px solid #00f } p { margin: 24px 0 }';
const page = (
  body,
  css = '',
) => `<!doctype html><html lang="en"><head><title>Garage</title><style>${style}${css}</style></head>
  <body><a href="#content">To the content</a><main id="content" tabindex="-1">${body}</main></body></html>`;
const sound = '<h1>Two cars wait</h1><p>The barrier is closed.</p><p><a href="/other">Open it</a></p>';
const long = 'x'.repeat(4000);

// faulty are pages with the one look that must see what is wrong with each.
const faulty = {
  axe: page(`${sound}<img src="/x.png">`),
  contrast: page(`${sound}<p class="pale">It is hardly to be read.</p>`, '.pale { color: #bbb; background: #fff }'),
  target: page(
    `${sound}<p><button class="small">a</button><button class="small">b</button></p>`,
    '.small { width: 9px; height: 9px; padding: 0; border: 0; font-size: 6px }',
  ),
  scroll: page(`${sound}<table><tr><td style="min-width:1000px">wide</td></tr></table>`),
  outside: page(`${sound}<p style="position:absolute;left:-400px">Nobody sees this sentence.</p>`),
  cut: page(`${sound}<p class="cut">${long}</p>`, '.cut { overflow: hidden; width: 200px; white-space: nowrap }'),
  broken: page(`${sound}<p class="narrow">Stuck</p>`, '.narrow { width: 20px; overflow-wrap: anywhere }'),
  focus: page(sound, ':focus-visible { outline: none }'),
  thin: page(sound, ':focus-visible { outline-width: 1px }'),
  hidden: page(`${sound}<p><a href="/b" style="position:fixed;left:-900px">Away</a></p>`),
  skip: page(sound).replace('<a href="#content">To the content</a>', ''),
  head: page('<p>No heading.</p>'),
  weight: page(`${sound}<p>${randomBytes(50_000).toString('base64')}</p>`),
  console: page(`${sound}<script>console.error('it broke')</script>`),
  thrown: page(`${sound}<script>throw new Error('it broke')</script>`),
  script: page(`${sound}<img alt="" src="/missing" onerror="window.__pwned='note'">`),
  dialog: page(`${sound}<script>alert(1)</script>`),
  origin: page(`${sound}<img alt="" src="http://localhost:9/x.png">`),
  csp: page(`${sound}<script>1</script>`),
  scroller: page(
    `${sound}<div tabindex="0" role="region" aria-label="Lanes" style="overflow-x:auto"><p style="width:3000px">${'lane '.repeat(300)}</p></div>`,
  ),
  sound: page(sound),
};
const policies = { csp: "default-src 'none'; style-src 'unsafe-inline'" };

let browser, visitor, server;
before(async () => {
  server = http.createServer((asked, answer) => {
    const name = asked.url.slice(1);
    if (!faulty[name]) return answer.writeHead(404).end();
    return answer
      .writeHead(200, {
        'Content-Type': 'text/html',
        ...(policies[name] && { 'Content-Security-Policy': policies[name] }),
      })
      .end(faulty[name]);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  browser = await open(process.env.TOOLS);
  visitor = await Visitor.arrive(browser, { url: `http://127.0.0.1:${server.address().port}` });
});
after(async () => {
  await browser?.close();
  server.close();
  server.closeAllConnections();
});

// all returns what every look finds of a page.
async function all(name) {
  const { text } = await visitor.go(`/${name}`);
  const noted = await visitor.take();
  const { page: shown } = visitor;
  const found = {
    ...noted,
    head: await looks.head(shown),
    weight: looks.weight(text),
    axe: await looks.axe(shown, browser.axe),
    text: await looks.text(shown),
    focus: await looks.focus(shown, 20),
    scroll: await looks.scroll(shown),
  };
  return Object.fromEntries(Object.entries(found).filter(([, problems]) => problems.length));
}

const sees = {
  axe: ['axe', /image-alt/],
  contrast: ['axe', /color-contrast/],
  target: ['axe', /target-size/],
  scroll: ['scroll', /at 320: 6\d\d px too wide.*(td|table)/],
  outside: ['text', /outside of the window/],
  cut: ['text', /cut off/],
  broken: ['text', /"Stuck".*broken/],
  focus: ['focus', /no outline of 2 px/],
  thin: ['focus', /1 px/],
  hidden: ['focus', /outside of the window/],
  skip: ['focus', /first stop/],
  head: ['head', /0 headings/],
  weight: ['weight', /KB compressed/],
  console: ['console', /it broke/],
  thrown: ['console', /it broke/],
  script: ['script', /note ran as a script/],
  dialog: ['script', /dialog/],
  origin: ['origin', /localhost:9/],
  csp: ['csp', /script-src/],
};
for (const [name, [look, pattern]] of Object.entries(sees)) {
  test(`${look} sees ${name}`, async () => {
    const found = await all(name);
    assert.match((found[look] ?? []).join('\n'), pattern, JSON.stringify(found));
  });
}
for (const name of ['sound', 'scroller']) {
  test(`nothing is wrong with ${name}`, async () => assert.deepEqual(await all(name), {}));
}
