/**
 * A recorded request as a command of curl. Credentials and redacted values are variables of the shell, which are listed, so
 * that the request can be sent again.
 */
import type * as z from 'zod';
import { type RedactionStyle, redact } from '../../contract/redaction.ts';
import { hasVariable, quoteForShell, singleQuote, toVariableName, variable } from '../../lib/shell-variables.ts';
import { fieldsOf, listQueryParameters } from './redaction.ts';
import { findHeader, type RequestLogEntry, splitHeaders } from './request-log.ts';

/** A value that the log does not contain. */
export interface RequestPlaceholder {
  readonly variable: string;
  readonly in: 'header' | 'query' | 'body';
  /** The names of the fields that lead to the value in a body, or of the header or parameter; empty for the whole body. */
  readonly path: readonly string[];
}

export interface RequestCommand {
  readonly curl: string;
  readonly placeholders: readonly RequestPlaceholder[];
}

/** Collects the variables of one command; each value has one of its own. */
interface Variables {
  add(name: string, place: Omit<RequestPlaceholder, 'variable'>): string;
  readonly placeholders: readonly RequestPlaceholder[];
}

function createVariables(): Variables {
  const placeholders: RequestPlaceholder[] = [];
  return {
    placeholders,
    add(name, place) {
      const taken = new Set(placeholders.map((placeholder) => placeholder.variable));
      let unique = name;
      for (let count = 2; taken.has(unique); count += 1) unique = `${name}_${count}`;
      placeholders.push({ variable: unique, ...place });
      return variable(unique);
    },
  };
}

/** @param baseUrl of the service, without a slash at the end */
export function formatRequestCurl(entry: RequestLogEntry, baseUrl: string): RequestCommand {
  const variables = createVariables();
  const words = [
    'curl',
    ...(entry.method === 'GET' ? [] : ['-X', singleQuote(entry.method)]),
    ...formatCredentials(entry, variables),
    ...formatHeaders(entry, variables),
    ...formatBody(entry, variables),
    quoteForShell(baseUrl + entry.path + formatQuery(entry, variables)),
  ];
  return { curl: words.join(' '), placeholders: variables.placeholders };
}

function formatCredentials(entry: RequestLogEntry, variables: Variables): string[] {
  const { caller } = entry;
  const words: string[] = [];
  const authorization = findHeader(entry, 'authorization');
  const [scheme = ''] = (authorization ?? '').trim().toLowerCase().split(' ');
  const inHeader = (name: string) => ({ in: 'header', path: [name] }) as const;
  if (scheme === 'basic' && caller?.authMethod === 'basic')
    words.push('-u', `${caller.client.clientId}:${variables.add('IAM_CLIENT_SECRET', inHeader('Authorization'))}`);
  else if (scheme === 'basic') {
    const pair = ['IAM_USERNAME', 'IAM_PASSWORD'].map((name) => variables.add(name, inHeader('Authorization')));
    words.push('-u', pair.join(':'));
  } else if (scheme === 'bearer')
    words.push('-H', `Authorization: Bearer ${variables.add('IAM_TOKEN', inHeader('Authorization'))}`);
  else if (authorization !== undefined)
    words.push('-H', `Authorization: ${variables.add('IAM_AUTHORIZATION', inHeader('Authorization'))}`);
  if (findHeader(entry, 'x-api-key') !== undefined)
    words.push('-H', `X-Api-Key: ${variables.add('IAM_API_KEY', inHeader('X-Api-Key'))}`);
  return words.map(quoteForShell);
}

/** Headers without credentials that can change the response. */
const relevantHeaders: readonly string[] = ['content-type', 'if-match', 'if-none-match', 'ip', 'prefer'];

function formatHeaders({ headerText, operation }: RequestLogEntry, variables: Variables): string[] {
  const declared = new Map(
    Object.entries(operation?.request.headers ?? {}).map(([name, schema]) => [name.toLowerCase(), schema as z.ZodType]),
  );
  const headers = splitHeaders(headerText);
  return headers.flatMap((name, at) => {
    const schema = declared.get(name.toLowerCase());
    if (at % 2 === 1 || !(schema || relevantHeaders.includes(name.toLowerCase()))) return [];
    const isSecret = schema !== undefined && fieldsOf(schema).level !== undefined;
    const value = isSecret ? variables.add(toVariableName(name), { in: 'header', path: [name] }) : headers[at + 1];
    return ['-H', quoteForShell(`${name}: ${value}`)];
  });
}

function formatQuery(entry: RequestLogEntry, variables: Variables): string {
  const parts = listQueryParameters(entry).map(({ name, value, isOpen }) => {
    const text = isOpen
      ? encodeURIComponent(value)
      : variables.add(toVariableName(name), { in: 'query', path: [name] });
    return `${encodeURIComponent(name)}=${text}`;
  });
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** Without the fields that the operation does not declare: their names may be secrets. */
function formatBody(entry: RequestLogEntry, variables: Variables): string[] {
  const { body, bodyState, operation } = entry;
  if (bodyState === 'none') return [];
  const schema = operation?.request.body;
  if (body === undefined || !schema || hasVariable(JSON.stringify(body)))
    return ['--data-raw', quoteForShell(variables.add('IAM_BODY', { in: 'body', path: [] }))];
  const marked = markPaths(redact(body, fieldsOf(schema), style), [], variables);
  if (!isForm(entry)) return ['--data-raw', quoteForShell(JSON.stringify(marked))];
  return Object.entries(marked as Readonly<Record<string, unknown>>).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => ['--data-urlencode', quoteForShell(`${name}=${value}`)]),
  );
}

/** Replaces a removed value; `markPaths` finds it. */
class RemovedValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const style: RedactionStyle = {
  sensitive: (name) => new RemovedValue(name),
  undeclared: () => [],
  mistyped: new RemovedValue('value'),
};

function markPaths(value: unknown, path: readonly string[], variables: Variables): unknown {
  if (value instanceof RemovedValue)
    return variables.add(toVariableName(value.name || path.at(-1) || 'body'), { in: 'body', path });
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, at) => markPaths(item, [...path, String(at)], variables));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, markPaths(inner, [...path, name], variables)]),
  );
}

function isForm(entry: RequestLogEntry): boolean {
  return (findHeader(entry, 'content-type') ?? '').toLowerCase().startsWith('application/x-www-form-urlencoded');
}
