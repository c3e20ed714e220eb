/** Several arguments of a command: one confirmation for all, one request each, a report of each failure. */
import { type Command, Option } from 'commander';
import { ClientError, NetworkError } from '../../client/errors.ts';
import type { ManifestOperation } from '../../contract/manifest-types.ts';
import { assertChangeLimit } from '../config/safety.ts';
import type { CommandOptions, Context } from '../context.ts';
import { CliError, type ErrorTable, errorEntryOf, UnknownOutcomeError } from '../errors.ts';
import { formatServerOptions } from '../http/server-options.ts';
import { createErrorReport, type ErrorReport, printErrorReport } from '../output/error-report.ts';
import type { ListShape } from '../output/list-writer.ts';
import { assertReferencesExist } from './assert-exists.ts';
import { assertConfirmed } from './confirm.ts';
import { describeDeleteImpact } from './delete-impact.ts';
import { confirmGrants, noticeGrants, type RoleWrite } from './grants/role-grants.ts';
import { NamedNotFoundError } from './not-found.ts';
import { previewOf, printRequestPreviews } from './preview.ts';
import type { CommandArguments, RequestInput } from './request-builder.ts';
import type { RequestSpec } from './request-spec.ts';
import { printResponse, send } from './send.ts';

/** Adds the options of deletes. */
export function addTargetOptions(command: Command, { effect }: Pick<ManifestOperation, 'effect'>): void {
  if (effect === 'read') return;
  command.option('--if-exists', 'succeed if it does not exist');
  // Nothing is asked, so a script that says yes to every removal is right.
  if (effect !== 'destructive') command.addOption(new Option('-y, --yes').hideHelp());
}

/** Adds the help of a write for each of several arguments. */
export function addSeveralHelp(command: Command, asks: boolean): void {
  const confirmation = asks ? 'One confirmation covers all arguments. ' : '';
  command.addHelpText('after', `\n${confirmation}After a failure the next one runs.`);
}

/** Separates the targets from the other arguments. The first target stays in its place; duplicates are removed. */
export function splitTargets(
  { operation, target, repeatsLast }: RequestSpec,
  args: CommandArguments,
): { readonly args: CommandArguments; readonly targets: readonly string[] } {
  if (!target && !repeatsLast) return { args, targets: [] };
  const at = operation.params.length - (target ? 1 : 0);
  const targets = [...new Set([args[at] ?? []].flat())];
  return { args: [...args.slice(0, at), targets[0], ...args.slice(at + 1)], targets };
}

export interface TargetsRequest {
  /** The command without the name of the program: `groups delete`. */
  readonly name: string;
  /** The request of the first target. */
  readonly input: RequestInput;
  readonly targets: readonly string[];
  readonly options: CommandOptions;
  /** The target with the name that was typed for it. */
  format(target: string): string;
  /** What a request changes; undefined if there is nothing to say but that it is done. */
  describeChange(values: readonly string[], input: RequestInput): Promise<string | undefined>;
}

interface TargetRequest {
  readonly target: string;
  readonly input: RequestInput;
}

/** Sends a request for each of several targets in turn. @throws CliError at the end if some failed */
export async function runForTargets(context: Context, spec: RequestSpec, request: TargetsRequest): Promise<void> {
  const { operation } = spec;
  const { input, targets, options } = request;
  const requests = targets.map((target) => ({ target, input: withTarget(spec, input, target) }));
  // A preview checks the path: nothing is sent if one of the arguments is not valid.
  const previews = requests.map((one) => previewOf(context, operation, one.input));
  if (options.dryRun === true) {
    await printRequestPreviews(context, previews);
    return noticeGrants(context, toRoleWrites(operation, requests));
  }
  const failures = new TargetFailures(context, targets.length, request.format);
  if (operation.effect === 'read') await readTargets(context, operation, requests, failures);
  else await writeTargets(context, spec, { ...request, requests }, failures);
  failures.assertNone();
}

function toRoleWrites(operation: ManifestOperation, requests: readonly TargetRequest[]): RoleWrite[] {
  return requests.map(({ input }) => ({ operation, input }));
}

function withTarget({ target, last }: RequestSpec, input: RequestInput, value: string): RequestInput {
  if (target) return { ...input, params: { ...input.params, [target.name]: value } };
  return { ...input, body: { ...(input.body as object), [last?.path[0] ?? '']: value } };
}

async function readTargets(
  context: Context,
  operation: ManifestOperation,
  requests: readonly TargetRequest[],
  failures: TargetFailures,
): Promise<void> {
  const inputs = new Map(requests.map(({ target, input }) => [target, input]));
  const read = async (target: string) => (await send(context, operation, inputs.get(target) ?? {})).body;
  await printEachTarget(context, [...inputs.keys()], { read, shape: { schema: operation.response.schema } }, failures);
}

export interface TargetListReader {
  read(target: string): Promise<unknown>;
  readonly shape: ListShape;
}

/** Reads several targets in turn and prints them as one list. @throws CliError at the end if some failed */
export async function readEachTarget(
  context: Context,
  targets: readonly string[],
  reader: TargetListReader,
): Promise<void> {
  const failures = new TargetFailures(context, targets.length);
  await printEachTarget(context, targets, reader, failures);
  failures.assertNone();
}

async function printEachTarget(
  context: Context,
  targets: readonly string[],
  { read, shape }: TargetListReader,
  failures: TargetFailures,
): Promise<void> {
  async function* readEach() {
    for (const target of targets) {
      const found = await failures.attempt(target, async () => ({ body: await read(target) }));
      if (found) yield [found.body];
    }
  }
  await context.printer.list(readEach(), shape);
}

/** What became of a target without a result; `unknown` if the request may have taken effect. */
type UndoneState = 'failed' | 'unknown' | 'unsent';

/** The write for one target. */
export interface TargetWrite {
  readonly target: string;
  run(): Promise<'done' | 'absent'>;
  /** The line for people, made before the write. */
  describe(): Promise<(state: 'done' | 'absent') => string>;
}

/** Runs writes in turn, and prints what became of each. @throws CliError at the end if some failed */
export async function writeEach(context: Context, writes: readonly TargetWrite[]): Promise<void> {
  const failures = new TargetFailures(context, writes.length);
  await runWrites(context, writes, failures);
  failures.assertNone();
}

async function runWrites(context: Context, writes: readonly TargetWrite[], failures: TargetFailures): Promise<void> {
  /** The result of each, for programs. */
  async function* runEach(): AsyncGenerator<
    readonly { readonly target: string; readonly state: 'done' | 'absent' | UndoneState }[]
  > {
    for (const { target, run, describe } of writes) {
      const done = await failures.attempt(target, async () => {
        const format = await describe();
        const state = await run();
        context.notice(format(state));
        return state;
      });
      yield [{ target, state: done ?? failures.stateOf(target) }];
    }
  }
  const { printer } = context;
  if (!printer.isForPeople && printer.format !== 'name') await printer.list(runEach());
  else for await (const _ of runEach());
}

async function writeTargets(
  context: Context,
  spec: RequestSpec,
  { name, options, requests, format, describeChange }: TargetsRequest & { readonly requests: readonly TargetRequest[] },
  failures: TargetFailures,
): Promise<void> {
  const { operation } = spec;
  assertChangeLimit(context.settings, requests.length);
  if (operation.effect === 'destructive')
    await assertConfirmed(context, `Run \`${name}\` for all ${requests.length}?`, options, false, {
      details: () => describeTargets(context, operation, requests, format),
    });
  await confirmGrants(context, toRoleWrites(operation, requests), options);
  const writes = requests.map(({ target, input }): TargetWrite => {
    const values = [...Object.values(input.params), ...(spec.target ? [] : [target])];
    return {
      target,
      run: () => writeTarget(context, spec, input, options.ifExists === true),
      describe: async () => {
        const change = await describeChange(values, input);
        const named = [name, ...values.map(format)].join(' ');
        return (state) => (state === 'done' && change !== undefined ? change : `${named}: ${stateTexts[state]}`);
      },
    };
  });
  await runWrites(context, writes, failures);
}

const stateTexts = { done: 'done', absent: 'does not exist' };

async function writeTarget(
  context: Context,
  spec: RequestSpec,
  input: RequestInput,
  ifExists: boolean,
): Promise<'done' | 'absent'> {
  const work = async () => void (await send(context, spec.operation, input));
  if (ifExists) return unlessAbsent(context.manifest, spec, work);
  await work();
  return 'done';
}

/** `--if-exists`: deletes one target, and succeeds if it does not exist. */
export async function deleteIfExists(
  context: Context,
  spec: RequestSpec,
  { named, done }: { readonly named: string; readonly done: string },
  call: () => Promise<unknown>,
): Promise<void> {
  const state = await unlessAbsent(context.manifest, spec, call);
  await printResponse(context, undefined, state === 'done' ? done : `${named}: ${stateTexts[state]}`);
}

async function unlessAbsent(
  table: ErrorTable,
  spec: RequestSpec,
  call: () => Promise<unknown>,
): Promise<'done' | 'absent'> {
  try {
    await call();
    return 'done';
  } catch (error) {
    if (!isTargetAbsent(table, spec, error)) throw error;
    return 'absent';
  }
}

/** Whether the target does not exist, and not an entity that the preceding parameters name. */
function isTargetAbsent(table: ErrorTable, { operation }: RequestSpec, error: unknown): boolean {
  const entry = error instanceof ClientError ? errorEntryOf(table, error.code) : undefined;
  if (entry?.category !== 'not-found') return false;
  const preceding = operation.params.slice(0, -1).map(({ schema }) => schema['x-reference']?.entity);
  return entry.entity === undefined || !preceding.includes(entry.entity);
}

/** The number of targets whose impact is looked up for the prompt. */
const maxDescribed = 10;

/** A line for each target: its name, and what its delete affects. */
async function describeTargets(
  context: Context,
  operation: ManifestOperation,
  requests: readonly TargetRequest[],
  format: TargetsRequest['format'],
): Promise<string[]> {
  return Promise.all(
    requests.map(async ({ target, input }, at) => {
      const impact = at < maxDescribed ? await describeTarget(context, operation, input) : [];
      return impact.length === 0 ? format(target) : `${format(target)}: ${impact.join('; ')}`;
    }),
  );
}

/** What the write of a target affects, or that the target does not exist. */
async function describeTarget(
  context: Context,
  operation: ManifestOperation,
  input: RequestInput,
): Promise<readonly string[]> {
  try {
    await assertReferencesExist(context, operation, input);
  } catch (error) {
    if (error instanceof NamedNotFoundError) return ['not found'];
    throw error;
  }
  return describeDeleteImpact(context, operation.id, input.params);
}

/** Whether the server cannot be reached, or gave no answer. */
function isUnreachable(error: unknown): boolean {
  return error instanceof NetworkError || (error instanceof UnknownOutcomeError && error.response === undefined);
}

/** Reports failures as they happen. */
class TargetFailures {
  readonly #context: Context;
  readonly #total: number;
  readonly #format: TargetsRequest['format'];
  readonly #exitCodes: number[] = [];
  readonly #tried = new Set<string>();
  readonly #unknown = new Set<string>();
  #isOver = false;

  constructor(context: Context, total: number, format: TargetsRequest['format'] = (target) => target) {
    this.#context = context;
    this.#total = total;
    this.#format = format;
  }

  /** The result of `work`, or undefined after a failure, which it reports. */
  async attempt<Result>(target: string, work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#isOver) return undefined;
    this.#tried.add(target);
    try {
      return await work();
    } catch (error) {
      if (this.#context.io.signal.aborted) throw error;
      const { manifest, settings } = this.#context;
      const plain = error instanceof NamedNotFoundError ? error.plain : error;
      const report = createErrorReport(plain, manifest, formatServerOptions(settings.options));
      this.#exitCodes.push(report.exitCode);
      if (error instanceof UnknownOutcomeError) this.#unknown.add(target);
      // Every further request would fail as well.
      this.#isOver = isUnreachable(error) || report.exitCode === 4;
      await this.#print(target, report);
      return undefined;
    }
  }

  stateOf(target: string): UndoneState {
    if (!this.#tried.has(target)) return 'unsent';
    return this.#unknown.has(target) ? 'unknown' : 'failed';
  }

  /** @throws CliError: 76 if one outcome is unknown, the exit code of the failures if nothing was done, otherwise 8 */
  assertNone(): void {
    const [exitCode, ...others] = new Set(this.#exitCodes);
    if (exitCode === undefined) return;
    const isPartlyDone = this.#tried.size > this.#exitCodes.length;
    const common = others.length === 0 && !isPartlyDone ? exitCode : 8;
    const untried = this.#total - this.#tried.size;
    throw new CliError(
      `${this.#exitCodes.length} of ${this.#total} failed${untried > 0 ? `, ${untried} not sent` : ''}.`,
      { code: 'SOME_FAILED', exitCode: this.#unknown.size > 0 ? 76 : common },
    );
  }

  #print(target: string, report: ErrorReport): Promise<void> {
    const { io, environment, printer, color } = this.#context;
    const named = this.#format(target);
    const message = `${named}: ${report.message}`;
    const [first = '', ...more] = report.lines ?? [];
    const lines = report.lines && { lines: [`${named}: ${first}`, ...more] };
    const json = printer.format === 'json' || printer.format === 'jsonl';
    return printErrorReport({ ...report, ...(json ? { target } : { message, ...lines }) }, io, environment, {
      json,
      colour: color,
    });
  }
}
