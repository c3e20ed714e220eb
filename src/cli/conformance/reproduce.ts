/** Formats the request of a case as a curl command, with placeholders in place of secrets. */
import { singleQuote } from '../../lib/shell-variables.ts';
import type { ConformanceCase, Variables } from './case.ts';
import type { Deployment } from './deployment.ts';

/** Variables with secrets that the suite obtained. */
const secretVariables: readonly string[] = [
  ...['clientSecret', 'clientToken', 'apiKey', 'userToken', 'refreshToken', 'renewedToken'],
];

const callerHeaders = { token: '"authorization: Bearer $IAM_TOKEN"', key: '"x-api-key: $IAM_API_KEY"' } as const;

export interface ReproduceOptions {
  /** The base URL without the prefix of the service. */
  readonly root: string;
  /** Whether the command uses an API key. */
  readonly usesApiKey: boolean;
}

/** Returns `curl -X POST -H "authorization: Bearer $IAM_TOKEN" ...` on one line. */
export function formatReproduction(
  target: Deployment,
  { operation, request }: ConformanceCase,
  { root, usesApiKey }: ReproduceOptions,
): string {
  const shown: Variables = new Map(target.variables);
  for (const name of secretVariables) shown.set(name, `<${name}>`);
  const credentials = request.credentials ?? { kind: 'caller' };
  const isBasic = credentials.kind === 'basic';
  const sent = target.build(operation, isBasic ? { ...request, credentials: { kind: 'none' } } : request, shown);
  const pair = isBasic ? `${credentials.id}:${credentials.secret}` : '';
  const filledPair = pair.replace(/\{\{(\w+)\}\}/g, (_, name: string) => shown.get(name) ?? '');
  const isJson = sent.body !== undefined && sent.headers['content-type'] === undefined;
  const headers = { ...sent.headers, ...(isJson ? { 'content-type': 'application/json' } : {}) };
  return [
    'curl -i -X',
    sent.method,
    ...(isBasic ? ['-u', singleQuote(filledPair)] : []),
    ...(sent.isAnonymous ? [] : ['-H', usesApiKey ? callerHeaders.key : callerHeaders.token]),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', singleQuote(`${name}: ${value}`)]),
    ...(sent.body === undefined ? [] : ['--data-raw', singleQuote(sent.body)]),
    singleQuote(`${root}${sent.path}`),
  ].join(' ');
}
