/** Formats a request as a curl command, with shell variables in place of secrets. Pure. */
import type { RedactionStyle } from '../../contract/redaction.ts';
import { quoteForShell, toVariableName, variable } from '../../lib/shell-variables.ts';
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

const style: RedactionStyle = {
  sensitive: variableOf,
  undeclared: (names) => names.map((name) => [name, variableOf(`undeclared_${name}`)]),
  mistyped: variable('IAM_VALUE'),
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
  if (name !== 'authorization') return ['-H', quoteForShell(`${name}: ${variableOf(name)}`)];
  if (!/^basic /i.test(value)) return ['-H', quoteForShell(`${name}: Bearer ${variable('IAM_TOKEN')}`)];
  const isUser = url.includes('/user-identities/');
  const pair = isUser ? ['IAM_USERNAME', 'IAM_PASSWORD'] : ['IAM_CLIENT_ID', 'IAM_CLIENT_SECRET'];
  return ['-u', quoteForShell(pair.map(variable).join(':'))];
}

/** Replaces undeclared bodies and text that is not JSON as a whole. */
function formatBody(body: unknown, { body: fields }: RequestFields): string {
  if (!fields) return variable('IAM_BODY');
  try {
    const value = typeof body === 'string' ? (JSON.parse(body) as unknown) : body;
    return jsonText(redactRequestBody(value, fields, style));
  } catch {
    return variable('IAM_BODY');
  }
}

function variableOf(field: string): string {
  return variable(toVariableName(field));
}
