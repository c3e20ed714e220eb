/** The options of a run, read before anything happens. */
import path from 'node:path';
import type { Options } from '../leaf.ts';
import type { BulkTools } from './tools.ts';

export interface RunSettings {
  readonly operation: string | undefined;
  readonly concurrency: number;
  /** Milliseconds between two calls; 0 for no limit. */
  readonly interval: number;
  readonly maxErrors: number;
  readonly isDry: boolean;
  readonly skipInvalid: boolean;
  /** Also rows whose answer never came, although they may be done. */
  readonly repeatUnknown: boolean;
  readonly secretTo: string | undefined;
  readonly rejects: string | undefined;
  readonly ledger: string | undefined;
  readonly yes: boolean;
  readonly confirm: string | undefined;
  readonly quiet: boolean;
}

const mostAtOnce = 64;

export function runSettings({ usage, context }: BulkTools, options: Options): RunSettings {
  const text = (name: string) => options[name] as string | undefined;
  const whole = (name: string, flag: string, usual: number, most: number) => {
    const given = text(name);
    if (given === undefined) return usual;
    if (/^[1-9]\d{0,8}$/.test(given) && Number(given) <= most) return Number(given);
    throw usage(`${flag} must be a whole number from 1${most === mostAtOnce ? ` to ${most}` : ''}, not ${given}.`);
  };
  return {
    operation: text('operation'),
    concurrency: whole('concurrency', '--concurrency', 4, mostAtOnce),
    interval: intervalOf(text('rate'), usage),
    maxErrors: whole('maxErrors', '--max-errors', Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER),
    isDry: options.dryRun === true,
    skipInvalid: options.skipInvalid === true,
    repeatUnknown: options.repeatUnknown === true,
    secretTo: text('secretTo'),
    rejects: text('rejects'),
    ledger: text('ledger'),
    yes: options.yes === true,
    confirm: text('confirm'),
    quiet: context.sources.options.quiet === true,
  };
}

/** `20/s` or `600/m`, or a number alone, each second. */
function intervalOf(rate: string | undefined, usage: BulkTools['usage']): number {
  if (rate === undefined) return 0;
  const [, count = '', unit = 's'] = /^(\d{1,6}(?:\.\d+)?)(?:\/([sm]))?$/.exec(rate) ?? [];
  if (!(Number(count) > 0)) throw usage(`--rate must be like 20/s or 600/m, not ${rate}.`);
  return (unit === 'm' ? 60_000 : 1_000) / Number(count);
}

/** Where the files of a run are: beside the rows, or in this folder for rows of standard input. */
export function filesOf(file: string, digest: string, settings: RunSettings) {
  const { dir, name, ext } = path.parse(file);
  const base = file === '-' ? `bulk-${digest.slice(0, 12)}` : path.join(dir, name);
  return {
    ledger: settings.ledger ?? `${base}.ledger`,
    rejects: settings.rejects ?? `${base}.rejects${file === '-' ? '' : ext}`,
  };
}
