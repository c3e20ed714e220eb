/**
 * Reads users of Auth0: the lines of an export, the list of a bulk import, a page of the Management API, or the lines with
 * hashes that Auth0's support exports. Entries of the same user become one.
 */
import { JsonError, parseJson } from '../../../../lib/json-text.ts';
import { ConversionError } from '../converted-seed.ts';
import { type Fields, isFields, toFlag, toObjects, toText } from '../keycloak/fields.ts';
import { mergeValues } from '../keycloak/merge-parts.ts';

/** The text of a file, and its name. */
export interface UsersFile {
  readonly file: string;
  readonly text: string;
}

/** @throws ConversionError for what is not a user, with its place */
export function readUsers(files: readonly UsersFile[]): readonly Fields[] {
  return mergeEntries(files.flatMap((file) => [...readEntries(file)]));
}

function* readEntries({ file, text }: UsersFile): Generator<Fields> {
  const start = /\S/.exec(text)?.[0];
  if (start === undefined) throw new ConversionError(`${file} is empty`);
  if (start !== '[' && start !== '{')
    throw new ConversionError(`${file} is not JSON; an export in CSV must be repeated with the format json`);
  if (start === '[') return yield* readList(parse(text, file, 1), file);
  for (const { object, line } of splitObjects(text)) {
    const place = `${file}:${line}`;
    const value = parse(object, file, line);
    if (isFields(value) && Array.isArray(value.users)) yield* readList(value.users, place);
    else yield readEntry(value, place);
  }
}

function* readList(list: unknown, place: string): Generator<Fields> {
  for (const [at, value] of (list as readonly unknown[]).entries())
    yield readEntry(value, `${place}, entry ${at + 1},`);
}

interface ObjectText {
  readonly object: string;
  /** Where it starts. */
  readonly line: number;
}

/** One object a line, on several lines from `{` to `}`, as jq formats them, or the whole text. */
function* splitObjects(text: string): Generator<ObjectText> {
  const [first = ''] = /\S.*/.exec(text) ?? [];
  if (!/^\{$|\}$/.test(first.trimEnd())) return yield { object: text, line: 1 };
  let lines: string[] = [];
  let number = 0;
  const take = (): ObjectText => {
    const taken = { object: lines.join('\n'), line: number - lines.length + 1 };
    lines = [];
    return taken;
  };
  for (const line of text.split('\n')) {
    number += 1;
    const isOpen = lines.length > 0;
    if (!isOpen && line.trim() === '') continue;
    lines.push(line);
    if (isOpen ? line.trimEnd() === '}' : line.trim() !== '{') yield take();
  }
  if (lines.length > 0) yield take();
}

/** @param line where the text starts in the file */
function parse(text: string, file: string, line: number): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ConversionError(`${file}:${line + error.line - 1}:${error.column}: ${error.problem.reason}`);
  }
}

function readEntry(value: unknown, place: string): Fields {
  if (!isFields(value)) throw new ConversionError(`${place} is not a user of Auth0: it is not an object`);
  const fields = normalizeNames(value);
  if (idOf(fields) === undefined && loginOf(fields) === undefined && toText(fields.phone_number) === undefined)
    throw new ConversionError(`${place} is not a user of Auth0: it has no user_id, username or email`);
  return fields;
}

/**
 * The names of the Management API: an export can rename fields (`Email Verified`), and that of hashes has names of its own.
 * Null is absent.
 */
function normalizeNames(entry: Fields): Fields {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(entry)) {
    const snake = name
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .replace(/[ -]/g, '_')
      .toLowerCase();
    if (value !== null) fields[snake] ??= value;
  }
  fields.user_id ??= fields.id;
  for (const name of ['app_metadata', 'user_metadata'])
    if (typeof fields[name] === 'string') fields[name] = parseMetadata(fields[name]);
  for (const { type, value, verified } of toObjects(fields.identifiers)) {
    const names = identifierFields.get(type);
    if (names === undefined || value === null || fields[names.value] !== undefined) continue;
    fields[names.value] = value;
    if (names.verified !== undefined) fields[names.verified] = verified;
  }
  return fields;
}

/** Some exports have JSON within JSON. */
function parseMetadata(text: string): unknown {
  try {
    return text.trim() === '' ? undefined : parseJson(text);
  } catch {
    return text;
  }
}

/** Exports of hashes have a list of login names besides these fields, or in place of them. */
const identifierFields: ReadonlyMap<unknown, { readonly value: string; readonly verified?: string }> = new Map([
  ['email', { value: 'email', verified: 'email_verified' }],
  ['phone_number', { value: 'phone_number', verified: 'phone_verified' }],
  ['username', { value: 'username' }],
]);

/** Of an export of hashes, the id is that of the database, or one that was chosen; its users have passwords. */
export function idOf(fields: Fields): string | undefined {
  const known = toText(fields.user_id);
  if (known !== undefined) return known;
  const ofDatabase = toText(fields.alt_id) ?? (isFields(fields._id) ? toText(fields._id.$oid) : toText(fields._id));
  return ofDatabase === undefined ? undefined : `auth0|${ofDatabase}`;
}

export function loginOf({ username, email }: Fields): string | undefined {
  return toText(username) ?? toText(email);
}

/** Whether the entry is one of an export of hashes. */
const isHashEntry = (fields: Fields) => '_id' in fields;

/** Several files can have parts of a user: its profile, and its hash. */
function mergeEntries(entries: readonly Fields[]): readonly Fields[] {
  const users: Record<string, unknown>[] = [];
  const byId = new Map<string, Record<string, unknown>>();
  const withoutId = new Map<string, Record<string, unknown>>();
  const add = (fields: Fields) => {
    const email = toText(fields.email)?.toLowerCase() ?? '';
    const ids = idsOf(fields);
    const id = ids.find((one) => byId.has(one));
    const known =
      (id === undefined ? undefined : byId.get(id)) ?? (isHashEntry(fields) ? withoutId.get(email) : undefined);
    const user = known ?? {};
    for (const [name, value] of Object.entries(fields))
      if (mergedFields.has(name)) user[name] = mergeValues([value, user[name]]);
      else if (name === 'blocked' && toFlag(value, true)) user.blocked = value;
      else if (!isOfOther(name, fields, user)) user[name] ??= value;
    for (const one of ids) byId.set(one, user);
    if (ids.length === 0 && email !== '' && !withoutId.has(email)) withoutId.set(email, user);
    if (known === undefined) users.push(user);
  };
  // Profiles first: they have the links between accounts, and decide if both have a field.
  for (const fields of entries) if (!isHashEntry(fields)) add(fields);
  for (const fields of entries) if (isHashEntry(fields)) add(fields);
  return users;
}

/** Fields of which each file can have a part. A user that one of them blocks is blocked. */
const mergedFields: ReadonlySet<string> = new Set(['app_metadata', 'user_metadata', 'roles', 'identities']);

const verifiedFields: ReadonlyMap<string, string> = new Map([
  ['email_verified', 'email'],
  ['phone_verified', 'phone_number'],
]);

/** Whether a flag is of another address or number than that of the user. */
function isOfOther(name: string, fields: Fields, user: Fields): boolean {
  const of = verifiedFields.get(name);
  return of !== undefined && user[of] !== undefined && user[of] !== fields[of];
}

/** The ids by which other files can name the user: its own, and that of a database account that is linked to it. */
function idsOf(fields: Fields): readonly string[] {
  const linked = toObjects(fields.identities).flatMap(({ provider, user_id: id }) =>
    provider === 'auth0' ? (toText(id) ?? []) : [],
  );
  return [idOf(fields), ...linked.map((id) => `auth0|${id}`)].flatMap((id) => id ?? []);
}
