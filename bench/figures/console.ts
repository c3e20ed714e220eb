/** The web console in a headless browser: a first load with an empty cache, and scrolling through a long list. */
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { findChromium } from '../../packages/console/test/find-chromium.ts';
import { type BenchEnvironment, sizes } from '../environment.ts';
import { type Figure, timeFigure } from '../figure.ts';
import { root } from '../processes.ts';
import { median } from '../statistics.ts';

const loads = 5;
const maxLoadMs = 1000;
const maxBlockMs = 50;

export async function consoleFigures(bench: BenchEnvironment): Promise<Figure[]> {
  await bench.suspendAll();
  const { server } = await bench.server('people');
  const floor = await bench.floor();
  server.resume();
  floor.resume();
  floor.setResponse({ status: 200, headers: ['Content-Type', 'text/html'], body: '<!doctype html><h1>Inbox</h1>' });
  await using started = await startBrowser();
  const { browser } = started;
  const urls = { ours: `http://127.0.0.1:${server.port}/_iam/console/`, floor: `http://127.0.0.1:${floor.port}/` };
  return [await loadFigure(browser, urls), await scrollFigure(browser, `${urls.ours}groups`)];
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
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor();
  if (name === 'ours') await page.locator('[data-search]').first().waitFor();
  const time = performance.now() - startedAt;
  await context.close();
  return time;
}

/** The longest task of the page while a list is scrolled to its last row: its CPU time, as other processes share the core. */
async function scrollFigure(browser: Browser, url: string): Promise<Figure> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('row').nth(5).waitFor();
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  await scrollToEnd(page);
  const { cpuMs, wallMs } = longestTask(await browser.stopTracing());
  await context.close();
  return timeFigure(`console, scroll of ${sizes.people.toLocaleString('en')} groups`, cpuMs, {
    floor: `${wallMs.toFixed(0)} ms by wall`,
    atMost: maxBlockMs,
  });
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly args: { readonly name?: string };
  /** Microseconds, by wall and by CPU. */
  readonly dur?: number;
  readonly tdur?: number;
}

/** Returns the longest task of the main thread of a page. */
function longestTask(trace: Buffer): { cpuMs: number; wallMs: number } {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const threads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const tasks = traceEvents.filter(
    (event) =>
      event.tdur !== undefined && threads.some((thread) => thread.pid === event.pid && thread.tid === event.tid),
  );
  if (tasks.length === 0) throw new Error('the trace contains no task of a page');
  const longest = (of: (event: TraceEvent) => number) =>
    tasks.reduce((most, task) => Math.max(most, of(task)), 0) / 1000;
  return { cpuMs: longest(({ tdur = 0 }) => tdur), wallMs: longest(({ dur = 0 }) => dur) };
}

/** Scrolls by the height of the list in each frame, as fast as the list loads. */
async function scrollToEnd(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const area = document.querySelector('.rows');
    const step = () => {
      area.scrollTop += area.clientHeight;
      const status = area.parentElement.querySelector('[role=status]').textContent;
      const isEnd = area.scrollTop + area.clientHeight >= area.scrollHeight - 1 && / in all$/.test(status);
      if (isEnd) resolve();
      else requestAnimationFrame(step);
    };
    step();
  })`);
}
