/** `npm run stress`: tries to make the store lose acknowledged writes. See docs/durability.md. */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { nextBudget } from './budget.ts';
import { seededBugs } from './seeded-bugs.ts';
import type { Finding, Suite } from './suite.ts';
import { suites } from './suites.ts';

/** The suites that `--only` names. */
const findSuites = (name: string) => suites.filter((suite) => suite.name === name || suite.name.startsWith(`${name}-`));

const usage = `usage: npm run stress -- [--only NAME]... [--minutes N | --seconds N] [--count N] [--seed N] [--bug NAME] [--servers N]

  --only     run only this suite, or those whose names begin with NAME-; repeatable
  --minutes  time limit of the whole run, divided over the suites (default: 5)
  --seconds  the same in seconds
  --count    maximum number of rounds of each suite
  --seed     seed of the first round (default: random)
  --bug      run with a seeded bug, to verify that it is found
  --servers  number of servers on one database, for failover suites

suites
${table(suites.map(({ name, about, isOnDemand }) => [name, isOnDemand ? `${about} (only if named)` : about]))}
seeded bugs
${table(Object.entries(seededBugs))}`;

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, about]) => `  ${name.padEnd(width)}  ${about}\n`).join('');
}

interface StressOptions {
  readonly selected: readonly Suite[];
  readonly milliseconds: number;
  readonly count: number;
  readonly seed: number;
  readonly seededBug: string | undefined;
  readonly servers: number | undefined;
}

/** @throws Error that describes the invalid option. */
function readOptions(): StressOptions | 'help' {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      minutes: text,
      seconds: text,
      count: text,
      seed: text,
      bug: text,
      servers: text,
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const unknown = values.only?.find((name) => findSuites(name).length === 0);
  if (unknown !== undefined) throw new Error(`unknown suite: ${unknown}`);
  if (values.bug !== undefined && !(values.bug in seededBugs)) throw new Error(`unknown seeded bug: ${values.bug}`);
  const seconds = number('seconds', values.seconds) ?? 60 * (number('minutes', values.minutes) ?? 5);
  return {
    selected: values.only?.flatMap(findSuites) ?? suites.filter(({ isOnDemand }) => !isOnDemand),
    milliseconds: seconds * 1000,
    count: number('count', values.count) ?? Number.POSITIVE_INFINITY,
    seed: number('seed', values.seed) ?? randomInt(1, 1_000_000_000),
    seededBug: values.bug,
    servers: number('servers', values.servers),
  };
}

function number(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a number greater than 0`);
  return value;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Runs one suite and prints its result; an error of the suite itself also counts as a finding. */
async function runSuite(
  suite: Suite,
  options: StressOptions,
  startedAt: number,
  suitesLeft: number,
  signal: AbortSignal,
) {
  const suiteStartedAt = performance.now();
  let last = '';
  const log = (line: string) => {
    last = line;
    process.stderr.write(`  ${suite.name}: ${line}\n`);
  };
  const budget = nextBudget({ ...options, signal }, startedAt, suitesLeft, log);
  const findings = await suite.run(budget).catch((error: Error): Finding[] => {
    const reproduce = `npm run stress -- --only ${suite.name} --seed ${options.seed}`;
    return [{ problem: `the suite itself failed: ${error.stack ?? error}`, reproduce }];
  });
  const seconds = ((performance.now() - suiteStartedAt) / 1000).toFixed(1);
  const verdict = findings.length > 0 ? `${findings.length} FOUND` : last.startsWith('skipped: ') ? 'skipped' : 'ok';
  print(`${suite.name.padEnd(14)} ${verdict.padEnd(8)} ${seconds.padStart(7)} s  ${last}`);
  for (const { problem, reproduce } of findings)
    print(`  ${problem.replaceAll('\n', '\n  ')}\n  reproduce: ${reproduce}`);
  return findings.length;
}

async function run(options: StressOptions): Promise<void> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  print(`seed ${options.seed}, Node ${process.version}, ${process.platform}`);
  const startedAt = performance.now();
  const { selected } = options;
  let found = 0;
  for (const [at, suite] of selected.entries()) {
    if (interrupted.signal.aborted) break;
    found += await runSuite(suite, options, startedAt, selected.length - at, interrupted.signal);
  }
  print(found === 0 ? 'nothing found' : `${found} found`);
  process.exitCode = found > 0 || interrupted.signal.aborted ? 1 : 0;
}

try {
  const options = readOptions();
  if (options === 'help') print(usage);
  else await run(options);
} catch (error) {
  process.stderr.write(`error: ${(error as Error).message}\n\n${usage}`);
  process.exitCode = 2;
}
