/**
 * The ETag in the file of a resource whose server ETag does not cover all fields that its update writes: it is of the fields
 * as they were read, together and one by one.
 */
import { canonicalJson } from '../../lib/canonical-json.ts';
import type { RequestContext } from '../context.ts';
import type { EntityRead } from './entity-rows.ts';
import { getUpdate } from './find-operation.ts';

/** The first part of an ETag that is of fields. One of a server starts with a quote or `W/`. */
const prefix = 'fields';
const shortLength = 4;

/** The read with the ETag of its file, for an update by this operation or route. */
export function withFileEtag(
  { manifest }: Pick<RequestContext, 'manifest'>,
  update: string,
  read: EntityRead,
): EntityRead {
  const writable = Object.keys(getUpdate(manifest, update).body?.properties ?? {});
  const fields = Object.entries(read.entity).filter(([, value]) => value !== undefined);
  const isWritable = ([name]: readonly [string, unknown]) => writable.includes(name);
  const version = digest(Object.fromEntries(fields.filter(isWritable)));
  const others = fields.filter((field) => !isWritable(field));
  const all = [...writable.map((name) => [name, read.entity[name]] as const), ...others];
  return { ...read, fileEtag: `${prefix}.${version}.${all.map(([name, value]) => shortDigest(name, value)).join('')}` };
}

/** Whether a write with the ETag of a file overwrites no change by others: read-only fields may have changed. */
export function isCurrent(etag: string, read: EntityRead): boolean {
  return versionOf(etag) === versionOf(read.fileEtag ?? read.etag ?? '');
}

/** Whether the field had this value when the file was read; false if the ETag does not tell. */
export function wasRead(etag: string | undefined, name: string, value: unknown): boolean {
  const [kind, , fields = ''] = etag?.split('.') ?? [];
  if (kind !== prefix) return false;
  const digests = fields.match(new RegExp(`.{${shortLength}}`, 'g'));
  return digests?.includes(shortDigest(name, value)) ?? false;
}

function versionOf(etag: string): string {
  const [kind, version] = etag.split('.');
  return kind === prefix ? `${prefix}.${version}` : etag;
}

function shortDigest(name: string, value: unknown): string {
  return digest({ [name]: value ?? null }).slice(0, shortLength);
}

function digest(value: unknown): string {
  // Loaded when it is needed, because every command imports this file.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(canonicalJson(value)).digest('base64url');
}
