/** Parses the options of `iam conformance`. */
import type { Manifest } from '../../contract/manifest-types.ts';
import { findNearest } from '../../lib/nearest-name.ts';
import type { CommandOptions } from '../context.ts';
import { usageError } from '../errors.ts';
import { resolveOperation } from '../request/operation-names.ts';

export interface ConformanceOptions {
  /** The ids of the operations to report. */
  readonly selected: ReadonlySet<string>;
  readonly allowsWrites: boolean;
  readonly concurrency: number;
  readonly baseline: string | undefined;
  readonly updatesBaseline: boolean;
  /** Ids of entities to read, by the variables of the suite. */
  readonly existing: Readonly<Record<string, string>>;
  /** Settings of the reference server, by name. */
  readonly referenceSettings: Readonly<Record<string, string>>;
  /** Prints the cases instead of sending them. */
  readonly listsCases: boolean;
}

/** The entities that reads need, by the name in `--existing`. */
const existingVariables: Readonly<Record<string, string>> = {
  groupId: 'existingGroupId',
  userId: 'existingUserId',
  businessId: 'existingBusinessId',
  serviceId: 'existingServiceId',
  corporateGroupId: 'existingCorporateGroupId',
};

const maxConcurrency = 16;

/** @throws CliError (exit 2) for an invalid option */
export function parseConformanceOptions(manifest: Manifest, options: CommandOptions): ConformanceOptions {
  const baseline = options.baseline as string | undefined;
  const updatesBaseline = options.updateBaseline === true;
  if (updatesBaseline && baseline === undefined) throw usageError('--update-baseline requires --baseline FILE.');
  if (updatesBaseline && baseline === '-') throw usageError('--update-baseline cannot write to standard input.');
  const names = (options.operation ?? []) as readonly string[];
  const ids = names.map((name) => resolveOperation(manifest, name).id);
  return {
    selected: new Set(ids.length > 0 ? ids : manifest.operations.map(({ id }) => id)),
    allowsWrites: options.allowWrites === true,
    concurrency: parseConcurrency(options.concurrency as string | undefined),
    baseline,
    updatesBaseline,
    existing: parseExisting((options.existing ?? {}) as Readonly<Record<string, string>>),
    referenceSettings: parseReferenceSettings(
      manifest,
      (options.referenceSetting ?? {}) as Readonly<Record<string, string>>,
    ),
    listsCases: options.list === true || options.dryRun === true,
  };
}

/** Of the reference; these belong to the server that the command starts. */
const fixedSettings: readonly string[] = ['host', 'port', 'store', 'data'];

function parseReferenceSettings(
  { settings }: Manifest,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const names = settings.filter(({ flag }) => flag).map(({ name }) => name);
  for (const name of Object.keys(values)) {
    if (fixedSettings.includes(name)) throw usageError(`--reference-setting cannot set ${name}.`);
    if (names.includes(name)) continue;
    const nearest = findNearest(name, names);
    const hint = nearest === undefined ? 'See `iam serve --help`.' : `Did you mean ${nearest}?`;
    throw usageError(`--reference-setting: the server has no setting ${name}.`, hint);
  }
  return values;
}

function parseConcurrency(text = '4'): number {
  const count = Number(text);
  if (/^\d{1,2}$/.test(text) && count >= 1 && count <= maxConcurrency) return count;
  throw usageError(`--concurrency must be a whole number from 1 to ${maxConcurrency}, not ${JSON.stringify(text)}.`);
}

function parseExisting(values: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(values).map(([name, value]) => {
    const variable = Object.hasOwn(existingVariables, name) ? existingVariables[name] : undefined;
    if (variable !== undefined) return [variable, value];
    throw usageError(`--existing has no ${name}.`, `Use ${Object.keys(existingVariables).join(', ')}.`);
  });
  return Object.fromEntries(entries);
}
