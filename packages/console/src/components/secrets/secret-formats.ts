/** A secret as text, and as what uses it: variables of a `.env` file, a call of curl, and a command of iam. */
import { formatCurl, quoteShellArgument } from '../equivalents.tsx';

export type Secret =
  | { readonly kind: 'client'; readonly clientId: string; readonly value: string }
  | { readonly kind: 'apiKey'; readonly value: string }
  | { readonly kind: 'token'; readonly value: string };

export interface SecretFormat {
  readonly label: string;
  readonly text: string;
}

/** @param baseUrl of the service, without a path of the interface */
export function listSecretFormats(secret: Secret, baseUrl: string): readonly SecretFormat[] {
  const variables = { IAM_BASE_URL: baseUrl, ...listVariables(secret) };
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${quoteShellArgument(value)}`);
  return [
    { label: 'Text', text: secret.value },
    { label: '.env', text: assignments.join('\n') },
    { label: 'curl', text: formatCall(secret, baseUrl) },
    // An API key is no access token, of which `whoami` shows the claims.
    { label: 'iam', text: `${assignments.join(' ')} iam ${secret.kind === 'apiKey' ? 'groups list' : 'whoami'}` },
  ];
}

function listVariables(secret: Secret): Readonly<Record<string, string>> {
  if (secret.kind === 'client') return { IAM_CLIENT_ID: secret.clientId, IAM_CLIENT_SECRET: secret.value };
  return { [secret.kind === 'apiKey' ? 'IAM_API_KEY' : 'IAM_TOKEN']: secret.value };
}

function formatCall(secret: Secret, baseUrl: string): string {
  if (secret.kind === 'client') {
    const call = formatCurl(baseUrl, { method: 'POST', path: '/security/iam/v1/client-identities/login' });
    return call.replace('curl', `curl -u ${quoteShellArgument(`${secret.clientId}:${secret.value}`)}`);
  }
  const headers =
    secret.kind === 'apiKey' ? { 'X-Api-Key': secret.value } : { Authorization: `Bearer ${secret.value}` };
  return formatCurl(baseUrl, { path: '/security/iam/v1/groups', headers });
}
