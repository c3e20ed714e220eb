/** The web console in a headless browser: a first load with an empty cache, and scrolling through lists of 10,000 rows. */
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { findChromium } from '../../packages/console/test/find-chromium.ts';
import { type BenchEnvironment, client, sizes } from '../environment.ts';
import { type Figure, timeFigure } from '../figure.ts';
import { groupNameOf, userIdOf } from '../names.ts';
import { root } from '../processes.ts';
import { median } from '../statistics.ts';

const loads = 5;
const maxLoadMs = 1000;
const maxBlockMs = 50;
const rowCount = sizes.people;

/** Of the windows: a screen and a phone. */
const windows = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

/** Paths of the lists, by their names. */
const lists = { users: 'users', groups: 'groups', clients: 'clients', members: 'groups/everybody' } as const;

export async function consoleFigures(bench: BenchEnvironment): Promise<Figure[]> {
  await bench.suspendAll();
  const server = await bench.startSeeded(createSeed());
  try {
    const floor = await bench.floor();
    floor.resume();
    floor.setResponse({
      status: 200,
      headers: ['Content-Type', 'text/html'],
      body: '<!doctype html><h1>Overview</h1>',
    });
    await using started = await startBrowser();
    const { browser } = started;
    const urls = { ours: `http://127.0.0.1:${server.port}/_iam/console/`, floor: `http://127.0.0.1:${floor.port}/` };
    const figures = [await loadFigure(browser, urls)];
    for (const window of windows)
      for (const [name, list] of Object.entries(lists))
        figures.push(await scrollFigure(browser, { name, url: `${urls.ours}${list}`, window }));
    return figures;
  } finally {
    await server.stop();
  }
}

/** As many users, groups and clients, and a group with all users. */
function createSeed() {
  const numbers = Array.from({ length: rowCount }, (_, number) => number);
  const users = numbers.map((number) => ({
    userId: userIdOf('users', number),
    userEmail: `user-${number}@example.com`,
  }));
  const groups = numbers
    .slice(1)
    .map((number) => ({ groupName: groupNameOf(number), roles: [`READ_${number % 300}`] }));
  const clients = numbers.map((number) => ({
    clientId: `client-${number}`,
    appId: `app-${number}`,
    clientSecret: client.secret,
  }));
  return { users, clients, groups: [{ groupName: 'everybody', users: users.map(({ userId }) => userId) }, ...groups] };
}

async function startBrowser() {
  const { chromium } = await import('playwright-core');
  const folder = await mkdtemp(path.join(root, 'node_modules/.iam-bench-chromium-'));
  const { program, env } = await findChromium(folder);
  const variables = { ...process.env, ...env } as Record<string, string>;
  const browser = await chromium.launch({ executablePath: program, env: variables, args: ['--no-sandbox'] });
  return {
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** The time until the first page shows its content, with an empty cache each time. */
async function loadFigure(browser: Browser, urls: { readonly ours: string; readonly floor: string }): Promise<Figure> {
  const times = { ours: [] as number[], floor: [] as number[] };
  for (let time = 0; time < loads; time += 1)
    for (const name of ['floor', 'ours'] as const) times[name].push(await measureLoad(browser, urls[name], name));
  const floor = `${median(times.floor).toFixed(0)} ms`;
  return timeFigure('console, first load', median(times.ours), { floor, atMost: maxLoadMs });
}

async function measureLoad(browser: Browser, url: string, name: 'ours' | 'floor'): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const startedAt = performance.now();
  await page.goto(url);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  if (name === 'ours') await page.locator('.bar-search').first().waitFor();
  const time = performance.now() - startedAt;
  await context.close();
  return time;
}

interface ScrolledList {
  readonly name: string;
  readonly url: string;
  readonly window: (typeof windows)[number];
}

/**
 * The longest task of the page while a list is scrolled to its end: its CPU time, as other processes share the core. The
 * floor is the same scrolling in a page with the same rows as text, without components.
 */
async function scrollFigure(browser: Browser, { name, url, window }: ScrolledList): Promise<Figure> {
  const context = await browser.newContext({ viewport: window });
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('.rows tbody tr').nth(5).waitFor();
  const ours = await traceScroll(browser, page);
  await page.evaluate(plainRows);
  const floor = await traceScroll(browser, page);
  await context.close();
  return timeFigure(`console, ${rowCount.toLocaleString('en')} ${name} at ${window.width} px`, ours, {
    floor: `${floor.toFixed(0)} ms`,
    atMost: maxBlockMs,
  });
}

/** Replaces the page by its list, with the rows as text. */
const plainRows = `(() => {
  const list = document.querySelector('.rows').cloneNode(true);
  const page = document.querySelector('main').cloneNode(false);
  page.append(list);
  document.querySelector('#root').replaceWith(page);
  const body = list.querySelector('tbody');
  const rows = [...body.children].map((row) => row.outerHTML.replace(/translateY[^;"]*/, 'translateY(TOPpx)'));
  const height = body.querySelector('tr').offsetHeight;
  body.style.height = ${rowCount} * height + 'px';
  list.addEventListener('scroll', () => {
    const first = Math.max(0, Math.floor(list.scrollTop / height) - 10);
    const end = Math.min(${rowCount}, Math.ceil((list.scrollTop + list.clientHeight) / height) + 10);
    const shown = Array.from({ length: end - first }, (_, at) => first + at);
    body.innerHTML = shown.map((at) => rows[at % rows.length].replace('TOP', at * height)).join('');
  });
  list.scrollTop = 0;
})()`;

async function traceScroll(browser: Browser, page: Page): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  await page.evaluate(scrollToEnd);
  return longestTask(await browser.stopTracing());
}

/** In steps of a screen and, every second time, of 20,000 pixels, as when a reader drags the bar. */
const scrollToEnd = `(async () => {
  const list = document.querySelector('.rows');
  let last = -1;
  for (let step = 0, still = 0; step < 60 && still < 4; step += 1) {
    list.scrollTop += step % 2 ? 20_000 : list.clientHeight;
    await new Promise((resolve) => setTimeout(resolve, 60));
    still = list.scrollTop === last ? still + 1 : 0;
    last = list.scrollTop;
  }
})()`;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name?: string };
  /** Microseconds of CPU. */
  readonly tdur?: number;
}

/** Returns the CPU time of the longest task of the main thread of a page, in milliseconds. */
function longestTask(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const isPage = ({ pid, tid }: TraceEvent) => threads.some((thread) => thread.pid === pid && thread.tid === tid);
  const tasks = traceEvents.filter((event) => event.tdur !== undefined && isPage(event));
  if (tasks.length === 0) throw new Error('the trace contains no task of a page');
  return tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur), 0) / 1000;
}
