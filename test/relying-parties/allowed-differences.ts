/** Where the server and oidc-provider differ, each with the paragraph that allows it. A request has the first that holds. */
import type { AuthorizationTest, GeneratedRequest, TokenTest } from './generated-requests.ts';
import type { Outcome } from './outcomes.ts';

interface Outcomes {
  readonly ours: Outcome;
  readonly theirs: Outcome;
}

export interface Difference<Request extends GeneratedRequest> {
  readonly paragraph: string;
  holds(request: Request, outcomes: Outcomes): boolean;
}

const valuesOf = ({ parameters }: GeneratedRequest, name: string): string[] =>
  parameters.flatMap(([key, value]) => (key === name ? [value] : []));

/** The value of a parameter that is given once. */
const singleValue = (request: GeneratedRequest, name: string): string | undefined =>
  valuesOf(request, name)[0] || undefined;

const isRepeated = (request: GeneratedRequest, name: string): boolean => valuesOf(request, name).length > 1;

const scopesOf = (request: GeneratedRequest): string[] => (singleValue(request, 'scope') ?? '').split(' ');

const isError = ({ kind, error }: Outcome, ...names: string[]): boolean =>
  kind === 'error' && (names.length === 0 || names.includes(error ?? ''));

const isLink = ({ details = '' }: Outcome): boolean => details.startsWith('link');

export const authorizationDifferences: readonly Difference<AuthorizationTest>[] = [
  {
    paragraph:
      'RFC 9700, 4.11.2: errors of a third-party client are a page with a link, as anyone who signs up can register a URI',
    holds: ({ client }, { ours, theirs }) =>
      client === 'partner' && isLink(ours) && isError(theirs) && ours.error === theirs.error,
  },
  {
    paragraph: 'RFC 6749, 4.1.2.1: nothing is sent to an invalid redirect URI, and two of them are not one',
    holds: (request, { ours }) => isRepeated(request, 'redirect_uri') && ours.kind === 'page',
  },
  {
    paragraph:
      'RFC 9126, 4: what a request without its pushed parameters says beside, such as a redirect URI, is not used',
    holds: (request, { ours }) =>
      (singleValue(request, 'request_uri') ?? '').startsWith('urn:') && ours.kind === 'page',
  },
  {
    paragraph: 'OpenID Connect Core 1.0, 3.1.2.1: redirect_uri is required with the scope openid',
    holds: (request, { ours }) =>
      singleValue(request, 'redirect_uri') === undefined && isError(ours, 'invalid_request'),
  },
  {
    paragraph: 'RFC 6749, 4.1.2.1: a response type that the server lacks is unsupported_response_type',
    holds: (request, { ours }) =>
      singleValue(request, 'response_type') !== 'code' && isError(ours, 'unsupported_response_type'),
  },
  {
    paragraph: 'RFC 8414, 2: response_modes_supported names query and form_post only',
    holds: (request, { ours }) =>
      ['fragment', 'unknown'].includes(singleValue(request, 'response_mode') ?? '') && isError(ours, 'invalid_request'),
  },
  {
    paragraph: 'RFC 6749, 3.3: the server defines a scope for requests without one; openid and nonce are optional',
    holds: (request, { ours, theirs }) =>
      !scopesOf(request).includes('openid') && isError(theirs, 'invalid_request') && !isError(ours, 'invalid_request'),
  },
  {
    paragraph:
      'RFC 6749, 4.1.2.1: an unknown scope is invalid_scope, which OpenID Connect Core 1.0, 3.1.2.1, lets a server ignore',
    holds: (request, { ours }) =>
      scopesOf(request).some((name) => ['ADMIN', 'unknown'].includes(name)) && isError(ours, 'invalid_scope'),
  },
  {
    paragraph: 'RFC 6749, 3.3: scopes are separated by spaces; more of them than needed change nothing',
    holds: (request, { theirs }) => scopesOf(request).includes('') && isError(theirs, 'invalid_scope'),
  },
  {
    paragraph: 'RFC 7636, 4.2: the challenge of S256 is a SHA-256 in base64url, which has 43 characters',
    holds: (request, { ours }) =>
      singleValue(request, 'code_challenge')?.length !== 43 &&
      isError(ours, 'invalid_request') &&
      !isRepeated(request, 'code_challenge'),
  },
  {
    paragraph:
      'OpenID Connect Core 1.0, 3.1.2.1: the use of login_hint is up to the server, which shows the page for another user',
    holds: (request, { ours, theirs }) =>
      singleValue(request, 'login_hint') === 'unknown' && ours.kind === 'interaction' && theirs.kind === 'code',
  },
  {
    paragraph:
      'Initiating User Registration via OpenID Connect 1.0, 4.1: an unsupported prompt is invalid_request, as no user signs up through a third party',
    holds: (request, { ours }) =>
      request.client === 'partner' &&
      singleValue(request, 'prompt') === 'create' &&
      isLink(ours) &&
      isError(ours, 'invalid_request'),
  },
];

export const tokenDifferences: readonly Difference<TokenTest>[] = [
  {
    paragraph: 'RFC 6749, 4.1.3: redirect_uri is required if the authorization request had it',
    holds: (request, { ours }) =>
      request.grant.includes('code') &&
      singleValue(request, 'redirect_uri') === undefined &&
      isError(ours, 'invalid_grant'),
  },
  {
    paragraph: 'RFC 6749, 5.2: a grant that the server has and the client may not use is unauthorized_client',
    holds: (request, { ours }) =>
      ['password', 'client_credentials'].includes(singleValue(request, 'grant_type') ?? '') &&
      isError(ours, 'unauthorized_client'),
  },
  {
    paragraph: 'RFC 7636, 4.6: a verifier that does not match is invalid_grant, also one that has a wrong form',
    holds: (request, { ours, theirs }) =>
      singleValue(request, 'code_verifier') !== undefined &&
      isError(ours, 'invalid_grant') &&
      isError(theirs, 'invalid_request'),
  },
  {
    paragraph: 'RFC 8707, 2.2: a code without resources is for all that the client may name',
    holds: (request, { ours, theirs }) =>
      singleValue(request, 'resource') !== undefined && ours.kind === 'tokens' && isError(theirs, 'invalid_target'),
  },
  {
    paragraph: 'RFC 6749, 5.2: a request with several mistakes has the error of one of them',
    holds: ({ changes, authentication, client }, { ours, theirs }) =>
      (changes.length > 1 || (authentication !== 'basic' && client !== 'spa')) && isError(ours) && isError(theirs),
  },
];
