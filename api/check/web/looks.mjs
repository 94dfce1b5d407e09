// What is looked at on a page. Each look returns a list of what is wrong.
import { gzipSync } from 'node:zlib';

// widths are those at which a page must not scroll sideways: the borders of the layout, and what devices have.
export const widths = [320, 360, 390, 480, 640, 719, 720, 768, 900, 1024, 1199, 1200, 1280, 1440, 1920];

const heaviest = 45 * 1024; // bytes of a page, compressed

// begin puts a page where it is when it was opened: at its top, with nothing in focus, and Tab leads to the first stop.
export async function begin(page) {
  await page.evaluate(() => {
    const first = document.createElement('span');
    first.tabIndex = -1;
    document.body.prepend(first);
    first.focus();
    first.remove();
    scrollTo(0, 0);
  });
}

// axe has the rules of axe-core look, with that for the size of targets, which is off by default.
export async function axe(page, source) {
  await begin(page);
  await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, {
      resultTypes: ['violations'],
      rules: { 'target-size': { enabled: true } },
    });
    return violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      count: nodes.length,
      first: nodes[0].target.join(' '),
      html: nodes[0].html.slice(0, 160),
      summary: nodes[0].failureSummary.split('\n').slice(1, 2).join('').trim().slice(0, 220),
    }));
  });
  return violations.map((v) => `${v.id} (${v.impact}), ${v.count} times, first ${v.first}: ${v.summary}: ${v.html}`);
}

// scroll has the page at each width, and says where it is wider than the window, and because of what.
export async function scroll(page) {
  const wrong = [];
  const before = page.viewportSize();
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const found = await page.evaluate(() => {
      const wide = document.scrollingElement;
      if (wide.scrollWidth <= wide.clientWidth) return undefined;
      const right = (element) => element.getBoundingClientRect().right;
      const widest = [...document.body.querySelectorAll('*')]
        .filter((element) => right(element) > wide.clientWidth + 0.5)
        .sort(
          (a, b) => right(b) - right(a) || (b.compareDocumentPosition(a) & Node.DOCUMENT_POSITION_FOLLOWING && 1),
        )[0];
      return `${wide.scrollWidth - wide.clientWidth} px too wide${widest ? `, for ${widest.outerHTML.slice(0, 120)}` : ''}`;
    });
    if (found) wrong.push(`at ${width}: ${found}`);
  }
  await page.setViewportSize(before);
  return wrong;
}

// text finds words that lie outside of the window and of every scroller, are cut off, or are broken over lines.
export function text(page) {
  return page.evaluate(() => {
    const wrong = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const cut = (style) => /hidden|clip/.test(style.overflowX);
    const scrolls = (style) => /auto|scroll/.test(style.overflowX);
    // heard is what is only for those who hear a page.
    const heard = (element) => {
      if (element === document.documentElement) return false;
      const style = getComputedStyle(element),
        box = element.getBoundingClientRect();
      return (
        style.clipPath !== 'none' ||
        style.clip !== 'auto' ||
        (cut(style) && box.width <= 2 && box.height <= 2) ||
        heard(element.parentElement)
      );
    };
    // broken finds a short word that does not stand on one line.
    const broken = (node) => {
      const range = document.createRange();
      for (const { index, 0: word } of node.data.matchAll(/(?<!\S)\p{Script=Latin}{2,16}(?=[.,;:!?)]*(\s|$))/gu)) {
        range.setStart(node, index);
        range.setEnd(node, index + word.length);
        if (
          new Set([...range.getClientRects()].filter((box) => box.width > 0).map((box) => Math.round(box.top))).size > 1
        )
          return word;
      }
      return undefined;
    };
    for (let node = walker.nextNode(); node && wrong.length < 5; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!node.data.trim() || !parent.checkVisibility({ visibilityProperty: true }) || heard(parent)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      let left = Infinity,
        right = -Infinity;
      const boxes = [...range.getClientRects()];
      const word = boxes.length > 1 && broken(node);
      if (word) wrong.push(`"${word}" in <${parent.localName} class="${parent.className}"> is broken over lines`);
      for (const box of boxes) {
        if (box.width < 1) continue;
        left = Math.min(left, box.left);
        right = Math.max(right, box.right);
      }
      let verdict = left < -1 || right > innerWidth + 1 ? 'is outside of the window' : '';
      for (let element = parent; element && element !== document.documentElement; element = element.parentElement) {
        const style = getComputedStyle(element),
          box = element.getBoundingClientRect();
        if (
          scrolls(style) &&
          element.scrollWidth > element.clientWidth &&
          box.left >= -1 &&
          box.right <= innerWidth + 1
        ) {
          verdict = '';
          break;
        }
        if (cut(style) && element !== document.body && (left < box.left - 1 || right > box.right + 1))
          verdict = `is cut off by <${element.localName} class="${element.className}">`;
      }
      if (verdict)
        wrong.push(
          `"${node.data.trim().slice(0, 60)}" in <${parent.localName} class="${parent.className}"> ${verdict}: ${Math.round(left)} to ${Math.round(right)}`,
        );
    }
    return wrong;
  });
}

// focus goes through the page by Tab, and wants the first stop to lead to the content, and every stop to be seen.
export async function focus(page, most) {
  const wrong = [];
  await begin(page);
  await page.evaluate(() => {
    window.__stops = new Set();
  });
  for (let n = 0; n < most; n++) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      if (!element || element === document.body || window.__stops.has(element)) return undefined;
      window.__stops.add(element);
      const style = getComputedStyle(element),
        box = element.getBoundingClientRect();
      const transparent = /rgba\(.*, 0\)|transparent/.test(style.outlineColor);
      return {
        what: element.outerHTML.replace(/\s+/g, ' ').slice(0, 120),
        width: parseFloat(style.outlineWidth),
        style: style.outlineStyle,
        transparent,
        skip: element.matches('a[href^="#"]'),
        seen: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth && box.width > 0,
      };
    });
    if (!stop) {
      if (n === 0) wrong.push('Tab leads nowhere');
      break;
    }
    if (n === 0 && !stop.skip) wrong.push(`the first stop does not lead to the content: ${stop.what}`);
    if (stop.style === 'none' || stop.transparent || stop.width < 2)
      wrong.push(`no outline of 2 px (${stop.style} ${stop.width} px): ${stop.what}`);
    if (!stop.seen) wrong.push(`has the focus outside of the window: ${stop.what}`);
  }
  return wrong.slice(0, 5);
}

// head wants one heading that says something, a title and landmarks, also where there is nothing to show.
export function head(page) {
  return page.evaluate(() => {
    const wrong = [];
    const headings = [...document.querySelectorAll('h1')];
    if (headings.length !== 1) wrong.push(`${headings.length} headings of the first order`);
    if (headings.some((one) => !one.innerText.trim())) wrong.push('the heading is empty');
    if (!document.title.trim()) wrong.push('there is no title');
    if (!document.querySelector('main')?.innerText.trim()) wrong.push('nothing is shown');
    return wrong;
  });
}

// weight wants a page to be light.
export function weight(html) {
  const bytes = gzipSync(html).length;
  return bytes > heaviest ? [`${(bytes / 1024).toFixed(0)} KB compressed, of at most ${heaviest / 1024}`] : [];
}
