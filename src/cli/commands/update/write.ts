/**
 * The one engine of updates: reads the entity, applies a change to it, and writes the result with If-Match (RFC 9110), so
 * that concurrent changes by others are not overwritten. Where the server has no ETag, a change between the read and the
 * write can be.
 */
import { buildOperationPath } from '../../../client/request.ts';
import type { CallInput } from '../../../client/types.ts';
import { idPropertyOf } from '../../../contract/entities.ts';
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import type { CommandOptions, Context } from '../../context.ts';
import { CliError } from '../../errors.ts';
import { describeWithNames } from '../../output/name-columns.ts';
import { repeatOnChange } from '../../request/call-operation.ts';
import { assertConfirmed } from '../../request/confirm.ts';
import { callControlPlane } from '../../request/control-plane.ts';
import { describeField, type EntityFields } from '../../request/differences.ts';
import type { EntityRead } from '../../request/entity-rows.ts';
import { isCurrent, wasRead } from '../../request/file-etag.ts';
import { isRoute } from '../../request/find-operation.ts';
import { describeGrants, formatGrants, isConfirmedBefore } from '../../request/grants/role-grants.ts';
import { previewOf, printRequestPreview } from '../../request/preview.ts';
import type { NameResolver } from '../../request/resolve-names.ts';
import { send } from '../../request/send.ts';
import { type BodyRules, buildBody, describeMerge, type Merge } from './merge.ts';
import { nameOf, type PathParams, type UpdatableResource } from './resources.ts';

export interface UpdateTarget {
  readonly resource: UpdatableResource;
  readonly operation: ManifestOperation;
  /** The path, with ids. */
  readonly params: PathParams;
  readonly rules: BodyRules;
  readonly names: NameResolver;
}

export interface EntityChange {
  /**
   * Applies the change to an entity in the forms of the write.
   * @param isChanged the entity has changed since the file was read
   */
  merge(entity: EntityFields, isChanged: boolean): Merge | Promise<Merge>;
  /** Who gains administrative roles, as the summary of a dialog showed it. */
  readonly confirmedGrants?: readonly string[];
  /** The change is that of a file, which replaces the entity. */
  readonly file?: {
    /** The ETag in the file: if the entity has changed since, nothing is written. */
    readonly etag: string | undefined;
    /** The fields as they were read, if they are known. */
    readonly base?: EntityFields | undefined;
    /** What to do after a conflict; by default to read the file again or to use --force. */
    readonly conflictHint?: string | undefined;
  };
}

/** The rules of an operation that updates a resource. */
export function rulesOf(resource: UpdatableResource, { method, body }: ManifestOperation): BodyRules {
  return {
    schema: body ?? {},
    isPartial: method === 'PATCH',
    ...(resource.masked ? { hidden: resource.masked } : {}),
    ...(resource.listUnverified ? { listUnverified: resource.listUnverified } : {}),
    ...(resource.normalizeEntry ? { normalizeEntry: resource.normalizeEntry } : {}),
  };
}

export function readCurrent(context: Context, { resource, params }: UpdateTarget): Promise<EntityRead> {
  return resource.read(context, params);
}

/** Writes what the change makes of the entity; repeats all if the entity was changed in between. */
export async function writeUpdate(
  context: Context,
  target: UpdateTarget,
  change: EntityChange,
  options: CommandOptions,
): Promise<void> {
  const { operation, rules, names } = target;
  const expected = change.file?.etag;
  const confirmed = new Set(change.confirmedGrants);
  // Of a change by others, the next read shows whether the file is still current.
  await repeatOnChange(context, async (attempt) => {
    const read = await readCurrent(context, target);
    const { entity } = read;
    const name = nameOf(target, entity);
    const isChanged = expected !== undefined && !isCurrent(expected, read);
    const merge = await change.merge(entity, isChanged);
    const { differences, losses } = await describeNamed(context, rules, (named) => describeMerge(entity, merge, named));
    const result = { ...withoutBody(entity, rules), ...withoutSecrets(merge.after, rules) };
    if (differences.length === 0) return printResult(context, result, [`${name}: nothing to change`]);
    if (isChanged && options.force !== true) {
      const describe = (named: BodyRules) =>
        describeSides(entity, merge.after, change.file ?? { etag: expected }, named);
      throw conflictError(name, await describeNamed(context, rules, describe), change.file?.conflictHint);
    }
    const input = { ...toRequest(target, entity, merge), ifMatch: read.etag };
    if (options.dryRun === true) {
      names.printResolved();
      await printRequestPreview(context, previewOf(context, operation, input));
      const grants = await describeUpdateGrants(context, target, entity, merge, true);
      return context.notice(...differences, ...grants.map((one) => formatGrants([one])));
    }
    const isUnconfirmed = (one: string) => !confirmed.has(one);
    const found = isConfirmedBefore(context, options) ? [] : await describeUpdateGrants(context, target, entity, merge);
    const grants = found.filter(isUnconfirmed);
    const lost = losses.filter(isUnconfirmed);
    if (grants.length + lost.length > 0)
      await assertConfirmed(context, askFor(name, grants, lost), options, options.file === '-', {
        ...(attempt > 1 ? { unconfirmed: 'others changed it meanwhile, and nothing was written' } : {}),
      });
    for (const one of [...grants, ...lost]) confirmed.add(one);
    await sendUpdate(context, operation, input);
    const notices = change.file
      ? [`${name}: updated`, ...differences.map((line) => `  ${line}`)]
      : [`${name}: ${differences.join(', ')}`];
    return printResult(context, result, notices);
  });
}

/** One question for what is gained and what is lost. */
function askFor(name: string, grants: readonly string[], lost: readonly string[]): string {
  if (grants.length === 0) return `Remove ${lost.join(', ')} from ${name}?`;
  const loss = lost.length === 0 ? '' : ` ${name} would lose ${lost.join(', ')}.`;
  return `${formatGrants(grants)}${loss} Continue?`;
}

/** Describes with the names of the ids that the description contains. */
export function describeNamed<Description>(
  { findNames }: Pick<Context, 'findNames'>,
  rules: BodyRules,
  describe: (named: BodyRules) => Description,
): Promise<Description> {
  return describeWithNames(findNames, (nameOf) => describe({ ...rules, nameOf }));
}

async function sendUpdate(context: Context, operation: ManifestOperation, input: CallInput): Promise<void> {
  if (!isRoute(operation)) return void (await send(context, operation, input));
  const path = context.manifest.controlPrefix + buildOperationPath(operation, input);
  await callControlPlane(context, operation.method, path, { body: input.body, ifMatch: input.ifMatch });
}

/** Who would gain administrative roles by an update. */
export function describeUpdateGrants(
  context: Context,
  target: UpdateTarget,
  entity: EntityFields,
  merge: Merge,
  isPreview = false,
): Promise<readonly string[]> {
  const request = { operation: target.operation, input: toRequest(target, entity, merge), before: entity };
  return describeGrants(context, [request], isPreview);
}

function toRequest(target: UpdateTarget, entity: EntityFields, merge: Merge) {
  return { params: toIdParams(target, entity), body: buildBody(entity, merge, target.rules) };
}

/** The path with the id of the entity: the change can rename it. */
function toIdParams({ resource, operation, params }: UpdateTarget, entity: EntityFields): PathParams {
  const last = operation.params.at(-1)?.name ?? '';
  return { ...params, [last]: String(entity[idPropertyOf(resource.entity)] ?? params[last]) };
}

/** What was sent as a secret is not printed. */
function withoutSecrets(entity: EntityFields, { schema }: BodyRules): EntityFields {
  return Object.fromEntries(
    Object.entries(entity).filter(([name]) => schema.properties?.[name]?.sensitive !== 'secret'),
  );
}

function withoutBody(entity: EntityFields, { schema }: BodyRules): EntityFields {
  const fields = new Set(Object.keys(schema.properties ?? {}));
  return Object.fromEntries(Object.entries(entity).filter(([name]) => !fields.has(name)));
}

async function printResult(context: Context, entity: EntityFields, notices: readonly string[]): Promise<void> {
  const present = Object.entries(entity).filter(([, value]) => value !== undefined && value !== null);
  if (!context.printer.isForPeople) await context.printer.value(Object.fromEntries(present));
  context.notice(...notices);
}

const fileConflictHint = 'Read it again and repeat your change, or overwrite the change of others with --force.';

/** The changes since a file was read. */
interface Sides {
  readonly service: readonly string[];
  readonly file: readonly string[];
  /** The differences between both whose origin is not known. */
  readonly unclear: readonly string[];
}

/** Separates the changes of others from those of the file by the fields as they were read, or by what the ETag says about them. */
function describeSides(
  entity: EntityFields,
  after: EntityFields,
  { etag, base }: NonNullable<EntityChange['file']>,
  rules: BodyRules,
): Sides {
  const sides = { service: [] as string[], file: [] as string[], unclear: [] as string[] };
  for (const field of Object.keys(rules.schema.properties ?? {})) {
    const [current, own] = [entity[field], after[field]];
    const known = base ?? [entity, after].find((one) => wasRead(etag, field, one[field]));
    if (known) {
      sides.service.push(...describeField(field, known[field], current, rules));
      sides.file.push(...describeField(field, known[field], own, rules));
    } else sides.unclear.push(...describeField(field, current, own, rules));
  }
  return sides;
}

function conflictError(name: string, sides: Sides, hint = fileConflictHint): CliError {
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
  return new CliError(`${name} has changed since the file was read; nothing was written.`, {
    code: 'CHANGED_MEANWHILE',
    exitCode: 6,
    lines: [
      ...list('Changed in the service:', sides.service),
      ...list('Changed by your file:', sides.file),
      ...list('From the service to your file, changed by either:', sides.unclear),
    ],
    details: { ...sides },
    hint,
  });
}
