/** Test tokens of an in-process server. */
import type { AppContext } from '../server/app-context.ts';
import { issueTestToken, type TestTokenRequest } from '../server/auth/issue-test-token.ts';
import { validateBody } from '../server/http/request-validation.ts';
import type { TestTokenOptions } from './library-types.ts';

export interface IssuedTestToken {
  readonly accessToken: string;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly clientId: string;
  /** Absent for a client. */
  readonly userId?: string;
  readonly sessionId?: string;
}

export interface Tokens {
  /**
   * Issues an access token that is wrong on purpose: `{ for: 'ann', claims: { aud: 'https://other.example' } }`.
   * @throws IamError if an option is not valid, or if there is no such user or client.
   */
  issue(options: TestTokenOptions): Promise<IssuedTestToken>;
}

/** Creates the test tokens of the current app context. */
export function createTokens(getContext: () => AppContext): Tokens {
  return {
    async issue(options) {
      const { TestTokenInput } = await import('../server/control/routes/tokens/test-token-body.ts');
      return issueTestToken(validateBody(TestTokenInput, options) as TestTokenRequest, getContext());
    },
  };
}
