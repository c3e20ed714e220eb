/** The file of an update: what `get -o yaml` printed, edited. */

import { idPropertyOf } from '../../../contract/entities.ts';
import type { ManifestOperation } from '../../../contract/manifest-types.ts';
import { isMaskedEmail } from '../../../lib/masked-email.ts';
import { findNearest } from '../../../lib/nearest-name.ts';
import { usageError } from '../../errors.ts';
import { assertBodyTypes } from '../../io/document-types.ts';
import { maskText, maskValue } from '../../output/mask.ts';
import { type EntityFields, isRow, isSame } from '../../request/differences.ts';
import { wasRead } from '../../request/file-etag.ts';
import { isRoute } from '../../request/find-operation.ts';
import type { BodyRules } from './merge.ts';
import { nameOf, withArticle } from './resources.ts';
import type { UpdateTarget } from './write.ts';

/** The property of the ETag in output and files. */
export const etagProperty = 'etag';

export interface EntityFile {
  readonly fields: EntityFields;
  readonly etag: string | undefined;
}

/** @throws CliError (exit 2) if the ETag is no text */
export function splitEtag({ [etagProperty]: etag, ...fields }: EntityFields): EntityFile {
  if (etag === undefined || typeof etag === 'string') return { fields, etag };
  throw usageError(`etag must be the text that \`get\` printed, not ${JSON.stringify(etag)}.`, 'Remove it to replace.');
}

/**
 * Returns the fields of the file that the update accepts. Others must be as they are, or as they were when the file was read:
 * if the entity has changed since, this cannot be known of every ETag.
 * @throws CliError (exit 2) for another entity, and for a field that is read-only or unknown
 */
export function selectFields(
  target: UpdateTarget,
  { fields, etag }: EntityFile,
  entity: EntityFields,
  isChanged: boolean,
): EntityFields {
  const { resource, operation, rules } = target;
  const id = idPropertyOf(resource.entity);
  if (fields[id] !== undefined && !isSame(fields[id], entity[id]))
    throw usageError(
      `The file is of the ${resource.label} ${JSON.stringify(fields[id])}, but ${nameOf(target, entity)} is ${String(entity[id])}.`,
      `Name the ${resource.label} of the file, or remove its ${id}.`,
    );
  const writable = Object.keys(rules.schema.properties ?? {});
  for (const [name, value] of Object.entries(fields)) {
    if (writable.includes(name) || isSame(value, entity[name])) continue;
    if (wasRead(etag, name, value)) continue;
    if (entity[name] === undefined) throw unknownFieldError(name, [...writable, ...Object.keys(entity)], operation);
    if (isChanged) continue;
    throw usageError(
      `${name} of ${withArticle(resource.label)} is read-only: it is ${JSON.stringify(entity[name])}, and the file has ${JSON.stringify(value)}.`,
      `Remove ${name} from the file. Fields that can change: ${writable.join(', ')}.`,
    );
  }
  const selected = Object.fromEntries(Object.entries(fields).filter(([name]) => writable.includes(name)));
  // What a read returned can have another form than what a write takes.
  const isNew = ([name, value]: [string, unknown]) => !isSame(value, entity[name]);
  assertBodyTypes(rules.schema, Object.fromEntries(Object.entries(selected).filter(isNew)));
  return selected;
}

/**
 * The file with the values of the entity in place of those that `--mask` hid.
 * @throws CliError (exit 2) for a masked address that is not one of the entity, unless it has changed since it was read
 */
export function restoreMasked(file: EntityFields, entity: EntityFields, isChanged: boolean): EntityFields {
  const restore = (name: string, value: unknown, current: unknown): unknown => {
    if (isSame(value, current)) return value;
    if (Array.isArray(value)) {
      const entries: readonly unknown[] = Array.isArray(current) ? current : [];
      return value.map((entry, at) => {
        const same = [entries[at], ...entries].find((one) => one !== undefined && isSame(maskValue(one), entry));
        return same ?? restore(name, entry, entries[at]);
      });
    }
    if (isRow(value)) {
      const known = isRow(current) ? current : {};
      return Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, restore(`${name}.${key}`, one, known[key])]),
      );
    }
    if (typeof value !== 'string') return value;
    if (typeof current === 'string' && maskText(current) === value) return current;
    if (isChanged || !isMaskedEmail(value)) return value;
    throw usageError(
      `${name} of the file is masked: ${value}; nothing was sent.`,
      'Write the whole address, or remove the field. `get` without --mask prints whole addresses.',
    );
  };
  return Object.fromEntries(Object.entries(file).map(([name, value]) => [name, restore(name, value, entity[name])]));
}

/**
 * The file with the numbers of masked fields as the write takes them: a read returns their digits as text.
 * @throws CliError (exit 2) for a changed field of which a part is masked
 */
export function restoreNumbers(
  file: EntityFields,
  entity: EntityFields,
  { schema, hidden = [] }: BodyRules,
): EntityFields {
  const toNumbers = (name: string, value: unknown): unknown => {
    if (!hidden.includes(name) || !isRow(value) || isSame(value, entity[name])) return value;
    const parts = schema.properties?.[name]?.properties ?? {};
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => {
        if (parts[key]?.type !== 'integer' || typeof part !== 'string') return [key, part];
        if (/^\d{1,15}$/.test(part)) return [key, Number(part)];
        if (!part.includes('*')) return [key, part];
        throw usageError(
          `${name}.${key} of the file is masked: ${part}; nothing was sent.`,
          `Write all of its parts to change it: ${Object.keys(parts).join(', ')}.`,
        );
      }),
    );
  };
  return Object.fromEntries(Object.entries(file).map(([name, value]) => [name, toNumbers(name, value)]));
}

function unknownFieldError(name: string, names: readonly string[], operation: ManifestOperation) {
  const near = findNearest(name, names);
  return usageError(
    `The file has the unknown field ${name}.${near ? ` Did you mean ${near}?` : ''}`,
    isRoute(operation) ? `Fields: \`iam ${operation.command} --help\`.` : `Fields: \`iam explain ${operation.id}\`.`,
  );
}
