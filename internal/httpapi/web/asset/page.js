// The web page's own script: charts from tables, and what changed since the page was made. Without it everything works,
// by links and forms.
// Implements: ORC-333
{
  const root = document.documentElement, body = document.body;
  const every = (selector, within = document) => [...within.querySelectorAll(selector)];

  // Charts. A figure has data-chart, which is the name of one of these, and <div class="plot" aria-hidden="true">, which
  // is drawn from its table: from what stands in time and data there. uPlot is loaded before.
  const token = (name) => getComputedStyle(root).getPropertyValue('--' + name).trim();
  const value = (e) => e.dateTime ? Date.parse(e.dateTime) / 1e3 : +e.value;
  const rowsOf = (table, selector) => every('tbody tr', table).map((row) => every(selector, row));
  const textOf = (e) => e.textContent.trim();

  // write puts names beside points, none over another.
  const write = ({ ctx, bbox }, names) => {
    const px = devicePixelRatio;
    Object.assign(ctx, { font: 12 * px + 'px ' + token('sans'), textBaseline: 'middle', fillStyle: token('ink') });
    let below = bbox.top + bbox.height + 7 * px;
    for (const { text, x, y, end } of names.sort((a, b) => b.y - a.y)) {
      below = Math.min(y, below - 14 * px);
      ctx.textAlign = end ? 'end' : 'start';
      ctx.fillText(text, x + (end ? -8 : 8) * px, below);
    }
  };

  const plot = (to, width, data, series, draw) => new uPlot({
    width, height: 220, padding: [12, 72, 0, 0], legend: { show: false }, cursor: { show: false },
    tzDate: (s) => uPlot.tzDate(new Date(s * 1e3), 'Etc/UTC'),
    scales: { y: { range: (u, _, most) => [0, most * 1.05 || 1] } },
    axes: [{
      size: 32, grid: { show: false }, incrs: [1, 7, 28, 91, 364].map((days) => days * 86400),
      values: (u, times) => times.map((s) => new Date(s * 1e3)
        .toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })),
    }, { size: 44, grid: { stroke: token('line'), width: 1 } }].map((axis) => ({
      ...axis, stroke: token('ink-2'), font: '12px ' + token('sans'), ticks: { show: false },
    })),
    series: [{}, ...series], hooks: { draw: [draw] },
  }, data, to);

  // steps: the time of each row, then a line for each th with data-token, data-width and data-dash.
  const steps = (to, width, table) => {
    const rows = rowsOf(table, 'time, data').map((row) => row.map(value)).sort((a, b) => a[0] - b[0]);
    const heads = every('th[data-token]', table), data = rows[0].map((_, i) => rows.map((row) => row[i]));
    plot(to, width, data, heads.map(({ dataset: { token: name, width = 1.5, dash } }) => ({
      stroke: token(name), width: +width, dash: dash?.split(' '),
      paths: uPlot.paths.stepped({ align: 1 }), points: { show: !rows[1] },
    })), (u) => write(u, heads.map((head, i) => (
      { text: textOf(head), x: u.bbox.left + u.bbox.width, y: u.valToPos(data[i + 1].at(-1), 'y', true) }))));
  };

  // dots: the th, time and value of each row. Those over twice the median are named, the five largest.
  const dots = (to, width, table) => {
    const rows = rowsOf(table, 'tbody th, time, data').map(([head, ...at]) => [textOf(head), ...at.map(value)])
      .sort((a, b) => a[1] - b[1]);
    const values = rows.map((row) => row[2]), ink = token('ink-2');
    const median = values.toSorted((a, b) => a - b)[rows.length - 1 >> 1];
    plot(to, width, [rows.map((row) => row[1]), values], [{
      paths: () => null, points: { show: true, size: 8, width: 0, fill: ink },
    }], (u) => {
      const { ctx, bbox: { left, width } } = u, x = left + width, y = u.valToPos(median, 'y', true);
      ctx.setLineDash([4, 4]);
      ctx.strokeStyle = ink;
      ctx.stroke(new Path2D(`M${left} ${y}H${x}`));
      ctx.setLineDash([]);
      write(u, rows.filter((row) => row[2] > 2 * median).sort((a, b) => b[2] - a[2]).slice(0, 5).map((row) => {
        const at = u.valToPos(row[1], 'x', true);
        return { text: row[0], x: at, y: u.valToPos(row[2], 'y', true), end: at > x - width / 2 };
      }).concat({ text: 'median', x, y }));
    });
  };

  // bars: the th of each row, with data-token, its median, and its 90th percentile.
  const bars = (to, width, table) => {
    const put = (parent, tag, attributes, text = '') => {
      const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
      for (const name in attributes) element.setAttribute(name, attributes[name]);
      element.textContent = text;
      return parent.appendChild(element);
    };
    const rows = rowsOf(table, 'th, data').filter((row) => row[2]), left = 176, line = 28;
    const scale = (width - left - 96) / (Math.max(...rows.map((row) => row[2].value)) || 1);
    const svg = put(to, 'svg', { width, height: rows.length * line });
    rows.forEach(([head, median, p90], i) => {
      const middle = (i + 0.5) * line, text = (x, said) => put(svg, 'text', { x, y: middle + 4 }, said);
      const bar = (data, height, name) => put(svg, 'rect', {
        x: left, y: middle - height / 2, width: data.value * scale + 1, height, class: name, fill: 'currentColor' });
      text(0, textOf(head));
      bar(p90, 4, 'p90');
      bar(median, 12, 's-' + head.dataset.token);
      text(left + p90.value * scale + 8, textOf(median) + ' - ' + textOf(p90));
    });
  };

  // charts draws all of them. The tables say the same to those who do not see.
  const charts = () => every('figure[data-chart]').forEach((figure) => {
    const table = figure.querySelector('table'), to = figure.querySelector('.plot'), width = to.clientWidth;
    to.replaceChildren();
    if (width && table.querySelector('data')) ({ steps, dots, bars })[figure.dataset.chart](to, width, table);
  });
  addEventListener('resize', charts);
  matchMedia('(prefers-color-scheme: dark)').onchange = charts;
  new MutationObserver(charts).observe(root, { attributeFilter: ['data-theme'] });

  // On paper disclosures are open, and charts have the colours of paper.
  let closed, theme;
  addEventListener('beforeprint', () => {
    closed = every('details:not([open])');
    closed.forEach((details) => { details.open = true; });
    theme = root.dataset.theme;
    root.dataset.theme = 'light';
  });
  addEventListener('afterprint', () => {
    closed.forEach((details) => { details.open = false; });
    root.dataset.theme = theme || '';
  });

  // What changed. Elements with data-live have an id; data-live is the id of a requirement, or * for any change. What
  // has data-id, that of a requirement, is marked when it has changed. None of them lies in another.
  const hour = 36e5;
  // What is not shown yet: the numbers of records, by the id of a part.
  const owed = new Map();
  // Of requirements that changed, and that nobody was told of.
  const ids = new Set(), fresh = new Set();
  // Of the stream, from the next record on.
  let address = body.dataset.events;
  let stream, heard = Date.now(), tried = 0, failed = 0, busy, due = 0, timer, live, signedOut, again, missed = '';

  const say = (id, text, link) => {
    const line = document.getElementById(id), a = document.createElement('a');
    if (!line || line.said === text) return;
    line.said = text;
    line.hidden = !text;
    line.replaceChildren(text, ...text && link ? [' ', a] : []);
    a.href = location.pathname + location.search;
    a.textContent = link;
  };
  const written = (within) => every('input:not([type=hidden]), textarea', within).some((field) =>
    field.matches('[type=checkbox],[type=radio]') ? field.checked !== field.defaultChecked
      : field.value !== field.defaultValue);
  const clock = (ms) => new Date(ms).toISOString().slice(11, 16);
  // Forms of what is out of date give way to a sentence.
  const covers = '[data-covers] .buttons:has(button)';
  const kept = (part) => part.matches(':hover, :has([autofocus])') || written(part);
  // free are the parts that can be replaced now. What a form covers is replaced with it or before it.
  const free = (parts) => parts.filter((part) =>
    !kept(part) && !(part.querySelector('[data-covers]') && parts.some(kept)));
  const waiting = () => every('[data-live]').filter((part) => owed.has(part.id));
  const owe = (id, numbers) => owed.set(id, [...owed.get(id) || [], ...numbers]);

  // mend shows what changed, but for what lies under the pointer, is written in or answers a form: that is counted.
  const mend = async () => {
    if (busy) return;
    const now = free(waiting());
    if (now[0] && Date.now() > due) {
      const numbers = now.map(({ id }) => [id, owed.get(id)]);
      numbers.forEach(([id]) => owed.delete(id));
      busy = true;
      const shown = await show(now).catch(() => { due = Date.now() + 1e4; });
      busy = false;
      numbers.forEach(([id, all]) => shown?.includes(id) || owe(id, all));
    }
    waiting().forEach((part) => every(covers, part).forEach((buttons) => {
      buttons.textContent = `It changed at ${clock(Date.now())}. Read it first.`;
    }));
    const n = new Set([...owed.values()].flat()).size;
    say('news', n ? n + ` change${n > 1 ? 's' : ''} since you opened this page.` : '', 'Show them.');
  };

  // show fetches this page anew, puts parts of it in the place of those here, and returns their ids.
  const show = async (parts) => {
    due = Date.now() + 1e3;
    const answer = await fetch(location, { cache: 'no-store' });
    if (!answer.ok || answer.redirected) throw answer;
    const text = await answer.text(), made = new DOMParser().parseFromString(text, 'text/html');
    const shown = free(parts);
    await htmx.swap({ text, swap: 'none', sourceElement: body, selectOOB: shown
      .map((part) => '#' + CSS.escape(part.id) + ':outerMorph').join() });
    shown.forEach((part) => made.getElementById(part.id) || part.remove());
    every('[data-id]').forEach((row) => row.classList.toggle('changed', ids.has(row.dataset.id)));
    charts();
    return shown.map((part) => part.id);
  };

  const take = ({ seq, kind, subject = 'the log' }) => {
    // The end of the stream has none.
    if (seq === undefined) return;
    address = address.replace(/(\?.*)?$/, '?since=' + (seq + 1));
    ids.add(subject);
    fresh.add(subject);
    every('[data-live]').forEach((part) => {
      // An import, a look at all evidence and another workflow name no requirement, and may change any.
      if ((/ts\.|^evid|^work/.test(kind) || ['*', subject].includes(part.dataset.live))
        && !(/refused$/.test(kind) && part.querySelector(covers))) owe(part.id, [seq]);
    });
    timer ||= setTimeout(() => {
      timer = 0;
      if (again && Date.now() - tried < 5e3) missed = 'Live again. Changed: ' + [...fresh].join(', ');
      body.dispatchEvent(new CustomEvent('changed', { detail: { ids: [...fresh] } }));
      fresh.clear();
    }, 300);
  };
  body.addEventListener('changed', mend);

  // follow takes the data of events from the stream. EventSource would have to know the kinds of records, and tells
  // neither statuses nor comments.
  const follow = async () => {
    const mine = stream = new AbortController();
    tried = Date.now();
    try {
      const answer = await fetch(address, mine);
      signedOut = answer.status === 401;
      // 404 is another log, such as one from a backup. Only a page that was live loads itself anew, so none does for ever.
      const old = answer.ok ? Date.now() - heard > hour : answer.status === 404;
      if (old && live && !written(document)) location.reload();
      if (!answer.ok) throw answer;
      live = true;
      again = failed > 1;
      failed = 0;
      missed = '';
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = '', got = { value: '' }; !got.done; got = await reader.read()) {
        heard = Date.now();
        const lines = (rest + got.value).split('\n');
        rest = lines.pop();
        for (const line of lines) if (line.startsWith('data: ')) take(JSON.parse(line.slice(6)));
      }
    } catch {
      if (stream === mine) failed++;
    }
    if (stream === mine) stream = null;
  };

  // tick is the clock of all this. Only a page that is seen holds a stream: browsers have few for one service. In a
  // stream that lives there is something every 15 s.
  const tick = () => {
    const now = Date.now(), age = now - heard;
    if (document.hidden || now - Math.max(heard, tried) > 45e3) {
      stream?.abort();
      stream = null;
    }
    if (document.hidden) return;
    if (!stream && now - tried > (failed > 1 && 5e3)) follow();
    if (age > hour) say('live', `This page is ${age / hour | 0} h old.`, 'Show it anew');
    else if (failed < 2) say('live', missed);
    else if (signedOut) say('live', 'You are signed out.', 'Sign in');
    else say('live', `Not live since ${clock(heard)}. Trying again.`);
    mend();
  };
  if (address) {
    // Disclosures stay as they were put.
    htmx.config.morphIgnore.push('open');
    document.addEventListener('visibilitychange', tick);
    setInterval(tick, 2e3);
    tick();
  }
  charts();
}
