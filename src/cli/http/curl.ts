/** Formats a request as a curl command, with shell variables in place of secrets. Pure. */
import type { RedactionStyle } from '../../contract/redaction.ts';
import { escapeHidden, jsonText } from '../io/control-characters.ts';
import type { RequestFields } from './redact.ts';
import { isLoggableHeader, redactPath, redactRequestBody } from './redact.ts';

export interface CurlCall {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Text, or a value that is sent as JSON. */
  readonly body?: unknown;
}

/** Delimiters of a variable name within text: private-use characters. */
const [opening, closing] = ['\u{e000}', '\u{e001}'];

const style: RedactionStyle = {
  sensitive: toVariableName,
  // The prefix avoids existing shell variables.
  undeclared: (names) => names.map((name) => [name, toVariableName(`undeclared_${name}`)]),
  mistyped: variable('VALUE'),
};

/** Formats `curl -X POST ... -H "authorization: Bearer $IAM_TOKEN"` on one line. */
export function formatCurlCommand({ method, url, headers = {}, body }: CurlCall, fields: RequestFields): string {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const options = named.flatMap(([name, value]) => formatHeaderOption(name, value, url));
  const data = body === undefined ? [] : ['--data-raw', quoteForShell(formatBody(body, fields))];
  const words = ['curl', '-X', method, ...options, ...data, quoteForShell(redactPath(url, fields.query, style))];
  // Valid URLs and headers contain no control characters.
  return escapeHidden(words.join(' '));
}

function formatHeaderOption(name: string, value: string, url: string): string[] {
  if (isLoggableHeader(name)) return ['-H', quoteForShell(`${name}: ${value}`)];
  if (name === 'x-api-key') return ['-H', quoteForShell(`${name}: ${variable('IAM_API_KEY')}`)];
  if (name !== 'authorization') return ['-H', quoteForShell(`${name}: ${toVariableName(name)}`)];
  if (!/^basic /i.test(value)) return ['-H', quoteForShell(`${name}: Bearer ${variable('IAM_TOKEN')}`)];
  const isUser = url.includes('/user-identities/');
  const pair = isUser ? ['IAM_USERNAME', 'IAM_PASSWORD'] : ['IAM_CLIENT_ID', 'IAM_CLIENT_SECRET'];
  return ['-u', quoteForShell(pair.map(variable).join(':'))];
}

/** Replaces undeclared bodies and text that is not JSON as a whole. */
function formatBody(body: unknown, { body: fields }: RequestFields): string {
  if (!fields) return variable('BODY');
  try {
    const value = typeof body === 'string' ? (JSON.parse(body) as unknown) : body;
    return jsonText(redactRequestBody(value, fields, style));
  } catch {
    return variable('BODY');
  }
}

/** Converts `clientSecret` to the variable CLIENT_SECRET. */
function toVariableName(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[^A-Za-z0-9]+/g, '_');
  return variable(words.toUpperCase());
}

function variable(name: string): string {
  return `${opening}${name}${closing}`;
}

/** Quotes text with single quotes, except variables. */
function quoteForShell(text: string): string {
  const parts = text.split(new RegExp(`${opening}([A-Z0-9_]+)${closing}`, 'u'));
  const quoted = parts.map((part, at) => (at % 2 === 1 ? `"$${part}"` : part === '' ? '' : singleQuote(part)));
  return quoted.join('') || "''";
}

/** Quotes text for a shell, if it needs quotes. */
export function singleQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
