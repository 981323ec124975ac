// Draws the panels of the dashboard as a picture, of what a Prometheus has scraped:
//   node apps/inventory/operations/picture.mjs http://127.0.0.1:9090 2026-11-26T00:11:00Z 2026-11-26T00:21:00Z > picture.svg
import { readFileSync } from 'node:fs';

const [, , prometheus, from, to] = process.argv;
const [start, end] = [from, to].map((time) => Date.parse(time) / 1000);
const STEP = 5;
const [COLUMNS, WIDTH, HEIGHT, PLOT] = [3, 340, 190, { left: 46, top: 30, width: 280, height: 110 }];
const COLOURS = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e', '#17becf'];

const { panels } = JSON.parse(readFileSync(new URL('dashboard.json', import.meta.url), 'utf8'));

/** The lines of one expression: what each is called, and its points. */
async function linesOf({ expr, legendFormat }) {
  const query = expr.replaceAll('$__rate_interval', '30s').replaceAll('$job', '.+');
  const asked = new URLSearchParams({ query, start, end, step: STEP });
  const response = await fetch(new URL('/api/v1/query_range', prometheus), { method: 'POST', body: asked });
  const { data, error } = await response.json();
  if (!data) throw new Error(`${query}: ${error}`);
  return data.result.map(({ metric, values }) => ({
    name: legendFormat.replaceAll(/\{\{(\w+)\}\}/g, (_, label) => metric[label] ?? '').trim(),
    points: values
      .map(([time, value]) => [time, Number(value)])
      .filter(([, value]) => Number.isFinite(value)),
  }));
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const text = (x, y, content, more = '') => `<text x="${x}" y="${y}" ${more}>${escaped(content)}</text>`;

function draw(title, lines, at) {
  const { left, top, width, height } = PLOT;
  const shown = lines.filter(({ points }) => points.some(([, value]) => value > 0));
  const most = Math.max(...shown.flatMap(({ points }) => points.map(([, value]) => value)), 0) || 1;
  const x = (time) => (left + ((time - start) / (end - start)) * width).toFixed(1);
  const y = (value) => (top + height - (value / most) * height).toFixed(1);
  const drawn = shown.map(({ name, points }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    // Where there is nothing for a while, the line ends and begins again.
    const path = points.map(([time, value], point) => {
      const isFirst = point === 0 || time - points[point - 1][0] > STEP;
      return `${isFirst ? 'M' : 'L'}${x(time)} ${y(value)}`;
    });
    const legend = text(
      left + (index % 2) * 145,
      top + height + 28 + Math.floor(index / 2) * 12,
      name,
      `fill="${colour}"`,
    );
    return `<path d="${path.join('')}" fill="none" stroke="${colour}" stroke-width="1.5"/>${legend}`;
  });
  const axes = `<path d="M${left} ${top}V${top + height}H${left + width}" fill="none" stroke="#999"/>`;
  const clock = (time) => new Date(time * 1000).toISOString().slice(11, 16);
  const labels = [
    text(left, 18, title, 'font-weight="bold" font-size="12"'),
    text(left - 4, top + 8, String(Number(most.toPrecision(2))), 'text-anchor="end"'),
    text(left - 4, top + height, '0', 'text-anchor="end"'),
    text(left, top + height + 14, clock(start)),
    text(left + width, top + height + 14, clock(end), 'text-anchor="end"'),
  ];
  const place = `translate(${(at % COLUMNS) * WIDTH} ${Math.floor(at / COLUMNS) * HEIGHT})`;
  return `<g transform="${place}">${axes}${labels.join('')}${drawn.join('')}</g>`;
}

const all = await Promise.all(
  panels.map(async ({ targets }) => (await Promise.all(targets.map(linesOf))).flat()),
);
const size = [COLUMNS * WIDTH, Math.ceil(panels.length / COLUMNS) * HEIGHT];
const drawn = panels.map(({ title }, at) => draw(title, all[at], at));
console.log(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.join(' ')}" font-family="sans-serif" font-size="10">
<rect width="100%" height="100%" fill="#fff"/>
${drawn.join('\n')}
</svg>`);
